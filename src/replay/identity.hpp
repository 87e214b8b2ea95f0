// Names one execution of a run.
#pragma once

#include "model/event.hpp"
#include <belay/ids.hpp>
#include <belay/status.hpp>

#include <string>

namespace belay::replay {

/// The identity of an execution.
struct Identity {
    InstanceName name;
    ExecutionNo execution = 1;
    std::string definition;
    std::string version;
    /// Drawn afresh each time an execution is made. The first seed that the code saw is recorded,
    /// and replay uses the recorded one.
    model::RandomSeeded seed{};
    /// The headers with which the run was started. The code may decide by them, so a replay must
    /// have them. They are stored with the run, not in its history.
    Headers headers{};
};

}  // namespace belay::replay
