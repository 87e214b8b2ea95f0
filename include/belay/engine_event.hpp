// Events of the engine: one type for all of them.
#pragma once

#include <belay/ids.hpp>
#include <belay/log.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace belay {

/// The kind of an event. Programs match by it; the word that `to_string` gives never changes.
enum class EngineCode : std::uint8_t {
    commit_failed,       ///< The store did not take a commit. It is sent again where that helps.
    claim_failed,        ///< The store did not answer a claim. It is asked again.
    read_failed,         ///< The store did not answer a read.
    code_missing,        ///< No code is registered here for a run or an activity.
    unreadable,          ///< A payload cannot be read or written here: a key or a coder is missing.
    turn_refused,        ///< The store refused a turn, and will refuse it again.
    turn_lost,           ///< A turn was not recorded: the lock was lost, or the run was deleted.
    turn_overran,        ///< A turn ran past Policy::turn_limit and was given up.
    run_stuck,           ///< A run cannot go on: code and history disagree, or history is damaged.
    run_poisoned,        ///< A run failed because no attempt at its turn came to an end.
    activity_poisoned,   ///< An activity failed because no attempt at it came to an end.
    lease_lost,          ///< A lease ended before it could be renewed.
    renewal_failed,      ///< The store did not take a renewal. It is sent again.
    renewal_refused,     ///< A renewal was refused: canceled, taken over, or the run is gone.
    completion_refused,  ///< The store refused the result of an activity.
    result_lost,         ///< A result came too late: the activity was canceled or its run deleted.
    heartbeat_unwritten,    ///< A heartbeat could not be written.
    activity_not_begun,     ///< The executor could not begin an activity.
    activity_unresponsive,  ///< An activity did not stop within its grace period.
    message_undeliverable,  ///< A message became a dead letter: its run was deleted.
    retention_failed,       ///< A retention policy could not be read or applied.
    orchestration_log,      ///< A line of OrchestrationContext::log.
    activity_log,           ///< A line of ActivityContext::log.
    worker_died,            ///< The leases of a dead process of this machine were taken over.
    output_unwritten,       ///< Output of an activity could not be written.
};

/// The number of codes.
inline constexpr std::size_t kEngineCodes = 25;

/// "commit_failed".
[[nodiscard]] std::string_view to_string(EngineCode code) noexcept;

/// One event. Texts that do not apply are empty.
struct EngineEvent {
    EngineCode code = EngineCode::commit_failed;
    LogLevel level = LogLevel::warning;
    Timestamp at{};
    std::string worker{};                    ///< RuntimeOptions::worker.
    std::optional<InstanceName> instance{};  ///< The run that it is about.
    std::string definition{};                ///< Belongs to that run.
    std::string version{};                   ///< Belongs to that run.
    ExecutionNo execution = 0;               ///< Belongs to that run; 0: not known.
    std::string activity{};                  ///< The name of the activity that it is about.
    std::uint32_t attempt = 0;               ///< The attempt at it; 0: not known.
    std::string what{};                      ///< The event, in one sentence.
    std::string advice{};                    ///< The remedy, if one is known.
    /// Events of this code that were left out since the last one, because there were too many.
    std::uint64_t left_out = 0;
};

/// Receives events: RuntimeOptions::events. Called on any thread of the worker, by several at once;
/// must return soon. Only the event is lost if it throws.
using EngineEventSink = std::function<void(const EngineEvent&)>;

/// The event as one line for people, without a line end.
[[nodiscard]] std::string to_line(const EngineEvent& event);
/// The event as one line of JSON, without a line end. Members that do not apply are left out.
[[nodiscard]] std::string to_json(const EngineEvent& event);

/// Writes events of at least this level to standard error, a line each. A line of the engine is
/// left out if it cannot be written at once; one of an orchestration or activity waits for the
/// reader.
[[nodiscard]] EngineEventSink lines_on_stderr(LogLevel least = LogLevel::warning);
/// Writes events of at least this level to standard error, an object of JSON in a line each;
/// otherwise likewise.
[[nodiscard]] EngineEventSink json_on_stderr(LogLevel least = LogLevel::warning);

}  // namespace belay
