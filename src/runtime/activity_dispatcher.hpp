// Claims activities, has them run, and reports how they ended.
#pragma once

#include "runtime/commits.hpp"
#include "runtime/inbox.hpp"
#include "runtime/lease_keeper.hpp"
#include "runtime/local_activities.hpp"
#include "runtime/services.hpp"
#include "runtime/stop_check.hpp"
#include <belay/detail/output_buffer.hpp>
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

/// The number of activities that run at once here, and their queues.
struct ActivityOptions {
    std::uint32_t slots = 16;
    std::vector<std::string> queues{std::string()};
    bool any_queue = false;
    std::uint32_t sessions = kAnyNumberOfSessions;
};

/// Life of an activity here:
///
///     claimed, or handed over by a turn
///        |
///     running -> reporting, by itself or with the turn it causes -> (gone)
///        |
///        +-> stopping -> ended: acked with none if canceled, given back on shutdown, failed if
///               |               its time was over, nothing if the lease was lost (another worker
///               |               has it)
///               +-> grace over: ended by force, then as above; or abandoned
///
/// Activities of the engine itself have slots of their own. While all other slots are taken, only
/// these are claimed.
///
/// It claims only activities that the executor can begin now or very soon. A function that has not
/// begun after a while is given back, for others to take.
class ActivityDispatcher final : public LocalActivities {
public:
    ActivityDispatcher(Services& services,
                       LeaseKeeper& keeper,
                       Commits& commits,
                       ActivityExecutor& executor,
                       ActivityOptions options);
    ActivityDispatcher(const ActivityDispatcher&) = delete;
    ActivityDispatcher& operator=(const ActivityDispatcher&) = delete;
    ~ActivityDispatcher() override;

    /// From now on, turns of `turns` may share commits with activities that end here. Default:
    /// none.
    void share_commits_with(LocalTurns& turns) { turns_ = &turns; }

    /// Does one thing; false when there is nothing to do now.
    bool step();
    /// Asks for work when there may be some and slots are free; false if not.
    bool claim();
    /// Begins the claimed activities, and claims more if the store has told that there are some.
    bool claim_told();
    [[nodiscard]] std::optional<Millis> next_due() const;

    /// There may be something to claim. Any thread.
    void wake();
    /// The store answered that these leases were taken away. Any thread; unknown tokens are
    /// ignored.
    void stop_leases(std::vector<LeaseToken> tokens) override;
    /// These leases are said to have been taken away. The store is asked, and activities whose
    /// lease it still has go on. Any thread; unknown tokens are ignored.
    void check_leases(std::vector<LeaseToken> tokens);
    /// Claims nothing more, asks everything to stop and gives it back; then lets go of its
    /// sessions.
    void shut_down();
    [[nodiscard]] bool idle() const noexcept {
        return holds_nothing() && !(shutting_down_ && session_holder_);
    }

    [[nodiscard]] std::optional<NewActivity::HandOver> reserve(
        const NewActivity& activity) override;
    void begin_reserved(ClaimedActivity claim, Millis sent_at) override;
    void release(LeaseToken token) override;
    void recorded(LeaseToken token) override;
    void report(Finished finished) override;

private:
    /// Output that was taken from a handler and is perhaps not kept yet.
    struct Unsaved {
        std::vector<OutputChunk> chunks;
        std::uint64_t before = 0;      // Chunks before these, which are kept.
        std::size_t sent = 0;          // The first ones of these, which are being committed.
        bool more = false;             // There is more to take when they are.
        std::uint64_t lost_bytes = 0;  // Output that could not be written ...
        std::uint64_t lost_lines = 0;  // ... and that the next chunk tells of.
        std::string source;
        bool complained = false;  // It cannot be written, and that was reported.
    };
    struct Running {
        ClaimedActivity claim;
        std::shared_ptr<ActivityTask> task;  // None: it was never begun, or has ended.
        StopReason stop = StopReason::none;
        std::optional<Millis> abandon_at;
        std::optional<Millis> begun_by;  // Given back if nothing of it has run by then.
        Millis begun_at{0};
        std::optional<Millis> look_at;  // Its time may be over then.
        std::string late;               // Its time is over: how.
        std::optional<Millis> tell_at;  // Its progress is written then.
        std::optional<Millis> told_at;  // The last time of that.
        bool given_up = false;          // It has not ended, and nobody waits for it.
        std::uint32_t kept = 0;         // The number of times that its end could not be encoded.
        std::shared_ptr<detail::OutputBuffer> output;  // None: it was never begun, or has ended.
        Unsaved unsaved;
    };
    /// The time until which an attempt may go on, and the failure after that.
    struct Bound {
        Millis at{0};
        std::string late;
    };
    using Schedule = std::set<std::pair<Millis, LeaseToken>>;

    void ask_for(std::uint32_t count, bool engine_only);
    [[nodiscard]] bool claim_for_engine();
    void on_claimed(Millis sent_at, bool engine_only, Result<ClaimActivities::Answer> result);
    void drop_early();
    void begin(ClaimedActivity claim, Millis sent_at);
    void check(LeaseToken token);
    void give_back_unregistered(const ClaimedActivity& claimed);
    void report_lease_lost(const ClaimedActivity& claim);
    void report_refused(const Running& running, const Answer& answer);
    void cannot_read(const Running& running, const Error& why);
    void run(Running& running, const ActivityHandler& handler);
    void on_ended(LeaseToken token, const ActivityResult& result);
    void stop(LeaseToken token, StopReason reason);
    bool abandon_overdue();
    bool give_back_waiting();
    bool release_sessions();
    /// One whose executor has let go of it before it began.
    void give_back_unbegun(Running& running);
    void set_begun_by(Running& running, std::optional<Millis> at);
    void set_abandon_at(Running& running, std::optional<Millis> at);
    /// It has ended, or is not waited for any more.
    void drop_task(Running& running);

    // activity_times.cpp: timeouts and progress.
    void watch(Running& running);
    [[nodiscard]] std::optional<Bound> bound_of(const Running& running) const;
    bool stop_late();
    bool tell_progress();
    void on_beat(LeaseToken token);
    /// Returns the last progress of its handler that is perhaps not written yet.
    [[nodiscard]] std::optional<Payload> unwritten(const Running& running) const;
    /// Writes that of one that is not waited for any more, and lets go of it.
    void tell_last(Running& running, Payload progress);
    void set_look_at(Running& running, std::optional<Millis> at);
    void set_tell_at(Running& running, std::optional<Millis> at);
    void report_late(const Running& running);

    // activity_output.cpp
    [[nodiscard]] std::shared_ptr<detail::OutputBuffer> make_output(LeaseToken token);
    void on_output(LeaseToken token, bool full);
    bool write_output();
    void write_output(Running& running);
    void on_written(LeaseToken token, const Answer& answer);
    /// Drops the first chunks, which cannot be written.
    void give_up_output(Running& running, std::size_t count, const Error& why);
    /// Takes all that its handler has written, and closes its buffer.
    static void end_output(Running& running);
    static void take_output(Running& running);
    /// Returns the output that goes along with its end.
    [[nodiscard]] std::optional<AppendOutput> output_of(const Running& running) const;

    void finish(const Running& running, NewMessage completion);
    void send(LeaseToken token, Part part);
    void report_failure(const Running& running, Failure failure);
    void report_limit(const Running& running, std::string message);
    void on_reported(LeaseToken token, const Transition& sent, const Answer& answer);
    void keep_unwritable(Running& running, const Transition& end, const Error& why);
    void forget(LeaseToken token);

    [[nodiscard]] bool claiming() const noexcept { return asked_ > 0 || asked_for_engine_; }
    [[nodiscard]] bool holds_nothing() const noexcept {
        return running_.empty() && expected_.empty() && engine_expected_.empty() && !claiming();
    }
    [[nodiscard]] bool is_expected(LeaseToken token) const {
        return expected_.contains(token) || engine_expected_.contains(token);
    }
    [[nodiscard]] std::uint32_t free_slots() const;
    [[nodiscard]] std::uint32_t free_engine_slots() const;
    [[nodiscard]] bool is_of_engine(const std::string& activity) const;
    [[nodiscard]] bool can_reserve(ActivityKind kind) const;
    /// The time at which activities of the engine are claimed while all other slots are taken.
    [[nodiscard]] Millis engine_due() const;
    [[nodiscard]] bool serves(const std::string& queue) const;

    Services& services_;
    LeaseKeeper& keeper_;
    Commits& commits_;
    ActivityExecutor& executor_;
    ActivityOptions options_;
    std::shared_ptr<const std::vector<std::string>> names_;  // The activities with code here ...
    std::vector<ActivityKind> kinds_;                        // ... and their kinds.
    std::vector<std::string> engine_names_;                  // Those of the engine itself.
    LocalTurns* turns_ = nullptr;
    Mailbox mailbox_;
    Mailbox claims_;  // Answers to them.
    StopCheck stop_check_;
    std::map<LeaseToken, Running> running_;
    std::set<LeaseToken> expected_;  // Reserved: a turn that hands them over is being committed.
    std::set<LeaseToken> engine_expected_;  // The same for those of the engine ...
    std::set<LeaseToken> engine_running_;   // ... and those of running_ that are the engine's.
    Schedule overdue_;                      // Asked to stop: abandoned then.
    Schedule waiting_;                      // With the executor, perhaps not begun.
    Schedule bounded_;                      // Their time may be over then.
    Schedule telling_;                      // Their progress is written then.
    std::set<LeaseToken> writing_;          // They have output that was not taken ...
    std::optional<Millis> write_at_;        // ... and that is taken then.
    Millis wrote_at_ = Millis::min();
    // Canceled, or said to be, while a claim or a hand-over is under way; perhaps its own.
    std::set<LeaseToken> stopped_early_;
    std::set<LeaseToken> heard_early_;
    std::atomic<bool> woken_ = true;
    std::uint32_t asked_ = 0;        // For how many, by the claim that is under way.
    bool asked_for_engine_ = false;  // That claim is for activities of the engine only.
    std::atomic<bool> engine_woken_ = true;
    bool shutting_down_ = false;
    std::optional<std::uint64_t> session_holder_;  // The holder in its tokens, if it has or had
                                                   // sessions.
    Millis poll_at_{0};
    Millis engine_poll_at_{0};
    Millis engine_asked_at_;
};

}  // namespace belay::runtime
