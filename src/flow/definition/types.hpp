// The types of what expressions see.
#pragma once

#include "expr/type.hpp"
#include "flow/definition/definition.hpp"

#include <vector>

namespace belay::flow {

[[nodiscard]] expr::Type type_of(const expr::Value& value);
/// A param that may be missing has any type, because it may be null.
[[nodiscard]] expr::Type type_of(const Param& param);
/// Returns the type of the value of a form. Appends the mistakes in it.
[[nodiscard]] expr::Type type_of(const Form& form,
                                 const expr::Type::Fields& names,
                                 std::vector<expr::Problem>& problems);

/// `run`
[[nodiscard]] expr::Type run_type();
/// `step`
[[nodiscard]] expr::Type step_type();
/// `failure`, of a run, a step or an item of a map
[[nodiscard]] expr::Type failure_type();
/// `outcome`
[[nodiscard]] expr::Type outcome_type();
/// The output of an `http` step.
[[nodiscard]] expr::Type http_output_type();

}  // namespace belay::flow
