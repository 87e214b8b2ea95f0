// Names one execution of a run.
#pragma once

#include "model/event.hpp"
#include <belay/ids.hpp>
#include <belay/status.hpp>

#include <string>

namespace belay::replay {

/// Which execution this is.
struct Identity {
    InstanceName name;
    ExecutionNo execution = 1;
    std::string definition;
    std::string version;
    /// Drawn afresh each time an execution is made. The seed that the code saw first is recorded,
    /// and replay uses the recorded one.
    model::RandomSeeded seed{};
    /// The headers that the run was started with. The code may decide by them, so a replay must
    /// have them: they are stored with the run, not in its history.
    Headers headers{};
};

}  // namespace belay::replay
