// One transition at work on a state.
#pragma once

#include "naive/state.hpp"
#include "store/listeners.hpp"

#include <set>

namespace belay::naive {

/// Thrown by a guard.
struct Refusal {
    Error error;
    std::optional<InstanceBrief> instance{};
    bool input_differs = false;
};
[[noreturn]] void refuse(Errc code,
                         std::string why,
                         std::optional<InstanceBrief> instance = std::nullopt);
/// Refuses what a check says.
void demand(const Result<void>& checked);
/// Refuses what makes no sense.
void demand(bool sensible, const char* why);
void check_names(const NewInstance& about);
void check_version(const std::string& version);
/// The members of an outcome that mean something by its status.
[[nodiscard]] Outcome meaning(const Outcome& outcome);

/// Applies the parts of a transition one after the other. Each looks at all its guards before it
/// changes anything, and throws a Refusal when one fails. So nothing is changed when the only part
/// is refused; with several, whoever calls has kept a copy.
class Change {
public:
    /// `followed`: what another store answered. Where the contract leaves a choice, the same is
    /// chosen. Null: the first, and all that can be handed over.
    Change(State& state,
           const Transition& transition,
           Timestamp now,
           Millis request_kept,
           const Answer* followed)
        : state_(state),
          transition_(transition),
          now_(now),
          request_kept_(request_kept),
          followed_(followed) {}

    [[nodiscard]] Answer apply();
    /// Ends runs that a claim meets too late.
    void end_late(const std::vector<RunRef>& runs);
    [[nodiscard]] store::Notices& told() { return told_; }

private:
    void apply(const Start& part);
    void apply(const Turn& part);
    void apply(const AckActivity& part);
    void apply(const AbandonActivity& part);
    void apply(const RenewActivity& part);
    void apply(const AbandonTurn& part);
    void apply(const RenewTurn& part);
    void apply(const Cancel& part);
    void apply(const Finish& part);
    void apply(const Send& part);
    void apply(const Deliver& part);
    void apply(const Hold& part);
    void apply(const Release& part);
    void apply(const Delete& part);
    void apply(const FreeKey& part);
    void apply(const Sweep& part);
    void apply(const DeleteInstances& part);
    void apply(const Prune& part);
    void apply(const Redrive& part);
    void apply(const Discard& part);
    void apply(const SetRetention& part);
    void apply(const Import& part);
    void apply(const SetQueueLimits& part);
    void apply(const SetPause& part);
    void apply(const ReleaseSessions& part);
    void apply(const ReleaseHolder& part);
    void apply(const AppendOutput& part);

    // Tells if it was applied before.
    [[nodiscard]] std::optional<Answer> applied_before();
    [[nodiscard]] std::optional<Answer> known_by_commit(const Part& part);
    [[nodiscard]] std::optional<Answer> known_by_request(const Part& part);
    [[nodiscard]] Answer known_turn(const Part& part, const Run& run) const;
    void remember(const Part& part);

    // The addressed run. Refused: a run that an earlier part changed, or may have ended or deleted.
    void address(RunRef run, bool by_turn = false) const;
    [[nodiscard]] Run& named(const InstanceName& name);
    [[nodiscard]] Run& named(const InstanceName& name, const std::optional<RunRef>& only);
    [[nodiscard]] Run& locked(RunRef ref, LeaseToken token);
    [[nodiscard]] Run& alive(RunRef ref);

    // Starting: starting.cpp.
    void check_new(const NewInstance& about, const Digest* digest) const;
    [[nodiscard]] Run& create(const NewInstance& about);
    void check_concurrency(const Start& part, const Run* old) const;
    void check_rate(const Start& part) const;
    [[nodiscard]] Timestamp room_for(const Start& part) const;
    void take_place(const Start& part, Timestamp at);
    void sweep_places(std::size_t limit);
    void make_room(const Start& part);
    void stand_in_line(Run& run);
    void release_first_in_lines();
    void check_import(const Import& part) const;
    void check_document(const NewInstance& about, bool has_text, const Run* starter) const;
    void check_on_fail(const NewInstance& about) const;
    void keep_document(const NewInstance& about, const std::optional<Payload>& text);

    // Turns: turns.cpp.
    void check_unclaimed(const Run& run, const Turn& turn) const;
    void check_sense(const Run& run, const Turn& turn) const;
    void check_end(const Run& run, const Ends& ends) const;
    void check_children(const Run& run, const Turn& turn) const;
    void append(Run& run, const Turn& turn);
    void schedule(Run& run, const Turn& turn);
    [[nodiscard]] bool can_hand_over(const Activity& row) const;
    void set_timers(Run& run, const Turn& turn);
    void start_children(Run& run, const Turn& turn);
    [[nodiscard]] std::set<RunRef> children_canceled_by(const Run& run, const Turn& turn) const;
    void note_turn(Run& run, const Turn& turn);
    void continue_as_new(Run& run, const ContinuesAsNew& next);

    // Messages, ends and cancels: runs.cpp.
    void send(Run& run, const NewMessage& message, Millis delay = Millis(0));
    void check_room(const Run& run, const NewMessage& message) const;
    void wait_for_start(const Activity& row);
    void end(Run& run, Outcome outcome, const std::optional<NewMessage>& notice);
    void start_on_fail(const Run& run);
    void end_without_code(Run& run, const Outcome& outcome);
    bool cancel(Run& run, CancelRecord record, Millis deadline);
    void end_late(Run& run);
    void cancel_by_parent(Run& child, const char* why);
    void cancel_children(RunRef parent, const char* why);
    static void forget_missing_code(Run& run);
    void clear_execution(Run& run, bool shielded_too);
    void stop(const ActivityRef& ref);
    void leave_session(const SessionName& session, LeaseToken token, bool ran);
    [[nodiscard]] Activity& held_activity(const ActivityRef& ref, LeaseToken token);
    [[nodiscard]] const Stopping* stopping(const ActivityRef& ref, LeaseToken token) const;

    // Deleting: management.cpp.
    [[nodiscard]] DeleteCounts remove(const std::vector<RunRef>& runs);
    void remove(Run& run, DeleteCounts& counts);
    void orphan(const ActivityRef& ref);
    void keep_session(const SessionName& name, LeaseToken token);
    void refuse_one(Errc code, const std::vector<const Run*>& at_fault, const char* why) const;
    void check_going(const std::vector<RunRef>& going, bool force) const;
    void release_waiting();

    State& state_;
    const Transition& transition_;
    const Timestamp now_;
    const Millis request_kept_;
    const Answer* followed_;
    Answer answer_;
    store::Notices told_;
    std::set<RunRef> canceled_children_;  ///< Named by the turn at work. Canceled when it is
                                          ///< done.
    std::set<RunRef> started_;            ///< By earlier parts, and so on.
    std::set<RunRef> changed_;
    std::set<RunRef> ending_;
    std::set<RunRef> deleted_;
    std::set<InstanceName> deleted_names_;
};

}  // namespace belay::naive
