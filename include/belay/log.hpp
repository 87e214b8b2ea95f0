// Log lines of orchestrations.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace belay {

/// The importance of a line. Only the sink leaves lines out by it.
enum class LogLevel : std::uint8_t { debug = 1, info = 2, warning = 3, error = 4 };

[[nodiscard]] std::string_view to_string(LogLevel level) noexcept;

/// One line of an orchestration's log. Its texts belong to the run and are invalid when the sink
/// returns.
struct LogRecord {
    LogLevel level = LogLevel::info;
    std::string_view message;
    const InstanceName& instance;
    ExecutionNo execution = 1;
    const std::string& definition;
    const std::string& version;
    Timestamp at{};  ///< The time that the code sees: when its turn began.
};

/// Receives the lines of orchestrations. A worker passes them on to RuntimeOptions::events. Called
/// by the thread that takes the turn, by several at once for several runs. Its exceptions are
/// dropped.
using LogSink = std::function<void(const LogRecord&)>;

}  // namespace belay
