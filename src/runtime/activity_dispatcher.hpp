// Claims activities, has them run, and reports how they ended.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/lease_keeper.hpp"
#include "runtime/services.hpp"
#include "runtime/stop_check.hpp"
#include <belay/executor.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace belay::runtime {

/// How many activities run at once here, and from which queues.
struct ActivityOptions {
    std::uint32_t slots = 16;
    std::vector<std::string> queues{std::string()};
    bool any_queue = false;
};

/// Life of an activity here:
///
///     claimed -> running -> reporting -> (gone)
///                   |
///                   +-> stopping -> ended: acked with none if canceled, given back on shutdown,
///                          |               nothing if the lease was lost (another worker has it)
///                          +-> grace over: ended by force, then as above; or abandoned
///
/// It claims only what its free slots start now.
class ActivityDispatcher {
public:
    ActivityDispatcher(Services& services,
                       LeaseKeeper& keeper,
                       ActivityExecutor& executor,
                       ActivityOptions options);

    /// Does one thing; false when there is nothing to do now.
    bool step();
    [[nodiscard]] std::optional<Millis> next_due() const;

    /// There may be something to claim. Any thread.
    void wake();
    /// The store answered that these leases were taken away. Any thread; unknown tokens are
    /// ignored.
    void stop_leases(std::vector<LeaseToken> tokens);
    /// These leases are said to have been taken away: the store is asked, and what it still holds
    /// goes on. Any thread; unknown tokens are ignored.
    void check_leases(std::vector<LeaseToken> tokens);
    /// Claims nothing more, asks everything to stop and gives it back.
    void shut_down();
    [[nodiscard]] bool idle() const noexcept { return running_.empty() && !claiming_; }

private:
    struct Running {
        ClaimedActivity claim;
        std::shared_ptr<ActivityTask> task;  // None: it was never begun, only its report is sent.
        StopReason stop = StopReason::none;
        std::optional<Millis> abandon_at;
        std::optional<Transition> report;  // Sent, and to be sent again if need be.
        std::optional<Millis> report_at;
        bool in_flight = false;
    };

    bool claim();
    void on_claimed(Millis sent_at, Result<ClaimActivities::Answer> result);
    void begin(ClaimedActivity claim, Millis sent_at, bool canceled);
    void check(LeaseToken token);
    void run(Running& running, const ActivityHandler& handler);
    void on_ended(LeaseToken token, const ActivityResult& result);
    void stop(LeaseToken token, StopReason reason);
    bool send_reports();
    bool abandon_overdue();
    void report(Running& running, Part part);
    void report_failure(Running& running, Failure failure);
    void report_limit(Running& running, std::string message);
    void on_reported(LeaseToken token,
                     const Result<std::vector<Answer>>& result,
                     std::size_t index);
    void forget(LeaseToken token);

    Services& services_;
    LeaseKeeper& keeper_;
    ActivityExecutor& executor_;
    ActivityOptions options_;
    Mailbox mailbox_;
    StopCheck stop_check_;
    std::map<LeaseToken, Running> running_;
    // Canceled, or said to be, while a claim is under way; perhaps its own.
    std::set<LeaseToken> stopped_early_;
    std::set<LeaseToken> heard_early_;
    std::atomic<bool> woken_ = true;
    bool claiming_ = false;
    bool shutting_down_ = false;
    Millis poll_at_{0};
};

}  // namespace belay::runtime
