// Claims runs, takes their turns and commits them.
#pragma once

#include "runtime/commits.hpp"
#include "runtime/inbox.hpp"
#include "runtime/lease_keeper.hpp"
#include "runtime/local_activities.hpp"
#include "runtime/residents.hpp"
#include "runtime/services.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace belay::runtime {

struct TurnOptions {
    std::uint32_t slots = 64;        ///< Claimed turns under way at once.
    std::size_t residents = 10'000;  ///< Executions kept between turns.
    bool share_commits = true;       ///< Fuse turns with their causes, and hand activities over.
};

/// Life of a turn here:
///
///     claimed -> (history read) -> taken -> committing -> resident again
///        |             |                        |
///        |             |                        +-> refused: destroyed
///        |             +-> code and history disagree: held
///        +-> nobody's code here, or not the keys to read it: given back with a delay
///        +-> poison: failed
///
/// A turn whose cause is here as well needs no claim: that of a run that a client of this process
/// starts, and that of a resident whose activities end here. It is *fused* with its cause into one
/// commit. When that is refused, others are at work on the run too: then the cause is committed by
/// itself, and the turn is claimed by whoever comes first.
///
/// A refused execution has run past history, so it cannot go on. One refused for a limit fails.
class TurnDispatcher final : public LocalTurns {
public:
    TurnDispatcher(Services& services,
                   LeaseKeeper& keeper,
                   Commits& commits,
                   LocalActivities& activities,
                   TurnOptions options);

    /// Does one thing; false when there is nothing to do now.
    bool step();
    /// Asks for runs when there may be some and slots are free; false if not.
    bool claim();
    [[nodiscard]] std::optional<Millis> next_due() const;

    /// Commits a transition that is nothing but a Start, with the first turn of the run if its code
    /// is here. An error of the store is answered, not tried again. Any thread; `done` is called
    /// from `step`.
    void start(Transition transition, std::function<void(Answer)> done);
    [[nodiscard]] bool take_on(Finished& finished) override;

    /// There may be something to claim. Any thread.
    void wake();
    /// Its resident, if there is one, is of no more use. Any thread.
    void forget_ended(RunRef run);
    /// Claims nothing more.
    void shut_down() { shutting_down_ = true; }
    [[nodiscard]] bool idle() const {
        return jobs_.empty() && gathered_.empty() && !claiming_ && starts_.empty();
    }
    /// Drops the least recently used resident; false if there is none.
    bool evict_one() { return residents_.evict_oldest(); }

private:
    struct Job {
        ClaimedInstance claim;  // Of a fused turn: what a claim would have said.
        const RegisteredOrchestration* code = nullptr;
        Resident resident;
        bool claimed = false;
        bool turn = false;  // The commit is a turn, not an ending or giving back.
        Millis sent_at{0};
        // What it is fused with.
        std::vector<Finished> finished;
        std::function<void(Answer)> started;
    };

    // Claiming.
    void on_claimed(Millis sent_at, Result<ClaimInstances::Answer> result);
    void begin(ClaimedInstance claim, Millis sent_at);
    void prepare(Job& job);
    [[nodiscard]] std::unique_ptr<replay::Execution> new_execution(const Job& job) const;
    void read_history(Job& job);
    void on_history(LeaseToken token, const Result<ReadHistory::Answer>& result);
    void cannot_read(Job& job, const Error& why);
    [[nodiscard]] bool may_fit_others(const ClaimedInstance& claim) const;
    void set_aside(Job& job, const Error& why);
    void give_back(Job& job, Millis delay, CountAttempt count, AbandonReason reason);
    void give_back_for_want_of_code(Job& job);
    void fail(Job& job, Failure failure);
    void finish(Job& job, Outcome outcome);

    // Fusing.
    bool take_on_one();
    bool fuse_one();
    void go_on_gathering(RunKey run);
    void report_all(std::vector<Finished> finished);
    void begin_start(Transition transition, std::function<void(Answer)> done);

    // Taking turns and committing them.
    void take_turn(Job& job);
    [[nodiscard]] Turn turn_of(Job& job);
    void submit(Job& job, Part part);
    void submit(Job& job, Transition transition, Retry retry = Retry::yes);
    void hand_over(Turn& turn);
    void on_committed(LeaseToken token, Transition& sent, const Answer& answer);
    void on_turn_committed(Job& job, Turn& turn, const Answer& answer);
    void on_refused(Job& job, const Error& error);
    void on_fused_refused(Job& job, Transition& sent, const Answer& answer);
    void keep(Job& job);
    void forget(LeaseToken token);

    Services& services_;
    LeaseKeeper& keeper_;
    Commits& commits_;
    LocalActivities& activities_;
    TurnOptions options_;
    Mailbox mailbox_;
    Mailbox starts_;
    bool starts_first_ = false;
    Residents residents_;
    std::vector<ClaimInstances::Code> code_;  // That is here.
    std::map<LeaseToken, Job> jobs_;
    std::uint32_t claimed_ = 0;  // Of those.
    // Activities that ended here and wait for a fused turn of their run: one to be taken, in
    // `to_fuse_`, or the one after that which is being committed.
    std::unordered_map<RunKey, std::vector<Finished>> gathered_;
    std::deque<RunKey> to_fuse_;
    std::atomic<bool> woken_ = true;
    bool claiming_ = false;
    bool shutting_down_ = false;
    Millis poll_at_{0};
};

}  // namespace belay::runtime
