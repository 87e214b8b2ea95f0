// Between the processes and the store: calls and notifications under way.
#pragma once

#include "simulation/world/clocks.hpp"
#include "simulation/world/report.hpp"
#include <belay/error.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

/// The other end of the transport: a process or a client.
using EndpointNo = std::uint32_t;

/// The fate of a call. Decided when it is sent.
struct CallPlan {
    Millis until_applied{0};
    Millis until_answered{0};  ///< From when it was applied.
    bool apply = true;
    std::optional<Errc> answer_with;  ///< Instead of the true answer.
};

/// A call to the store: sent, then applied, then answered; a process can die in between.
struct StoreCall {
    std::uint64_t serial = 0;
    EndpointNo sender = 0;
    std::string what;  ///< Only when there is a trace.
    Millis apply_at{0};
    Millis answer_at{0};
    CallPlan plan;
    bool applied = false;
    bool sender_lives = true;
    std::function<void()> apply;
    /// Hands over the true answer, or this error instead of it.
    std::function<void(std::optional<Error>)> answer;
};

struct Notice {
    EndpointNo receiver = 0;
    Millis deliver_at{0};
    std::string what;
    std::function<void()> deliver;
};

/// Holds calls and notifications under way. It does nothing by itself: the scheduler decides.
class Transport {
public:
    using Planner = std::function<CallPlan(EndpointNo)>;

    Transport(const VirtualTime& time, Trace& trace) : time_(time), trace_(trace) {}

    /// Sets the fate of calls from now on. Without a planner they are due at once and succeed.
    void plan_with(Planner planner) { planner_ = std::move(planner); }

    void send(EndpointNo sender,
              std::string what,
              std::function<void()> apply,
              std::function<void(std::optional<Error>)> answer);
    void send(Notice notice) { notices_.push_back(std::move(notice)); }

    [[nodiscard]] const std::vector<std::unique_ptr<StoreCall>>& calls() const noexcept {
        return calls_;
    }
    [[nodiscard]] const std::vector<Notice>& notices() const noexcept { return notices_; }

    [[nodiscard]] static bool to_apply(const StoreCall& call) { return !call.applied; }
    [[nodiscard]] bool is_due(const StoreCall& call) const {
        return (call.applied ? call.answer_at : call.apply_at) <= time_.now();
    }

    /// Lets the call reach the store (or get lost on the way). If nobody waits for the answer, the
    /// call is over.
    void apply(StoreCall& call);
    /// Answers an applied call; it is over.
    void answer(StoreCall& call);
    void deliver(std::size_t notice);

    /// The sender is gone: nobody is answered. `keep` says which of its calls still reach the
    /// store.
    void cut_off(EndpointNo sender, const std::function<bool(const StoreCall&)>& keep);
    /// Ends long delays: all calls under way are due soon.
    void hurry();
    /// The earliest time at which something under way is due.
    [[nodiscard]] std::optional<Millis> next_due() const;

private:
    void remove(const StoreCall& call);

    const VirtualTime& time_;
    Trace& trace_;
    Planner planner_;
    std::uint64_t last_serial_ = 0;
    std::vector<std::unique_ptr<StoreCall>> calls_;
    std::vector<Notice> notices_;
};

}  // namespace belay::sim
