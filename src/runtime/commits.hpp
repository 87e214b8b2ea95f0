// Transitions of the dispatchers, on their way to the store.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/services.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace belay::runtime {

/// The reaction to a store that fails, or does not know whether it applied the transition.
enum class Retry : std::uint8_t {
    yes = 1,  ///< Send it again, identical: it carries its commit id, or its row is the fence, so
              ///< it is applied once at most.
    no = 2,   ///< The sender is told, and decides.
};

/// True if the same transition will always be refused with this code, by the store or by a coder in
/// front of it. (`limit_exceeded` is not one: the run can be told of it. `unreadable` is not one: a
/// coder lacks a key that it may have later, or elsewhere.)
[[nodiscard]] constexpr bool is_permanent(Errc code) noexcept {
    return code == Errc::invalid_argument || code == Errc::unsupported || code == Errc::corrupt;
}

/// Sends transitions in batches, so that many share one sync.
class Commits {
public:
    /// Told once how it ended: done, refused, or failed for good. Called from `step`, with the
    /// transition as it was sent.
    using Ended = std::function<void(Transition&, const Answer&)>;
    /// Called from `step` just before it is sent for the first time.
    using Prepare = std::function<void(Transition&)>;

    explicit Commits(Services& services) : services_(services), traits_(services.store.traits()) {}

    /// Sent at one of the next steps.
    void send(Transition transition,
              Ended ended,
              Retry retry = Retry::yes,
              Prepare prepare = nullptr);
    /// One part, with a fresh commit id and the terms of this process.
    void send(Part part, Ended ended);
    /// Sent when that time has passed.
    void send_later(Transition transition, Millis delay, Ended ended);

    /// Handles an answer; returns false if there is none. Answers come before new work, and sending
    /// after it: decisions in between share a batch.
    bool handle_answer();
    /// Sends all that waits. Returns false if there is nothing to send, or if it would only have to
    /// wait in the store.
    bool flush();
    /// True if enough is waiting for a batch of its own; less is enough if the store has nothing to
    /// do.
    [[nodiscard]] bool full() const noexcept {
        return waiting_.size() >=
               (unanswered_ == 0 ? traits_.batch_worth_sending : traits_.batch_full);
    }
    /// True if nothing is to be sent, and every answer has been handled.
    [[nodiscard]] bool idle() const noexcept {
        return waiting_.empty() && again_.empty() && answered_.empty() && unanswered_ == 0;
    }
    /// False while a transition could not be sent at once. A decision that gains by being late
    /// waits until this is true.
    [[nodiscard]] bool can_send() const noexcept { return unanswered_ < traits_.commits_at_once; }
    [[nodiscard]] std::optional<Millis> next_due() const;

private:
    struct Item {
        Transition transition;
        Ended ended;
        Retry retry;
        Prepare prepare;
    };
    /// Items that were sent, without their transitions: the store has those until it answers.
    struct Batch {
        std::vector<Item> items;
        std::shared_ptr<std::vector<Transition>> transitions;
    };

    [[nodiscard]] std::vector<Item> take_waiting();
    void on_answers(Batch& batch, Result<std::vector<Answer>> result);
    void on_answer(Item item, const Answer& answer);
    void report_failed(std::size_t count, const Error& error);
    void report_some(const std::vector<Item>& items, const std::vector<Answer>& answers);

    Services& services_;
    const StoreTraits traits_;
    Mailbox mailbox_;
    std::vector<Item> waiting_;
    std::uint32_t unanswered_ = 0;                  // Batches.
    std::deque<std::pair<Item, Answer>> answered_;  // And not yet handled.
    std::multimap<Millis, Item> again_;             // By when.
};

}  // namespace belay::runtime
