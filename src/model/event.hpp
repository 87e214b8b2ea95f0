// History: the append-only record of an execution.
//
// Events are of two sorts. An *input* is something that reached the orchestration: a start, a
// completion, a cancel. A *decision* is an answer of its code: schedule, cancel, end. History is
// one input after the other, each followed by exactly the decisions it led to. So replaying the
// inputs must reproduce the decisions exactly.
#pragma once

#include <belay/call_options.hpp>
#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace belay::model {

// ---- Inputs ------------------------------------------------------------------------------------

/// Comes right after the first TurnStarted of every execution.
struct ExecutionStarted {
    std::string definition;
    std::string version;
    Payload input;
    bool operator==(const ExecutionStarted&) const = default;
};
/// Begins a turn. `at` is the time that the code sees during the turn. If the store's clock was set
/// back since, it is the time of an earlier turn of this execution.
struct TurnStarted {
    Timestamp at{};
    /// A cancel is on record and follows in this turn, behind the inputs that came before it. The
    /// cancel decides how the run ends, whatever the code returns first.
    bool canceled = false;
    bool operator==(const TurnStarted&) const = default;
};
/// A command succeeded: an activity or child with its result, a timer without.
struct CommandCompleted {
    CommandNo command = 0;
    Payload result;
    bool operator==(const CommandCompleted&) const = default;
};
struct CommandFailed {
    CommandNo command = 0;
    Failure failure;
    bool operator==(const CommandFailed&) const = default;
};
/// A message was raised or enqueued. The code may or may not have waited for it.
struct MessageReceived {
    MessageKind channel = MessageKind::event_raised;
    std::string name;
    Payload payload;
    bool operator==(const MessageReceived&) const = default;
};
struct CancelRequested {
    CancelRecord record;
    bool operator==(const CancelRequested&) const = default;
};

// ---- Decisions ---------------------------------------------------------------------------------

/// The terms of an activity beyond its name, queue and input.
struct ActivityTerms {
    std::int32_t priority = 0;
    std::string fairness_key{};
    std::optional<Timestamp> schedule_to_start{};
    std::optional<Millis> start_to_close{};
    std::optional<Millis> heartbeat_timeout{};
    std::string session{};
    std::uint32_t attempt = 1;  ///< The number of the attempt under its RetryPolicy ...
    CommandNo first = 0;        ///< ... and the command of the first one, if this is later.
    bool operator==(const ActivityTerms&) const = default;
};
struct ActivityScheduled {
    CommandNo command = 0;
    std::string name;
    std::string queue;
    Payload input;
    bool shielded = false;
    ActivityTerms terms{};
    bool operator==(const ActivityScheduled&) const = default;
};
struct TimerScheduled {
    CommandNo command = 0;
    Timestamp due_at{};
    bool shielded = false;
    bool operator==(const TimerScheduled&) const = default;
};
/// The terms of a child beyond its definition, id and input.
struct ChildTerms {
    std::string version{};  ///< Empty: the newest.
    Labels labels{};
    ParentClose parent_close = ParentClose::cancel;
    std::uint32_t attempt = 1;
    bool operator==(const ChildTerms&) const = default;
};
struct ChildScheduled {
    CommandNo command = 0;
    std::string definition;
    std::string id;
    Payload input;
    bool shielded = false;
    ChildTerms terms{};
    bool with_document = false;  ///< It has the document of its parent.
    bool on_fail = false;        ///< A run is created if it fails.
    bool part = false;           ///< Lists hide it.
    bool operator==(const ChildScheduled&) const = default;
};
struct WaitScheduled {
    CommandNo command = 0;
    MessageKind channel = MessageKind::event_raised;
    std::string name;
    bool shielded = false;
    bool operator==(const WaitScheduled&) const = default;
};
/// The code dropped a command before it was done.
struct CommandCanceled {
    CommandNo command = 0;
    bool operator==(const CommandCanceled&) const = default;
};
struct CustomStatusSet {
    Payload status;
    bool operator==(const CustomStatusSet&) const = default;
};
/// The last event of an execution, unless it continues as new.
struct ExecutionEnded {
    Outcome outcome;
    bool operator==(const ExecutionEnded&) const = default;
};
struct ExecutionContinued {
    Payload input;
    bool operator==(const ExecutionContinued&) const = default;
};
/// The code asked for random numbers for the first time. They are drawn once: a replay takes them
/// from here.
struct RandomSeeded {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const RandomSeeded&) const = default;
};
/// The code took the first waiting message of the channel, without waiting itself.
struct MessageTaken {
    MessageKind channel = MessageKind::event_raised;
    std::string name;
    bool operator==(const MessageTaken&) const = default;
};
struct KeyValueSet {
    std::string key;
    Payload value;
    bool operator==(const KeyValueSet&) const = default;
};
struct KeyValueCleared {
    std::string key;
    bool operator==(const KeyValueCleared&) const = default;
};
struct KeyValuesCleared {
    bool operator==(const KeyValuesCleared&) const = default;
};
/// The code took the path of a change for the first time in this execution.
struct PatchMarked {
    std::string name;
    bool operator==(const PatchMarked&) const = default;
};
/// The code reached a change of which it has only the new path. Code that has forgotten the patch
/// skips this event. Code that still asks for the patch takes it for a mark.
struct PatchRetired {
    std::string name;
    bool operator==(const PatchRetired&) const = default;
};
/// Comes before ExecutionContinued: the version that the code named for the next execution.
struct NextVersionChosen {
    std::string version;
    bool operator==(const NextVersionChosen&) const = default;
};
/// The code started an independent run, for which it does not wait.
struct DetachedStarted {
    std::string definition;
    std::string id;
    Payload input;
    std::string version;  ///< Empty: the newest.
    Labels labels{};
    bool with_document = false;  ///< It has the document of its starter.
    bool on_fail = false;        ///< A run is created if it fails.
    bool operator==(const DetachedStarted&) const = default;
};

/// The index of an alternative is its number in the stored format: only ever append to this list.
using Event = std::variant<ExecutionStarted,
                           TurnStarted,
                           CommandCompleted,
                           CommandFailed,
                           MessageReceived,
                           CancelRequested,
                           ActivityScheduled,
                           TimerScheduled,
                           ChildScheduled,
                           WaitScheduled,
                           CommandCanceled,
                           CustomStatusSet,
                           ExecutionEnded,
                           ExecutionContinued,
                           RandomSeeded,
                           MessageTaken,
                           KeyValueSet,
                           KeyValueCleared,
                           KeyValuesCleared,
                           PatchMarked,
                           NextVersionChosen,
                           DetachedStarted,
                           PatchRetired>;

[[nodiscard]] bool is_input(const Event& event) noexcept;

/// Returns one line for people: `ActivityScheduled #3 Charge ("42", 7)`. Never shows raw bytes.
[[nodiscard]] std::string describe(const Event& event);
[[nodiscard]] std::string describe(const Payload& payload);

/// The stored formats of a history row. A row is written in the first format that can hold it. So
/// processes of an older release can continue runs that use nothing newer.
///
///     1  the first release
///     2  options of calls, types of failures, and all kinds of events behind ExecutionContinued
///     3  runs that have the document of their starter, and reasons of skipped runs
inline constexpr std::uint16_t kFirstHistoryFormat = 1;
inline constexpr std::uint16_t kSecondHistoryFormat = 2;
inline constexpr std::uint16_t kHistoryFormat = 3;
/// A row with this bit in its format was written by a chain of coders (store/coded.hpp). No format
/// of events has it.
inline constexpr std::uint16_t kCodedRow = 0x8000;

[[nodiscard]] HistoryRow encode_events(const std::vector<Event>& events);
/// Returns `unsupported` for a format or an event kind that this version does not know,
/// `unreadable` for a row that was not decoded, `corrupt` for damaged bytes.
[[nodiscard]] Result<std::vector<Event>> decode_events(const HistoryRow& row);

}  // namespace belay::model
