// The messages that one execution has got, and the waits of its code for them.
//
//   message       event                                   next
//   announced     it is applied, a wait has its channel   handed over to the first wait
//   announced     it is applied, no wait has it           buffered
//   announced     the code asks without waiting           buffered, early (recorded), also if the
//                                                         buffer is full
//   buffered      a wait for its channel begins           handed over
//   buffered      the code takes it without waiting       taken (recorded)
//   handed over   the code takes it                       taken
//   handed over   its wait is dropped                     handed over to the next wait, or buffered
//                                                         in its old place
//   handed over   the code has ended                      buffered, for the next execution
//
//   wait          event                                   next
//   waiting       a message is handed over to it          closed
//   waiting       the scheduler closes its command        closed
//
// Messages of a channel are handed over in the order in which they came, to waits in the order of
// their commands. Messages that come from the store are announced before the turn that applies
// them.
#pragma once

#include "base/boxed_optional.hpp"
#include "model/continued.hpp"
#include "replay/commands.hpp"
#include "replay/journal.hpp"
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::replay {

class Inbox {
public:
    Inbox(const Limits& limits, Journal& journal, Commands& commands) noexcept
        : limits_(limits), journal_(journal), commands_(commands) {}

    /// `message` stays where it is until it is applied or the turn ends.
    void announce(const NewMessage& message);
    /// True if the code got an announced message before it was applied.
    [[nodiscard]] bool took_early(const NewMessage& message) const noexcept;
    /// Called when it is this message's turn to be applied. Returns false if the code got it
    /// before.
    [[nodiscard]] bool begin_applying(const NewMessage& message) noexcept;
    /// Called when the turn has ended: no message is announced any more.
    void end_turn() noexcept { announced_.reset(); }

    /// Takes in a recorded message. Returns false if the buffer is full and no code waits for it.
    [[nodiscard]] bool receive(const model::MessageReceived& message);
    /// Starts a wait. It gets the first message of its channel, now or later.
    void begin_wait(const detail::OperationSpec& spec,
                    const std::shared_ptr<detail::Operation>& operation);
    /// Called when a wait, or any other command, is closed.
    void end_wait(CommandNo command) noexcept;
    /// Called when the code has taken the message that this wait was handed.
    void set_taken(CommandNo wait) noexcept { handed_over_.erase(wait); }
    /// Called when the code drops a wait. A message that it was handed, and that no code took, goes
    /// on.
    void pass_on(detail::Operation& wait);

    /// Takes the first message of a channel. Returns none if there is none.
    [[nodiscard]] std::optional<Payload> try_take(MessageKind kind, const std::string& name);
    /// The number of messages that `try_take` gives until the code waits.
    [[nodiscard]] std::size_t depth(MessageKind kind, const std::string& name);

    /// Returns a completion that is ready once a message of a channel is buffered. Code that waits
    /// for it has no wait of its own, so it records nothing. A channel has one at a time.
    [[nodiscard]] std::shared_ptr<detail::Completion> arrival(MessageKind kind,
                                                              const std::string& name);

    /// Called when the code has ended. Buffers messages that it was handed but did not take, for
    /// the next execution.
    void buffer_handed_over();
    /// Returns the buffered messages for the next execution. Those of one channel are in their
    /// order.
    [[nodiscard]] std::vector<model::CarriedMessage> carried() const;
    /// Takes over the buffer of the execution before.
    void take_over(std::vector<model::CarriedMessage> messages);

    /// The number of buffered messages, of all channels or of one.
    [[nodiscard]] std::size_t buffered() const noexcept { return buffered_count_; }
    [[nodiscard]] std::size_t buffered(MessageKind kind, const std::string& name) const;
    /// The number of messages that no code has taken yet, handed to a wait or not.
    [[nodiscard]] std::size_t untaken() const noexcept {
        return buffered_count_ + handed_over_.size();
    }
    /// Returns how many more messages it can be given if the code takes none of them.
    [[nodiscard]] std::size_t room() const noexcept {
        const std::size_t most = limits_.buffered_messages;
        return most - std::min(most, untaken());
    }
    /// True if the code asked for more messages than the buffer has room for, and has left too many
    /// there.
    [[nodiscard]] bool has_too_many() const noexcept { return has_too_many_; }
    /// Called when the execution is gone: futures of waits do nothing.
    void detach_all() noexcept;

private:
    using Channel = std::pair<MessageKind, std::string>;
    using Arrival = std::uint64_t;
    using Buffer = std::map<Channel, std::map<Arrival, Payload>>;

    struct Announced {
        const NewMessage* message;
        bool is_taken = false;
    };
    class FirstArrival final : public detail::Completion {};
    struct HandedOver {
        std::shared_ptr<detail::Operation> operation;
        Channel channel;
        Arrival arrival = 0;
    };

    void deliver(const Channel& channel, Arrival arrival, Payload payload);
    void give_to(const std::shared_ptr<detail::Operation>& wait,
                 const Channel& channel,
                 Arrival arrival,
                 Payload payload);
    void buffer(const Channel& channel, Arrival arrival, Payload payload);
    [[nodiscard]] std::pair<Arrival, Payload> take_first(Buffer::iterator from);
    [[nodiscard]] bool receive_early(MessageKind kind, const std::string& name);
    [[nodiscard]] std::optional<model::MessageReceived> next_early(MessageKind kind,
                                                                   const std::string& name);

    const Limits& limits_;
    Journal& journal_;
    Commands& commands_;
    base::BoxedOptional<std::deque<Announced>> announced_;  // During a turn.
    // By number of arrival: a message that is put back takes its old place.
    Buffer buffered_;
    std::size_t buffered_count_ = 0;
    bool has_too_many_ = false;
    Arrival arrivals_ = 0;
    std::map<CommandNo, HandedOver> handed_over_;
    // By command number: first asked, first served.
    std::map<Channel, std::map<CommandNo, std::shared_ptr<detail::Operation>>> waiting_;
    std::map<CommandNo, Channel> wait_channels_;
    // Closed ones only.
    std::map<Channel, std::shared_ptr<FirstArrival>> awaited_arrivals_;
};

}  // namespace belay::replay
