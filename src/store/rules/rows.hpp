// The part of a store that it implements for the rules: rows that are found, changed and listed.
#pragma once

#include "store/listeners.hpp"
#include "store/rules/named_rows.hpp"
#include "store/rules/records.hpp"
#include <belay/queue_limits.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::store {

/// Called for one after the other. False: no more of them.
template <class Row>
using Visit = std::function<bool(const Row&)>;

/// The run that has a name, and those that had it.
struct Holders {
    std::optional<RunKey> current;
    std::vector<RunKey> formers;  ///< Runs whose name moved to another one.
};

/// A run that can be claimed from some time on. Its code is valid during the visit.
struct ReadyRun {
    RunKey key;
    Timestamp at{};
    std::string_view definition;
    std::string_view version;
};

/// The thing that a removal from an inbox took out.
enum class TakenOut : std::uint8_t { nothing, message, timed };

/// Attempts that a rate counts.
struct Begun {
    std::uint64_t count = 0;
    Timestamp first{};  ///< When the first of them was begun.
};

/// The rows of a store while one transaction lasts: a commit, a claim, or a group of them. The
/// rules decide, and a store that implements this finds, writes and lists. It judges nothing.
///
/// A run is loaded once and kept: the rules change it in place and `touch` it. `flush` writes what
/// was touched, each run once. Every other change is written at once by the function that is
/// called. Whatever is asked for shows all changes of the transaction. So a list of runs that comes
/// from an index over their rows calls `flush` first.
///
/// One transition is over with `finish_transition`. A store that fails throws, and rolls back
/// everything since the transaction began.
class Rows {
public:
    explicit Rows(Timestamp now) : now_(now) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    virtual ~Rows() = default;

    /// The store's time. It is the same for all that one object does.
    [[nodiscard]] Timestamp now() const noexcept { return now_; }
    /// Notices that listeners are told once the transaction is committed.
    Notices notices;

    /// Loads rows that will be asked for. A store behind a network loads them all in one round
    /// trip, before the first transition of the batch. A store that finds rows cheaply need not.
    virtual void prefetch(const NamedRows& /*rows*/) {}

    // ---- Runs, kept and changed in place -------------------------------------------------------

    [[nodiscard]] Run* find_run(RunKey key) { return load_run(key); }
    [[nodiscard]] Run* find_run(RunRef run) {
        Run* found = load_run(run.key);
        return found != nullptr && found->ref == run ? found : nullptr;
    }
    /// The run that has the name.
    [[nodiscard]] Run* find_run(const InstanceName& name);
    /// A run that must exist.
    [[nodiscard]] Run& run_of(RunKey key);
    /// A pending run. `instance` must stay until the next flush.
    Run& create_run(const NewInstance& instance);
    /// Removes the run with all rows that are its own, and says how many executions it had.
    std::uint64_t delete_run(Run& run);
    /// The run was changed.
    void touch(Run& run) {
        if (run.dirty) return;
        run.dirty = true;
        dirty_.push_back(&run);
    }
    /// Writes the runs that were touched.
    void flush();
    /// Writes what is left of one transition.
    void finish_transition() {
        flush();
        forget_transition();
    }

    // ---- What belongs to a run beside its row --------------------------------------------------

    [[nodiscard]] virtual Holders holders_of(const InstanceName& name) = 0;
    /// True if any run without a parent may have lost its name in this namespace.
    [[nodiscard]] virtual bool has_former_roots(const std::string& space) = 0;
    [[nodiscard]] virtual const RunCode& code_of(Run& run) = 0;
    /// The digest of its input, as its start gave it.
    [[nodiscard]] virtual Digest digest_of(const Run& run) = 0;
    /// The idempotency key it was started under.
    [[nodiscard]] virtual std::optional<KeyId> key_of(const Run& run) = 0;
    /// Fills in what a claim returns beside the row: the code, the owner, the input, the headers.
    virtual void describe(const Run& run, ClaimedInstance& item) = 0;

    /// The input and version of the execution that it has just begun.
    virtual void set_next_input(Run& run, const Payload& input, const std::string& version) = 0;
    /// Its name goes to another run.
    virtual void set_former(Run& run) = 0;
    virtual void set_version(Run& run, const std::string& version) = 0;
    virtual void set_custom_status(Run& run, const Payload& status) = 0;
    /// Why it is held, since now; none when it is not.
    virtual void set_hold_reason(Run& run, const std::optional<HoldReason>& reason) = 0;
    /// Events behind `run.position` of its current execution.
    virtual void insert_history(const Run& run, const HistoryRow& history) = 0;
    /// Its current execution is over, as `run` has it. All that follows belongs to another one.
    virtual void close_execution(const Run& run, Timestamp ended_at) = 0;
    /// Executions that are over, the oldest first, but for the last `keep` of them; only those that
    /// ended before a time, if one is given.
    virtual void each_old_execution(const Run& run,
                                    std::uint32_t keep,
                                    const std::optional<Timestamp>& ended_before,
                                    const Visit<OldExecution>& visit) = 0;
    virtual void erase_execution(const Run& run, ExecutionNo execution) = 0;
    /// Without a value it is removed; without a key too, all are.
    virtual void change_key_value(const Run& run, const KeyValueChange& change) = 0;

    // ---- Lists of runs -------------------------------------------------------------------------

    /// In the order they were started.
    [[nodiscard]] virtual std::vector<RunKey> children_of(const Run& run) = 0;
    /// Those that have not ended and do not go on when it ends, by execution, command and key.
    [[nodiscard]] virtual std::vector<RunKey> dependent_children_of(const Run& run) = 0;
    [[nodiscard]] virtual bool has_dependent_children(const Run& run) = 0;
    /// The same ones and those that have ended, as far as they are not settled.
    [[nodiscard]] virtual std::vector<RunKey> unsettled_dependents_of(const Run& run) = 0;
    /// Those that a command of its current execution started and that have not ended.
    [[nodiscard]] virtual std::vector<RunKey> open_children_of(const Run& run,
                                                               CommandNo command) = 0;
    /// Runs with `waits_for` this one.
    [[nodiscard]] virtual std::vector<RunKey> waiting_for(RunKey run) = 0;
    /// Canceling runs whose deadline is over, the longest first.
    [[nodiscard]] virtual std::vector<RunKey> past_deadline(std::uint32_t max) = 0;

    /// Runs under a lock of a holder that has not expired, at most so many.
    [[nodiscard]] virtual std::vector<RunKey> locked_by(std::uint64_t holder,
                                                        std::uint32_t max) = 0;

    /// Runs that have a `ready_at`, by that and then by key. Those of other shards may be left out;
    /// none named: all shards are meant.
    virtual void each_ready(const std::vector<Shard>& shards, const Visit<ReadyRun>& visit) = 0;
    /// A run is put off for want of its code, or is not any more. It may not have been.
    virtual void add_put_off(Run& run) = 0;
    virtual void remove_put_off(RunKey run) = 0;
    [[nodiscard]] virtual bool is_put_off(RunKey run) = 0;
    /// The first code after another that runs are put off for.
    [[nodiscard]] virtual std::optional<CodeKey> put_off_code(const CodeKey& after) = 0;
    /// Runs that are put off for it, by key.
    [[nodiscard]] virtual std::vector<RunKey> put_off_runs(const CodeKey& code,
                                                           std::size_t max) = 0;

    // ---- Messages and timers -------------------------------------------------------------------

    /// It makes the run claimable from now on.
    virtual void insert_message(Run& run,
                                MessageNo number,
                                Timestamp sent_at,
                                const NewMessage& message) = 0;
    /// Received when it is due: a timer of this command, or without one a delayed message.
    virtual void insert_timed(Run& run,
                              MessageNo number,
                              Timestamp due_at,
                              const NewMessage& message,
                              std::optional<CommandNo> timer) = 0;
    virtual TakenOut erase_waiting(Run& run, MessageNo number) = 0;
    /// Timers, and no delayed messages.
    virtual void erase_timers(Run& run) = 0;
    /// All of the inbox. Says how much there was.
    virtual std::uint64_t erase_inbox(Run& run) = 0;
    /// From when on the first of its inbox makes it claimable.
    [[nodiscard]] virtual std::optional<Timestamp> inbox_ready_from(const Run& run) = 0;
    [[nodiscard]] virtual std::optional<MessageNo> find_timer(const Run& run,
                                                              ExecutionNo execution,
                                                              CommandNo command) = 0;
    /// Messages and timers that are due, in any order: at least the first `most` by time and
    /// number, or all.
    [[nodiscard]] virtual std::vector<Message> ready_messages(
        const Run& run, std::optional<std::uint32_t> most) = 0;
    /// The number that wait and answer no command, delayed ones included.
    [[nodiscard]] virtual std::uint64_t count_messages(const Run& run) = 0;

    virtual void insert_letter(RunRef run,
                               const NewMessage& message,
                               const std::string& reason) = 0;
    [[nodiscard]] virtual std::optional<Letter> find_letter(std::uint64_t id) = 0;
    virtual void erase_letter(std::uint64_t id) = 0;
    /// Removes those to a run, and says how many there were.
    virtual std::uint64_t erase_letters_to(const Run& run) = 0;

    // ---- Activities ----------------------------------------------------------------------------

    /// Valid until it is written.
    [[nodiscard]] virtual const Activity* find_activity(const ActivityRef& activity) = 0;
    /// `lane`: see the lanes of a queue, below.
    virtual void insert_activity(const Activity& activity,
                                 const NewActivity& about,
                                 const std::string& lane) = 0;
    /// Its lease, attempts, visibility and place.
    virtual void write_activity(const Activity& activity) = 0;
    /// With its progress. `activity` may be what was found.
    virtual void erase_activity(const Activity& activity) = 0;
    /// It need not start by any time any more.
    virtual void forget_start_time(const ActivityRef& activity) = 0;
    [[nodiscard]] virtual std::string name_of(const ActivityRef& activity) = 0;
    virtual void put_progress(const ActivityRef& activity, const Payload& progress) = 0;
    /// By execution and command.
    [[nodiscard]] virtual std::vector<ActivityRef> activities_of(const Run& run) = 0;
    /// Those under a lease of a holder that has not expired, at most so many.
    [[nodiscard]] virtual std::vector<ActivityRef> leased_by(std::uint64_t holder,
                                                             std::uint32_t max) = 0;
    /// All that its handler needs, and the row. If that cannot be read, the row is there all the
    /// same.
    virtual void read_claimable(const ActivityRef& ref,
                                Activity& activity,
                                ClaimedActivity& item) = 0;

    /// Puts activities whose time has come in line: those that wait until now or before wait no
    /// more.
    virtual void promote_activities() = 0;
    /// When the first of those that wait will be claimable, if that is ever.
    [[nodiscard]] virtual std::optional<Timestamp> first_waiting() = 0;
    [[nodiscard]] virtual bool is_queue_empty(const std::string& queue) = 0;
    /// Queues in which something is in line, by name.
    [[nodiscard]] virtual std::vector<std::string> queues_in_line() = 0;
    /// The activities in line of a queue, by place; behind a place, if one is given. Those of other
    /// shards may be left out; none named: all shards are meant. The visit asks for other rows.
    virtual void each_in_line(const std::string& queue,
                              const std::vector<Shard>& shards,
                              const PlaceInLine* behind,
                              const Visit<InLine>& visit) = 0;

    // The lanes of a queue: its activities by name, and by fairness key while those have limits.
    // Otherwise the key of a lane is empty.

    /// The first name after another that something in a queue has.
    [[nodiscard]] virtual std::optional<std::string> name_in_line(const std::string& queue,
                                                                  const std::string& after) = 0;
    /// The first lane of a name, or the first after another.
    [[nodiscard]] virtual std::optional<std::string> lane_in_line(
        const std::string& queue,
        const std::string& name,
        const std::optional<std::string>& after) = 0;
    /// Those of one lane, behind a place, by place.
    [[nodiscard]] virtual std::vector<InLine> lane_rows(const std::string& queue,
                                                        const std::string& name,
                                                        const std::string& lane,
                                                        const PlaceInLine& behind,
                                                        std::uint32_t most) = 0;
    /// From now on its lanes are by fairness key, or are not.
    virtual void set_lanes(const std::string& queue, bool by_key) = 0;

    // ---- Handlers that were told to stop -------------------------------------------------------

    [[nodiscard]] virtual bool has_stopping(const StoppingKey& key) = 0;
    /// While the row of the activity is there. False: there is such a record already.
    virtual bool insert_stopping(const StoppingKey& key,
                                 const std::string& worker,
                                 Timestamp until) = 0;
    virtual void erase_stopping(const StoppingKey& key) = 0;
    /// Those whose time is over, the longest first.
    [[nodiscard]] virtual std::vector<StoppingKey> stopping_past(std::uint32_t max) = 0;
    /// Those of a holder, at most so many.
    [[nodiscard]] virtual std::vector<StoppingKey> stopping_by(std::uint64_t holder,
                                                               std::uint32_t max) = 0;
    /// Those of a run, and until when they are kept.
    [[nodiscard]] virtual std::vector<std::pair<LeaseToken, Timestamp>> stopping_of(
        const Run& run) = 0;

    // ---- Limits of queues, and what counts for them --------------------------------------------

    /// Null for a queue without limits.
    [[nodiscard]] virtual const QueueLimits* limits_of(const std::string& queue) = 0;
    /// True if any queue has some.
    [[nodiscard]] virtual bool has_limits() = 0;
    /// Without limits in it they are removed.
    virtual void put_limits(const SetQueueLimits& part) = 0;
    /// Uses of a queue that run on after now: their key, and until when.
    virtual void each_running(const std::string& queue,
                              const std::function<void(const std::string&, Timestamp)>& visit) = 0;
    /// Uses that were begun after a time, at most so many, the first of them first; of one key, if
    /// one is given. None: there are no such uses.
    [[nodiscard]] virtual std::optional<Begun> begun_after(const std::string& queue,
                                                           const std::string* key,
                                                           Timestamp after,
                                                           std::uint32_t most) = 0;
    virtual void put_use(LeaseToken token, const QueueUse& use) = 0;
    /// The use of a leased activity lasts as long as its lease. One that is gone is put back as
    /// begun at the beginning of time.
    virtual void renew_use(const Activity& activity) = 0;
    /// False: there is none.
    virtual bool set_use_until(LeaseToken token, Timestamp until) = 0;
    virtual bool erase_use(LeaseToken token) = 0;
    /// Nothing of a holder runs any more. What it began still counts as begun.
    virtual void end_uses(std::uint64_t holder) = 0;
    /// Those that run no more and were begun then or before. A store may leave some for later.
    virtual void erase_uses_past(const std::string& queue, Timestamp begun) = 0;
    virtual void erase_uses(const std::string& queue) = 0;
    /// Adds one for each handler of the queue that runs on after now, leased or told to stop, as
    /// begun at the beginning of time.
    virtual void fill_uses(const std::string& queue) = 0;

    // ---- Sessions ------------------------------------------------------------------------------

    [[nodiscard]] virtual std::optional<Session> find_session(const SessionKey& key) = 0;
    virtual void put_session(const SessionKey& key, const Session& session) = 0;
    virtual void set_session_until(const SessionKey& key, Timestamp until) = 0;
    virtual void erase_session(const SessionKey& key) = 0;
    /// Those of a holder that last on after now.
    [[nodiscard]] virtual OwnedSessions owned_sessions(std::uint64_t holder) = 0;
    /// All of a holder, and until when they last.
    [[nodiscard]] virtual std::vector<std::pair<SessionKey, Timestamp>> sessions_of(
        std::uint64_t holder) = 0;
    /// Those that are over, the longest first.
    [[nodiscard]] virtual std::vector<SessionKey> sessions_past(std::uint32_t max) = 0;
    /// The session that an attempt belongs to.
    [[nodiscard]] virtual std::optional<SessionKey> session_used_by(LeaseToken token) = 0;
    virtual void put_session_use(LeaseToken token, const SessionKey& key, Timestamp until) = 0;
    virtual void erase_session_use(LeaseToken token) = 0;
    /// Those that ran no longer than until then.
    virtual void erase_session_uses(const SessionKey& key, Timestamp until) = 0;
    /// Until when something of a session runs that a holder has; the beginning of time: nothing
    /// does.
    [[nodiscard]] virtual Timestamp session_busy_until(const SessionKey& key,
                                                       std::uint64_t holder) = 0;

    /// A dead holder holds nothing any more: whoever asks for dead ones need not be told of it.
    virtual void forget_holder(std::uint64_t /*holder*/) {}

    // ---- Keys, requests, retention, and what is left of deleted runs ---------------------------

    [[nodiscard]] virtual std::optional<KeyRow> find_key(const KeyId& id) = 0;
    /// In place of another one.
    virtual void put_key(const KeyId& id, const KeyRow& row) = 0;
    virtual void erase_key(const KeyId& id) = 0;
    /// Those whose window is over, the longest first.
    [[nodiscard]] virtual std::vector<KeyId> keys_past(std::uint32_t max) = 0;
    /// Only one that is kept until after now.
    [[nodiscard]] virtual std::optional<Request> find_request(const RequestKey& key) = 0;
    /// In place of another one.
    virtual void put_request(const RequestKey& key, const Request& request, Timestamp until) = 0;
    /// Removes those that are kept until now or before, the longest first, and says how many.
    virtual std::uint64_t erase_requests_past(std::uint32_t max) = 0;
    [[nodiscard]] virtual std::optional<Gone> find_gone(RunRef run) = 0;
    virtual void put_gone(const Gone& gone, Timestamp until) = 0;
    /// As of requests.
    virtual std::uint64_t erase_gone_past(std::uint32_t max) = 0;
    /// Without a policy in it the namespace has none any more.
    virtual void put_retention(const SetRetention& part) = 0;

    // ---- Failures ------------------------------------------------------------------------------

    /// The rows contradict each other. Throws: it is a failure of the change that came upon it.
    [[noreturn]] virtual void damaged(const std::string& what) const = 0;
    /// True if what was thrown says that a row cannot be read, today or tomorrow.
    [[nodiscard]] virtual bool is_unreadable(const std::exception& failure) const noexcept = 0;

protected:
    /// Null when there is none. The same object each time.
    [[nodiscard]] virtual Run* load_run(RunKey key) = 0;
    /// A place for a run that is not there yet, found from now on by `load_run`.
    [[nodiscard]] virtual Run& add_run(const NewInstance& instance) = 0;
    /// Writes a run that was touched: one with a `birth` for the first time.
    virtual void write_run(Run& run) = 0;
    virtual std::uint64_t erase_run(Run& run) = 0;
    /// A transition is over: rows other than runs need not be kept any more.
    virtual void forget_transition() {}

private:
    Timestamp now_;
    std::vector<Run*> dirty_;
};

/// Counts rows that are kept beside their number.
template <class Count>
void count_down(const Rows& rows, Count& count, const char* what) {
    if (count == 0) rows.damaged(std::string("more ") + what + " than are counted");
    --count;
}

}  // namespace belay::store
