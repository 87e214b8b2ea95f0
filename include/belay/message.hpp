// Messages, and the small values that travel with runs.
#pragma once

#include <belay/ids.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace belay {

/// The value of a label. Values of different types are different: the text "3" is not the number 3.
using LabelValue = std::variant<std::string, std::int64_t, double, bool>;
/// Facts about a run by which it can be found.
using Labels = std::map<std::string, LabelValue>;
/// Data passed along with a run that Belay does not read: trace context and the like.
using Headers = std::map<std::string, std::string>;

/// Addresses an instance by its current name.
struct InstanceName {
    std::string space;  ///< The namespace.
    std::string id;
    auto operator<=>(const InstanceName&) const = default;
};

/// The subject of a message. Stored as these integers for ever; a store never interprets them.
enum class MessageKind : std::uint16_t {
    activity_completed = 1,
    activity_failed = 2,
    timer_fired = 3,
    child_completed = 4,
    child_failed = 5,
    child_canceled = 6,
    event_raised = 7,
    queue_message = 8,
};

/// False for a kind that a later release wrote.
[[nodiscard]] constexpr bool is_known(MessageKind kind) noexcept {
    return kind >= MessageKind::activity_completed && kind <= MessageKind::queue_message;
}

/// The event that brings a run the failure of the run for which it was started
/// (NewInstance::on_fail). Nobody else can raise it.
inline constexpr std::string_view kRunFailedEvent = "belay.run-failed";

/// A message to a run, as it is sent.
struct NewMessage {
    MessageKind kind = MessageKind::event_raised;
    /// The execution and command it answers; both 0 when it is for whichever execution is current.
    ExecutionNo execution = 0;
    CommandNo command = 0;
    std::string name;  ///< The event or the queue; see also op::is_not_started.
    Payload payload;

    bool operator==(const NewMessage&) const = default;
};

/// A message as it is received.
struct Message {
    MessageNo id = 0;
    /// The time when a timer or a delayed message was due; for other messages, when the store
    /// accepted it, but never before the one that was accepted before it. While a clock that was
    /// set back catches up, it stands still. So (sent_at, id) orders messages of the same time by
    /// their numbers.
    Timestamp sent_at{};
    NewMessage content;
};

/// The events of one turn, encoded. A store keeps the bytes and never reads them.
struct HistoryRow {
    std::uint16_t format = 1;
    std::uint32_t count = 0;  ///< Number of events.
    std::string bytes;
};

}  // namespace belay
