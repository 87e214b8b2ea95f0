// The log of an orchestration, seen from its code.
#pragma once

#include <belay/detail/engine.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace belay {

/// `ctx.log()`. Silent while recorded history is replayed, so a line appears when the code first
/// gets there, and not each time a run is made again from its history. A turn whose commit is
/// refused is taken again, and logs its lines again: a line says that the code ran, not that its
/// decisions were recorded. Never throws because of the sink, and never changes what the run does.
/// Belongs to the coroutine whose context it came from.
class Logger {
public:
    explicit Logger(std::shared_ptr<detail::Scope> scope) noexcept : scope_(std::move(scope)) {}

    /// Logs at this level. A sink that keeps the text copies it.
    void debug(std::string_view message) const { log(LogLevel::debug, message); }
    /// Logs at this level.
    void info(std::string_view message) const { log(LogLevel::info, message); }
    /// Logs at this level.
    void warning(std::string_view message) const { log(LogLevel::warning, message); }
    /// Logs at this level.
    void error(std::string_view message) const { log(LogLevel::error, message); }
    /// Logs at a level that the code chooses.
    void log(LogLevel level, std::string_view message) const {
        detail::engine_of(*scope_).log(level, message);
    }

private:
    std::shared_ptr<detail::Scope> scope_;
};

}  // namespace belay
