// Claims runs, takes their turns and commits them.
#pragma once

#include "runtime/commits.hpp"
#include "runtime/documents.hpp"
#include "runtime/inbox.hpp"
#include "runtime/lease_keeper.hpp"
#include "runtime/local_activities.hpp"
#include "runtime/residents.hpp"
#include "runtime/services.hpp"
#include "runtime/turn_run.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace belay::runtime {

struct TurnOptions {
    std::uint32_t slots = 64;        ///< Claimed turns under way at once.
    std::size_t residents = 10'000;  ///< Executions kept between turns.
    bool share_commits = true;       ///< Fuse turns with their causes, and hand activities over.
};

/// Life of a turn here:
///
///     claimed -> (history read) -> running -> committing -> resident again
///        |                            |            |
///        |                            |            +-> refused: destroyed
///        |                            +-> code and history disagree: held
///        |                            +-> past its limit: given up and given back; held the
///        |                                second time
///        +-> nobody's code here, or not the keys to read it: given back with a delay
///        +-> poison: failed
///
/// A turn runs elsewhere (TurnExecutor), perhaps for long: here its lock is kept as long as it is
/// within its limit. It has its execution and its claim for itself until it is over, or given up.
///
/// A turn needs no claim if its cause is here as well: a client of this process starts the run, or
/// the run is resident and its activities end here. Such a turn is *fused* with its cause into one
/// commit. If that is refused, others are at work on the run too. Then the cause is committed by
/// itself, and any process may claim the turn. A start whose first turn takes long is committed by
/// itself as well, so that its client hears of it. It brings a lock, under which the turn goes on
/// like a claimed one.
///
/// A refused execution has run past history, so it cannot go on. One refused for a limit fails.
class TurnDispatcher final : public LocalTurns {
public:
    TurnDispatcher(Services& services,
                   LeaseKeeper& keeper,
                   Commits& commits,
                   LocalActivities& activities,
                   TurnExecutor& executor,
                   TurnOptions options);
    TurnDispatcher(const TurnDispatcher&) = delete;
    TurnDispatcher& operator=(const TurnDispatcher&) = delete;
    ~TurnDispatcher() override;

    /// Does one thing; false when there is nothing to do now.
    bool step();
    /// Asks for runs when there may be some and slots are free; false if not.
    bool claim();
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// True if turns are under way that will soon be over, and can share a commit with those that
    /// wait.
    [[nodiscard]] bool expects_more() const {
        return !running_.empty() && executor_.expects_ends();
    }

    /// Commits a transition that is nothing but a Start, with the first turn of the run if its code
    /// is here. An error of the store is answered, not tried again. Any thread; `done` is called
    /// from `step`.
    void start(Transition transition, std::function<void(Answer)> done);
    [[nodiscard]] bool take_on(Finished& finished) override;

    /// There may be something to claim. Any thread.
    void wake();
    /// Its resident, if there is one, is of no more use. Any thread.
    void forget_ended(RunRef run);
    /// Claims nothing more. Turns that run are given up after the grace period.
    void shut_down();
    [[nodiscard]] bool idle() const {
        return jobs_.empty() && gathered_.empty() && !claiming_ && starts_.empty();
    }
    /// Drops the least recently used resident; false if there is none.
    bool evict_one() { return residents_.evict_oldest(); }

private:
    struct Job {
        ClaimedInstance claim;  // For a fused turn: as a claim would have told it.
        Documents::Code code;
        Resident resident;
        bool claimed = false;
        bool turn = false;  // The commit is a turn, not an ending or giving back.
        Millis sent_at{0};
        // Logged once the store has set the run aside. It refuses if the run was deleted or taken
        // over while its history was read, and then nothing is wrong with it.
        std::string complaint;
        // The causes that it is fused with.
        std::vector<Finished> finished;
        std::function<void(Answer)> started;
        Transition cause;  // Sent with it.
        // Its start was sent by itself, and is not answered yet. `reached`: the turn's result
        // meanwhile.
        bool awaits_lock = false;
        TurnRun::Reached reached;
        // While it runs; then `claim`, `finished` and the resident's execution are there.
        std::shared_ptr<TurnRun> run;
        Millis handed_out_at{0};
        Millis used{0};                 // Time that runs before this one used.
        std::optional<Millis> look_at;  // Its time may be over then.
    };
    using Schedule = std::set<std::pair<Millis, LeaseToken>>;

    // Claiming.
    void on_claimed(Millis sent_at, Result<ClaimInstances::Answer> result);
    void begin(ClaimedInstance claim, Millis sent_at);
    void keep_lock(Job& job, RunRef run, LeaseToken token, Millis sent_at);
    [[nodiscard]] static const ClaimedInstance& claim_of(const Job& job);
    void on_lock_lost(LeaseToken token, StopReason reason);
    void prepare(Job& job);
    void prepare_document(Job& job);
    void on_document(LeaseToken token, Result<ReadDocument::Answer> result);
    void lacks_code(Job& job, const std::string& what);
    void go_on_with(Job& job, Documents::Code code);
    /// Returns the code of a run that is started here; null if it is not in memory.
    [[nodiscard]] Documents::Code code_of(const Start& start);
    [[nodiscard]] std::unique_ptr<replay::Execution> new_execution(const Job& job) const;
    [[nodiscard]] bool knows_all_messages(Job& job);
    void read_history(Job& job);
    void on_history(LeaseToken token, Result<ReadHistory::Answer> result);
    void not_read(Job& job, const std::string& what, const Error& why);
    void history_ends(Job& job);
    void cannot_read(Job& job, const Error& why);
    [[nodiscard]] bool may_fit_others(const ClaimedInstance& claim) const;
    void set_aside(Job& job, const Error& why);
    void hold(Job& job, FailureKind kind, const std::string& why);
    void give_back(Job& job, Millis delay, CountAttempt count, AbandonReason reason);
    void give_back_without_code(Job& job);
    void fail(Job& job, Failure failure);
    void finish(Job& job, Outcome outcome);

    // Fusing.
    bool take_on_one();
    bool fuse_one();
    void go_on_gathering(RunKey run);
    void report_all(std::vector<Finished> finished);
    void begin_start(Transition transition, std::function<void(Answer)> done);
    void start_alone(Job& job);
    void on_started_alone(RunRef run, LeaseToken token, Millis sent_at, const Answer& answer);

    // turn_limits.cpp: turns that run.
    void hand_out(Job& job, std::vector<RecordedRow> history = {});
    void on_run(LeaseToken token, const std::shared_ptr<TurnRun>& run);
    void go_on_after(Job& job, TurnRun::Reached reached);
    void take_back(Job& job);
    void set_look_at(Job& job, std::optional<Millis> at);
    bool give_up_late();
    [[nodiscard]] Millis ends_at(const Job& job) const;
    [[nodiscard]] Millis next_look(const Job& job) const;
    [[nodiscard]] bool let_go(Job& job);
    void discard(Job& job);
    void give_up(Job& job);
    void after_overrun(Job& job);
    void unfuse(Job& job, Resident left);

    // turn_drops.cpp: executions that turns left behind.
    void drop(std::unique_ptr<replay::Execution> execution);
    bool give_up_dropped();

    // Committing them.
    [[nodiscard]] Turn turn_of(const Job& job, TurnRun::Reached reached);
    void submit_turn(Job& job, TurnRun::Reached reached);
    void submit(Job& job, Part part);
    void submit(Job& job, Transition transition, Retry retry = Retry::yes);
    void lease_to_self(Turn& turn);
    void on_committed(LeaseToken token, Transition& sent, const Answer& answer);
    void on_turn_committed(Job& job, Turn& turn, const Answer& answer);
    void on_refused(Job& job, const Error& error);
    void on_fused_refused(Job& job, Transition& sent, const Answer& answer);
    void keep_resident(Job& job);
    void forget(LeaseToken token);

    Services& services_;
    LeaseKeeper& keeper_;
    Commits& commits_;
    LocalActivities& activities_;
    TurnExecutor& executor_;
    TurnOptions options_;
    Mailbox mailbox_;
    Mailbox starts_;
    bool starts_first_ = false;
    Residents residents_;
    Documents documents_;
    std::vector<ClaimInstances::Code> code_;  // The code that is here.
    std::map<LeaseToken, Job> jobs_;
    std::uint32_t claimed_ = 0;  // The jobs that were claimed.
    Schedule running_;           // The jobs whose turn runs: their time may be over then.
    // Being destroyed; their time may be over then.
    std::multimap<Millis, std::shared_ptr<DroppedExecution>> dropped_;
    // Activities that ended here and wait for a fused turn of their run: one to be taken, in
    // `to_fuse_`, or the one after that which is being committed.
    std::unordered_map<RunKey, std::vector<Finished>> gathered_;
    std::deque<RunKey> to_fuse_;
    std::atomic<bool> woken_ = true;
    bool claiming_ = false;
    bool shutting_down_ = false;
    Millis shut_down_by_{0};
    Millis poll_at_{0};
};

}  // namespace belay::runtime
