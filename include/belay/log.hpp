// What orchestrations log.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace belay {

/// How much a line matters. Nothing is left out by it: that is for the sink.
enum class LogLevel : std::uint8_t { debug = 1, info = 2, warning = 3, error = 4 };

[[nodiscard]] std::string_view to_string(LogLevel level) noexcept;

/// One line of an orchestration's log. Its texts belong to the run: they are gone when the sink
/// returns.
struct LogRecord {
    LogLevel level = LogLevel::info;
    std::string_view message;
    const InstanceName& instance;
    ExecutionNo execution = 1;
    const std::string& definition;
    const std::string& version;
    Timestamp at{};  ///< As the code sees it: when its turn began.
};

/// Receives the lines of orchestrations. A worker hands them on to RuntimeOptions::events. Called
/// while a turn is taken, by whichever thread takes it, several at once for several runs. All it
/// throws is lost.
using LogSink = std::function<void(const LogRecord&)>;

}  // namespace belay
