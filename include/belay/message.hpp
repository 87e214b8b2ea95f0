// Messages, and the small values that travel with runs.
#pragma once

#include <belay/ids.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace belay {

/// The value of a label. Values of different types are different: the text "3" is not the number 3.
using LabelValue = std::variant<std::string, std::int64_t, double, bool>;
/// Facts about a run by which it can be found.
using Labels = std::map<std::string, LabelValue>;
/// What is passed along with a run and looked at by nobody here: trace context and the like.
using Headers = std::map<std::string, std::string>;

/// Addresses an instance by its current name.
struct InstanceName {
    std::string space;  ///< The namespace.
    std::string id;
    auto operator<=>(const InstanceName&) const = default;
};

/// What a message is about. Stored as these integers for ever; a store never interprets them.
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

/// A message to a run, as it is sent.
struct NewMessage {
    MessageKind kind = MessageKind::event_raised;
    /// The execution and command it answers; both 0 when it is for whichever execution is current.
    ExecutionNo execution = 0;
    CommandNo command = 0;
    std::string name;  ///< Of an event or a queue; see also op::is_not_started.
    Payload payload;

    bool operator==(const NewMessage&) const = default;
};

/// A message as it is received.
struct Message {
    MessageNo id = 0;
    /// Of a timer or a delayed message, when it was due. Of any other, when the store accepted it,
    /// but never before the one that was accepted before it: while a clock that was set back
    /// catches up, this stands still. So (sent_at, id) orders what came at once by its number.
    Timestamp sent_at{};
    NewMessage content;
};

/// One turn's events, encoded. A store keeps the bytes and never looks into them.
struct HistoryRow {
    std::uint16_t format = 1;
    std::uint32_t count = 0;  ///< Number of events.
    std::string bytes;
};

}  // namespace belay
