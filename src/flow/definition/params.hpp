// The params that a run of a flow is given.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/definition.hpp"
#include "flow/definition/problem.hpp"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::flow {

[[nodiscard]] std::vector<std::string_view> names_of(const std::vector<Param>& params);

/// Returns "an integer", for errors.
[[nodiscard]] std::string_view with_article(ParamType type) noexcept;

/// Returns the value as one of this type, or what is wrong with it. An integer given for a number
/// becomes a number.
[[nodiscard]] std::expected<expr::Value, std::string> fit(const Param& param,
                                                          const expr::Value& given);

/// Checks the values of fields against their types. Returns a value for each field: the given one,
/// the default, or null. `given` is a map; null stands for an empty one.
///
/// Problems have the place `origin`. `kind`: the word for a field in messages.
[[nodiscard]] std::expected<expr::Map, Problems> check_fields(const std::vector<Param>& fields,
                                                              const expr::Value& given,
                                                              std::string_view kind,
                                                              base::Place origin = kNoPlace);

/// `check_fields` for the params of a run.
[[nodiscard]] std::expected<expr::Map, Problems> check_params(const Definition& definition,
                                                              const expr::Value& given,
                                                              base::Place origin = kNoPlace);

/// Reads params that are given as texts, as on a command line: a string as it is, a list or a map
/// as JSON, others as their types are written. Does not check more than that.
[[nodiscard]] std::expected<expr::Value, Problems> params_from_texts(
    const Definition& definition, const std::vector<std::pair<std::string, std::string>>& texts);

}  // namespace belay::flow
