// The reasons for refusing a transition.
#pragma once

#include "store/rules/facts.hpp"
#include <belay/error.hpp>

#include <optional>
#include <string>

namespace belay::store {

/// The reason for refusing a transition, and what its caller is told.
struct Refusal {
    Error error;
    std::optional<InstanceBrief> instance;
    bool input_differs = false;

    [[nodiscard]] Answer answer() &&;
};

[[nodiscard]] Refusal refuse(Errc code, std::string message);
/// Adds the instance that stands in the way.
[[nodiscard]] Refusal refuse(Errc code, std::string message, InstanceBrief instance);
/// "no instance 'order-7'".
[[nodiscard]] Refusal no_such_instance(const InstanceName& name);
[[nodiscard]] Refusal no_such_run(RunRef run);
[[nodiscard]] Refusal already_ended(const RunFacts& run);

}  // namespace belay::store
