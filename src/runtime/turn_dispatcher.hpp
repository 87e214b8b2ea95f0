// Claims runs, takes their turns and commits them.
#pragma once

#include "runtime/inbox.hpp"
#include "runtime/lease_keeper.hpp"
#include "runtime/residents.hpp"
#include "runtime/services.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace belay::runtime {

struct TurnOptions {
    std::uint32_t slots = 64;        ///< Turns under way at once.
    std::size_t residents = 10'000;  ///< Executions kept between turns.
};

/// Life of a turn here:
///
///     claimed -> (history read) -> taken -> committing -> resident again
///        |             |                        |
///        |             |                        +-> refused: destroyed
///        |             +-> code and history disagree: held
///        +-> nobody's code here: given back with a delay
///        +-> poison: failed
///
/// A refused execution has run past history, so it cannot go on. One refused for a limit fails.
class TurnDispatcher {
public:
    /// Told which leases a committed turn took away.
    using Stopped = std::function<void(const std::vector<LeaseToken>&)>;

    TurnDispatcher(Services& services, LeaseKeeper& keeper, TurnOptions options, Stopped stopped);

    /// Does one thing; false when there is nothing to do now.
    bool step();
    [[nodiscard]] std::optional<Millis> next_due() const;

    /// There may be something to claim. Any thread.
    void wake();
    /// Its resident, if there is one, is of no more use. Any thread.
    void forget_ended(RunRef run);
    /// Claims nothing more.
    void shut_down() { shutting_down_ = true; }
    [[nodiscard]] bool idle() const noexcept { return jobs_.empty() && !claiming_; }
    /// Drops the least recently used resident; false if there is none.
    bool evict_one() { return residents_.evict_oldest(); }

private:
    struct Job {
        ClaimedInstance claim;
        const RegisteredOrchestration* code = nullptr;
        std::unique_ptr<replay::Execution> execution;
        std::optional<Transition> commit;
        std::optional<Millis> commit_at;  // When to send it (again).
        bool in_flight = false;
        bool turn = false;  // The commit is a turn, not an ending or giving back.
    };

    bool claim();
    void on_claimed(Millis sent_at, Result<ClaimInstances::Answer> result);
    void begin(ClaimedInstance claim, Millis sent_at);
    void prepare(Job& job);
    void read_history(Job& job);
    void on_history(LeaseToken token, const Result<ReadHistory::Answer>& result);
    void take_turn(Job& job);
    void set_aside(Job& job, const Error& why);
    void give_back(Job& job, Millis delay, CountAttempt count, AbandonReason reason);
    void fail(Job& job, Failure failure);
    void finish(Job& job, Outcome outcome);
    void submit(Job& job, Part part, bool turn);
    bool send_commits();
    void on_committed(LeaseToken token,
                      const Result<std::vector<Answer>>& result,
                      std::size_t index);
    void on_refused(Job& job, const Error& error);
    void forget(LeaseToken token);

    Services& services_;
    LeaseKeeper& keeper_;
    TurnOptions options_;
    Stopped stopped_;
    Mailbox mailbox_;
    Residents residents_;
    std::map<LeaseToken, Job> jobs_;
    std::atomic<bool> woken_ = true;
    bool claiming_ = false;
    bool shutting_down_ = false;
    Millis poll_at_{0};
};

}  // namespace belay::runtime
