// The places of a definition where expressions stand, and what is known of each place.
#pragma once

#include "expr/type.hpp"
#include "flow/definition/definition.hpp"
#include "flow/definition/form.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace belay::flow {

/// The lists of steps of a definition. `flow`: outside of all of them.
enum class Part : std::uint8_t { flow, steps, on_fail, finally, on_cancel };

/// The step that an expression belongs to.
struct SiteOwner {
    Part part = Part::flow;
    std::size_t step = 0;  ///< The position in the list of the part.
};

/// The kinds of places where expressions stand. They decide which names are visible.
enum class SiteKind : std::uint8_t {
    concurrency,  ///< The key of the concurrency of runs.
    flow_env,     ///< The environment of all programs.
    output,       ///< The output of the flow.
    start,        ///< `if` of the flow.
    condition,    ///< `if` of a step.
    map,
    end_flow,
    action,       ///< An input of a step. It becomes a part of the run.
    duration,     ///< action: the duration of a sleep
    with_secret,  ///< action: it leaves the run, so secrets may be in it
};

/// A value with expressions.
struct Site {
    SiteOwner owner;
    SiteKind kind = SiteKind::action;
    std::string field;
    Place place;
    Form form;
};

/// A value that is passed to another definition.
struct Argument {
    std::string name;
    Place key;
    Place value;
    Form form;
    expr::Type type;  ///< The checker sets it.
};

/// A step that starts another definition.
struct FlowUse {
    SiteOwner owner;
    std::string flow;
    Place place;
    std::vector<Argument> arguments{};
};

}  // namespace belay::flow
