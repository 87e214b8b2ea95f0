// A sink for the warnings of a worker.
#pragma once

#include <belay/engine_event.hpp>

#include <functional>
#include <string>
#include <utility>

namespace belay::support {

/// Hands on the texts of warnings and errors of the engine; not the lines of users' code.
inline EngineEventSink warnings(std::function<void(const std::string&)> hear) {
    return [hear = std::move(hear)](const EngineEvent& event) {
        const bool of_users =
            event.code == EngineCode::orchestration_log || event.code == EngineCode::activity_log;
        if (!of_users && event.level >= LogLevel::warning) hear(event.what);
    };
}

}  // namespace belay::support
