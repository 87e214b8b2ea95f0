// Asks the store if a notice about a lease is true.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/services.hpp"

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace belay::runtime {

/// Confirms notices that leases were stopped, one read at a time. A notice that comes during a read
/// goes into the next. This only saves time: the next renewal tells of a missed notice.
class StopCheck {
public:
    /// Called from `step` for each lease that is really over.
    using Over = std::function<void(LeaseToken)>;

    StopCheck(Services& services, Over over) : services_(services), over_(std::move(over)) {}

    void add(LeaseToken token, ActivityRef activity) { heard_.insert_or_assign(token, activity); }
    void remove(LeaseToken token) { heard_.erase(token); }

    /// Does one thing; false when there is nothing to do now.
    bool step() { return mailbox_.run_one() || ask(); }
    [[nodiscard]] std::optional<Millis> next_due() const;

private:
    using Leases = std::vector<std::pair<ActivityRef, LeaseToken>>;

    bool ask();
    void on_answer(const Leases& asked, const Result<CheckLeases::Answer>& result);

    Services& services_;
    Over over_;
    Mailbox mailbox_;
    std::map<LeaseToken, ActivityRef> heard_;  // And not asked about yet.
    bool in_flight_ = false;
    Millis ask_at_{0};
};

}  // namespace belay::runtime
