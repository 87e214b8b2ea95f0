// History: the append-only record of an execution.
//
// Events are of two sorts. An *input* is something that reached the orchestration: a start, a
// completion, a cancel. A *decision* is what its code did in answer: schedule, cancel, end. History
// is one input after the other, each followed by exactly the decisions it led to, so replaying the
// inputs must reproduce the decisions to the letter.
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
/// Begins a turn, and is what time it is for the code during it; or the time of an earlier turn of
/// this execution, if the store's clock was set back since.
struct TurnStarted {
    Timestamp at{};
    /// A cancel is on record and follows in this turn, behind what came before it: how the run ends
    /// is for the cancel to say, whatever the code returns first.
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
/// Something was raised or enqueued; the code may have waited for it or not.
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

/// How an activity was asked for, beyond its name, queue and input.
struct ActivityTerms {
    std::int32_t priority = 0;
    std::string fairness_key{};
    std::optional<Timestamp> schedule_to_start{};
    std::optional<Millis> start_to_close{};
    std::optional<Millis> heartbeat_timeout{};
    std::string session{};
    std::uint32_t attempt = 1;  ///< Of those that its RetryPolicy makes ...
    CommandNo first = 0;        ///< ... and the command of the first of them, if this is another.
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
/// How a child was asked for, beyond its definition, id and input.
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
    bool operator==(const ChildScheduled&) const = default;
};
struct WaitScheduled {
    CommandNo command = 0;
    MessageKind channel = MessageKind::event_raised;
    std::string name;
    bool shielded = false;
    bool operator==(const WaitScheduled&) const = default;
};
/// The code let go of a command before it was done.
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
/// The code asked for random numbers for the first time. Drawn once: a replay takes it from here.
struct RandomSeeded {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const RandomSeeded&) const = default;
};
/// The code took the first message that waited there, without waiting itself.
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
/// The code came to a change that it has only the new path of. Code that has forgotten the patch
/// passes over this; code that still asks for it takes it for a mark.
struct PatchRetired {
    std::string name;
    bool operator==(const PatchRetired&) const = default;
};
/// Before ExecutionContinued: which version the code named for the next execution.
struct NextVersionChosen {
    std::string version;
    bool operator==(const NextVersionChosen&) const = default;
};
/// The code started a run on its own, that it does not wait for.
struct DetachedStarted {
    std::string definition;
    std::string id;
    Payload input;
    std::string version;  ///< Empty: the newest.
    Labels labels{};
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

/// One line for people: `ActivityScheduled #3 Charge ("42", 7)`. Never raw bytes, whatever is
/// stored.
[[nodiscard]] std::string describe(const Event& event);
[[nodiscard]] std::string describe(const Payload& payload);

/// The stored formats of a history row. A row is written in the first one that can hold it, so that
/// processes of an older release go on with runs that use nothing newer.
///
///     1  the first release
///     2  options of calls, types of failures, and all kinds of events behind ExecutionContinued
inline constexpr std::uint16_t kFirstHistoryFormat = 1;
inline constexpr std::uint16_t kHistoryFormat = 2;
/// A row with this bit in its format is as a chain of coders has left it (store/coded.hpp); no
/// format of events has it.
inline constexpr std::uint16_t kCodedRow = 0x8000;

[[nodiscard]] HistoryRow encode_events(const std::vector<Event>& events);
/// `unsupported` for a format or an event kind that this version does not know, `unreadable` for a
/// row that was not decoded, `corrupt` for bytes that are not what they should be.
[[nodiscard]] Result<std::vector<Event>> decode_events(const HistoryRow& row);

}  // namespace belay::model
