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
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::store {

/// Called for one row after the other. Returns false to stop.
template <class Row>
using Visit = std::function<bool(const Row&)>;

/// The run that has a name now, and the runs that had it before.
struct Holders {
    std::optional<RunKey> current;
    std::vector<RunKey> formers;  ///< Runs whose name moved to another one.
};

/// A run that can be claimed from some time on. The views of its code are valid during the visit.
struct ReadyRun {
    RunKey key;
    Timestamp at{};
    std::string_view definition;
    std::string_view version;
    bool interpreted = false;          ///< It has a document.
    std::optional<Timestamp> late_at;  ///< As Run::late_at.
};

/// The result of removing an entry from an inbox: the kind of the entry.
enum class TakenOut : std::uint8_t { nothing, message, timed };

/// Attempts that a rate counts.
struct BegunAttempts {
    std::uint64_t count = 0;
    Timestamp first{};  ///< When the first of them began.
};

/// The rows of a store while one transaction lasts: a commit, a claim, or a group of them. The
/// rules decide. A store that implements this class finds, writes and lists rows and decides
/// nothing.
///
/// A run is loaded once and kept: the rules change it in place and `touch` it. `flush` writes each
/// touched run once. Every other change is written at once by the function that is called. All
/// reads show all changes of the transaction. So a list of runs that comes from an index over their
/// rows calls `flush` first.
///
/// `finish_transition` ends one transition. A store that fails throws and rolls back everything
/// since the transaction began.
class Rows {
public:
    explicit Rows(Timestamp now) : now_(now) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    virtual ~Rows() = default;

    /// The store's time. It stays the same for the life of the object.
    [[nodiscard]] Timestamp now() const noexcept { return now_; }
    /// Notices for listeners, who are told once the transaction is committed.
    Notices notices;

    /// Called before the first of these transitions is applied. A store behind a network loads all
    /// rows that they name in one round trip (rows_named_by). A store that finds rows cheaply need
    /// not do anything.
    virtual void prefetch(std::span<const Transition> /*batch*/) {}

    // ---- Runs, kept and changed in place -------------------------------------------------------

    [[nodiscard]] Run* find_run(RunKey key) { return load_run(key); }
    [[nodiscard]] Run* find_run(RunRef run) {
        Run* found = load_run(run.key);
        return found != nullptr && found->ref == run ? found : nullptr;
    }
    /// Returns the run that has the name.
    [[nodiscard]] Run* find_run(const InstanceName& name);
    /// Returns a run that must exist.
    [[nodiscard]] Run& run_of(RunKey key);
    /// Creates a pending run. `instance` must stay valid until the next flush.
    Run& create_run(const NewInstance& instance);
    /// Removes the run with all rows of its own. Returns the number of its executions.
    std::uint64_t delete_run(Run& run);
    /// Marks the run as changed.
    void touch(Run& run) {
        if (run.dirty) return;
        run.dirty = true;
        dirty_.push_back(&run);
    }
    /// Writes the touched runs.
    void flush();
    /// Writes the rest of one transition.
    void finish_transition() {
        flush();
        forget_transition();
    }

    // ---- Data of a run beside its row ----------------------------------------------------------

    [[nodiscard]] virtual Holders holders_of(const InstanceName& name) = 0;
    /// True if a run without a parent may have lost its name in this namespace.
    [[nodiscard]] virtual bool has_former_roots(const std::string& space) = 0;
    [[nodiscard]] virtual const RunCode& code_of(Run& run) = 0;
    /// Returns the digest of its input, as its start gave it.
    [[nodiscard]] virtual Digest digest_of(const Run& run) = 0;
    /// Returns the idempotency key under which it was started.
    [[nodiscard]] virtual std::optional<KeyId> key_of(const Run& run) = 0;
    /// Fills in the fields of a claim that are not in the row: the code, the document, the owner,
    /// the input, the headers, the failed run that it is for.
    virtual void describe(const Run& run, ClaimedInstance& item) = 0;

    /// Returns the labels and the starter of a run that is written.
    [[nodiscard]] virtual std::pair<Labels, std::string> labels_of(const Run& run) = 0;
    /// Returns the document of a run that has one and is written.
    [[nodiscard]] virtual Digest document_of(const Run& run) = 0;

    /// Sets the input and version of the execution that it has just begun.
    virtual void set_next_input(Run& run, const Payload& input, const std::string& version) = 0;
    /// Marks it as former: its name goes to another run.
    virtual void set_former(Run& run) = 0;
    virtual void set_version(Run& run, const std::string& version) = 0;
    virtual void set_custom_status(Run& run, const Payload& status) = 0;
    /// Sets the reason why it is held since now. Removes the reason if none is given.
    virtual void set_hold_reason(Run& run, const std::optional<HoldReason>& reason) = 0;
    /// Adds events behind `run.position` of its current execution.
    virtual void insert_history(const Run& run, const HistoryRow& history) = 0;
    /// Records the end of its current execution, as `run` has it. Everything later belongs to
    /// another execution.
    virtual void close_execution(const Run& run, Timestamp ended_at) = 0;
    /// Visits finished executions, the oldest first, except the last `keep` of them. If a time is
    /// given, only those that ended before it.
    virtual void each_old_execution(const Run& run,
                                    std::uint32_t keep,
                                    const std::optional<Timestamp>& ended_before,
                                    const Visit<OldExecution>& visit) = 0;
    virtual void erase_execution(const Run& run, ExecutionNo execution) = 0;
    /// Removes the key if there is no value. Removes all keys if there is no key either.
    virtual void change_key_value(const Run& run, const KeyValueChange& change) = 0;

    // ---- Lists of runs -------------------------------------------------------------------------

    /// In the order in which they were started.
    [[nodiscard]] virtual std::vector<RunKey> children_of(const Run& run) = 0;
    /// Children that have not ended and do not go on when it ends. By execution, command and key.
    [[nodiscard]] virtual std::vector<RunKey> dependent_children_of(const Run& run) = 0;
    [[nodiscard]] virtual bool has_dependent_children(const Run& run) = 0;
    /// All unsettled ones of those children, ended or not.
    [[nodiscard]] virtual std::vector<RunKey> unsettled_dependents_of(const Run& run) = 0;
    /// Open children that a command of its current execution started.
    [[nodiscard]] virtual std::vector<RunKey> open_children_of(const Run& run,
                                                               CommandNo command) = 0;
    /// Runs whose `waits_for` is this run.
    [[nodiscard]] virtual std::vector<RunKey> waiting_for(RunKey run) = 0;
    /// Canceling runs whose deadline is over, and runs whose `late_at` has come; the longest
    /// overdue first.
    [[nodiscard]] virtual std::vector<RunKey> past_deadline(std::uint32_t max) = 0;

    /// At most `max` runs under an unexpired lock of the holder.
    [[nodiscard]] virtual std::vector<RunKey> locked_by(std::uint64_t holder,
                                                        std::uint32_t max) = 0;

    /// Visits runs that have a `ready_at`, by that time and then by key. Runs of other shards may
    /// be left out. No shards named: all of them.
    virtual void each_ready(const std::vector<Shard>& shards, const Visit<ReadyRun>& visit) = 0;
    /// Records that a run is put off because its code is missing, or no longer is. Removing a run
    /// that is not recorded does nothing.
    virtual void add_put_off(Run& run) = 0;
    virtual void remove_put_off(RunKey run) = 0;
    [[nodiscard]] virtual bool is_put_off(RunKey run) = 0;
    /// Returns the first code after another for which runs are put off.
    [[nodiscard]] virtual std::optional<CodeKey> put_off_code(const CodeKey& after) = 0;
    /// Runs that are put off for this code, by key.
    [[nodiscard]] virtual std::vector<RunKey> put_off_runs(const CodeKey& code,
                                                           std::size_t max) = 0;

    // ---- Runs of a concurrency key -------------------------------------------------------------

    /// The runs of a key that are not at rest: those under way, by run key, then at most `waiting`
    /// of those in line, by place.
    [[nodiscard]] virtual std::vector<ConcurrentRun> concurrent_runs(const ConcurrencyId& id,
                                                                     std::size_t waiting) = 0;
    /// Returns the place of the last one in line. Returns 0 if nobody waits.
    [[nodiscard]] virtual std::uint64_t last_in_line(const ConcurrencyId& id) = 0;
    virtual void insert_concurrent(const ConcurrencyId& id, const ConcurrentRun& run) = 0;
    /// Removing a run that is not there does nothing.
    virtual void erase_concurrent(const ConcurrencyId& id, const ConcurrentRun& run) = 0;

    // ---- Rates of starts -----------------------------------------------------------------------

    [[nodiscard]] virtual std::optional<RatePlace> last_rate_place(const RateId& id) = 0;
    [[nodiscard]] virtual std::optional<RatePlace> find_rate_place(const RateId& id,
                                                                   std::uint64_t number) = 0;
    virtual void insert_rate_place(const RateId& id, const RatePlace& place) = 0;
    /// Removes the places of a rate up to a number.
    virtual void erase_rate_places(const RateId& id, std::uint64_t up_to) = 0;
    /// Removes places that count no more, the earliest first. Returns their number.
    virtual std::uint64_t erase_rate_places_past(std::uint32_t max) = 0;

    // ---- Messages and timers -------------------------------------------------------------------

    /// Makes the run claimable from now on.
    virtual void insert_message(Run& run,
                                MessageNo number,
                                Timestamp sent_at,
                                const NewMessage& message) = 0;
    /// Received when it is due: the timer of this command, or a delayed message if there is none.
    virtual void insert_timed(Run& run,
                              MessageNo number,
                              Timestamp due_at,
                              const NewMessage& message,
                              std::optional<CommandNo> timer) = 0;
    virtual TakenOut erase_waiting(Run& run, MessageNo number) = 0;
    /// Removes timers, but no delayed messages.
    virtual void erase_timers(Run& run) = 0;
    /// Removes the whole inbox. Returns the number of entries.
    virtual std::uint64_t erase_inbox(Run& run) = 0;
    /// Returns the time from which the first entry of its inbox makes it claimable.
    [[nodiscard]] virtual std::optional<Timestamp> inbox_ready_from(const Run& run) = 0;
    [[nodiscard]] virtual std::optional<MessageNo> find_timer(const Run& run,
                                                              ExecutionNo execution,
                                                              CommandNo command) = 0;
    /// Messages and due timers, in any order: at least the first `most` by time and number, or all.
    [[nodiscard]] virtual std::vector<Message> ready_messages(
        const Run& run, std::optional<std::uint32_t> most) = 0;
    /// Returns the number of waiting messages that answer no command, delayed ones included.
    [[nodiscard]] virtual std::uint64_t count_messages(const Run& run) = 0;

    virtual void insert_letter(RunRef run,
                               const NewMessage& message,
                               const std::string& reason) = 0;
    [[nodiscard]] virtual std::optional<Letter> find_letter(std::uint64_t id) = 0;
    virtual void erase_letter(std::uint64_t id) = 0;
    /// Removes the letters to a run. Returns their number.
    virtual std::uint64_t erase_letters_to(const Run& run) = 0;

    // ---- Activities ----------------------------------------------------------------------------

    /// Valid until the row is written.
    [[nodiscard]] virtual const Activity* find_activity(const ActivityRef& activity) = 0;
    /// `lane`: see the lanes of a queue, below.
    virtual void insert_activity(const Activity& activity,
                                 const NewActivity& about,
                                 const std::string& lane) = 0;
    /// Writes its lease, attempts, visibility and place.
    virtual void write_activity(const Activity& activity) = 0;
    /// Removes its progress too. `activity` may be the object that was found.
    virtual void erase_activity(const Activity& activity) = 0;
    /// Removes the time until which it must start.
    virtual void forget_start_time(const ActivityRef& activity) = 0;
    [[nodiscard]] virtual std::string name_of(const ActivityRef& activity) = 0;
    virtual void put_progress(const ActivityRef& activity, const Payload& progress) = 0;
    /// By execution and command.
    [[nodiscard]] virtual std::vector<ActivityRef> activities_of(const Run& run) = 0;
    /// At most `max` activities under an unexpired lease of the holder.
    [[nodiscard]] virtual std::vector<ActivityRef> leased_by(std::uint64_t holder,
                                                             std::uint32_t max) = 0;
    /// Reads the row and everything that the handler needs. If the latter cannot be read, the row
    /// is filled in all the same.
    virtual void read_claimable(const ActivityRef& ref,
                                Activity& activity,
                                ClaimedActivity& item) = 0;

    /// Puts activities in line that wait until now or earlier.
    virtual void promote_activities() = 0;
    /// Returns when the first waiting activity will be claimable. Returns none if that is never.
    [[nodiscard]] virtual std::optional<Timestamp> first_waiting() = 0;
    [[nodiscard]] virtual bool is_queue_empty(const std::string& queue) = 0;
    /// Queues in which something is in line, by name.
    [[nodiscard]] virtual std::vector<std::string> queues_in_line() = 0;
    /// Visits the activities in line of a queue, by place; if a place is given, only those behind
    /// it. Those of other shards may be left out. No shards named: all of them. The visit asks for
    /// other rows.
    virtual void each_in_line(const std::string& queue,
                              const std::vector<Shard>& shards,
                              const PlaceInLine* behind,
                              const Visit<QueuedActivity>& visit) = 0;

    // The lanes of a queue: its activities by name, and by fairness key while keys have limits.
    // Without such limits the key of a lane is empty.

    /// Returns the first name after `after` of an activity in line.
    [[nodiscard]] virtual std::optional<std::string> name_in_line(const std::string& queue,
                                                                  const std::string& after) = 0;
    /// Returns the first lane of a name, or the first one after another lane.
    [[nodiscard]] virtual std::optional<std::string> lane_in_line(
        const std::string& queue,
        const std::string& name,
        const std::optional<std::string>& after) = 0;
    /// The activities of one lane behind a place, by place.
    [[nodiscard]] virtual std::vector<QueuedActivity> lane_rows(const std::string& queue,
                                                                const std::string& name,
                                                                const std::string& lane,
                                                                const PlaceInLine& behind,
                                                                std::uint32_t most) = 0;
    /// Makes lanes of the queue by fairness key from now on, or stops that.
    virtual void set_lanes(const std::string& queue, bool by_key) = 0;

    // ---- Handlers that were told to stop -------------------------------------------------------

    [[nodiscard]] virtual bool has_stopping(const StoppingKey& key) = 0;
    /// Called while the row of the activity is there. Returns false if there is such a record
    /// already.
    virtual bool insert_stopping(const StoppingKey& key,
                                 const std::string& worker,
                                 Timestamp until) = 0;
    virtual void erase_stopping(const StoppingKey& key) = 0;
    /// Records whose time is over, the longest first.
    [[nodiscard]] virtual std::vector<StoppingKey> stopping_past(std::uint32_t max) = 0;
    /// At most `max` records of a holder.
    [[nodiscard]] virtual std::vector<StoppingKey> stopping_by(std::uint64_t holder,
                                                               std::uint32_t max) = 0;
    /// The records of a run, and until when they are kept.
    [[nodiscard]] virtual std::vector<std::pair<LeaseToken, Timestamp>> stopping_of(
        const Run& run) = 0;

    // ---- Output of attempts --------------------------------------------------------------------

    /// Returns none if the run has never had output.
    [[nodiscard]] virtual std::optional<RunOutput> output_of(const Run& run) = 0;
    /// Replaces an older row.
    virtual void put_output(const Run& run, const RunOutput& output) = 0;
    [[nodiscard]] virtual std::optional<AttemptRow> find_attempt(const Run& run,
                                                                 const AttemptKey& key) = 0;
    /// Replaces an older row.
    virtual void put_attempt(const Run& run, const AttemptKey& key, const AttemptRow& row) = 0;
    /// Removes its chunks, too.
    virtual void erase_attempt(const Run& run, const AttemptKey& key, const AttemptRow& row) = 0;
    /// The attempts at one activity of an execution that have output, or all of the execution. By
    /// key.
    [[nodiscard]] virtual std::vector<AttemptKey> attempts_with_output(
        const Run& run, ExecutionNo execution, std::optional<CommandNo> first) = 0;
    /// Returns the attempt with the lowest id, except one.
    [[nodiscard]] virtual std::optional<AttemptKey> oldest_attempt(const Run& run,
                                                                   std::uint64_t except) = 0;
    /// The row of the attempt may be written after its chunks.
    virtual void insert_chunk(const Run& run,
                              const AttemptKey& key,
                              const AttemptRow& attempt,
                              std::uint64_t number,
                              const OutputChunk& chunk) = 0;
    /// Returns the first chunk of the attempt from a number on.
    [[nodiscard]] virtual std::optional<ChunkSize> chunk_from(const Run& run,
                                                              const AttemptRow& attempt,
                                                              std::uint64_t number) = 0;
    virtual void erase_chunk(const Run& run, const AttemptRow& attempt, std::uint64_t number) = 0;

    // ---- Limits of queues, and what counts for them --------------------------------------------

    /// Returns null for a queue without limits.
    [[nodiscard]] virtual const QueueLimits* limits_of(const std::string& queue) = 0;
    /// True if any queue has limits.
    [[nodiscard]] virtual bool has_limits() = 0;
    /// Removes the limits if the part has none.
    virtual void put_limits(const SetQueueLimits& part) = 0;
    /// Visits uses of a queue that run on after now: their key, and until when they run.
    virtual void each_running(const std::string& queue,
                              const std::function<void(const std::string&, Timestamp)>& visit) = 0;
    /// Counts uses that began after a time, at most `most`, the earliest first. If a key is given,
    /// only uses of that key. Returns none if there are no such uses.
    [[nodiscard]] virtual std::optional<BegunAttempts> begun_after(const std::string& queue,
                                                                   const std::string* key,
                                                                   Timestamp after,
                                                                   std::uint32_t most) = 0;
    virtual void put_use(LeaseToken token, const QueueUse& use) = 0;
    /// Sets the use of a leased activity to last as long as its lease. A use that is gone is put
    /// back as begun at the beginning of time.
    virtual void renew_use(const Activity& activity) = 0;
    /// Returns false if there is no such use.
    virtual bool set_use_until(LeaseToken token, Timestamp until) = 0;
    virtual bool erase_use(LeaseToken token) = 0;
    /// Ends all uses of a holder. They still count as begun.
    virtual void end_uses(std::uint64_t holder) = 0;
    /// Removes uses that have ended and began at `begun` or earlier. A store may leave some for
    /// later.
    virtual void erase_uses_past(const std::string& queue, Timestamp begun) = 0;
    virtual void erase_uses(const std::string& queue) = 0;
    /// Adds a use for each handler of the queue that runs on after now, leased or told to stop. It
    /// counts as begun at the beginning of time.
    virtual void fill_uses(const std::string& queue) = 0;

    // ---- Pauses --------------------------------------------------------------------------------

    /// True if anything is paused.
    [[nodiscard]] virtual bool has_pauses() = 0;
    [[nodiscard]] virtual bool is_paused(PauseKind kind, const std::string& name) = 0;
    /// Adds or removes a pause that is not or is there.
    virtual void put_pause(const SetPause& part) = 0;

    // ---- Sessions ------------------------------------------------------------------------------

    [[nodiscard]] virtual std::optional<Session> find_session(const SessionKey& key) = 0;
    virtual void put_session(const SessionKey& key, const Session& session) = 0;
    virtual void set_session_until(const SessionKey& key, Timestamp until) = 0;
    virtual void erase_session(const SessionKey& key) = 0;
    /// The sessions of a holder that last on after now.
    [[nodiscard]] virtual OwnedSessions owned_sessions(std::uint64_t holder) = 0;
    /// All sessions of a holder, and until when they last.
    [[nodiscard]] virtual std::vector<std::pair<SessionKey, Timestamp>> sessions_of(
        std::uint64_t holder) = 0;
    /// Sessions that are over, the longest first.
    [[nodiscard]] virtual std::vector<SessionKey> sessions_past(std::uint32_t max) = 0;
    /// Returns the session to which an attempt belongs.
    [[nodiscard]] virtual std::optional<SessionKey> session_used_by(LeaseToken token) = 0;
    virtual void put_session_use(LeaseToken token, const SessionKey& key, Timestamp until) = 0;
    virtual void erase_session_use(LeaseToken token) = 0;
    /// Removes uses of the session that run no longer than `until`.
    virtual void erase_session_uses(const SessionKey& key, Timestamp until) = 0;
    /// Returns until when a holder runs something of the session. Returns the beginning of time if
    /// it runs nothing.
    [[nodiscard]] virtual Timestamp session_busy_until(const SessionKey& key,
                                                       std::uint64_t holder) = 0;

    /// Called when a dead holder holds nothing any more. Later reads of dead holders need not
    /// return it.
    virtual void forget_holder(std::uint64_t /*holder*/) {}

    // ---- Keys, requests, retention, and what is left of deleted runs ---------------------------

    [[nodiscard]] virtual std::optional<KeyRow> find_key(const KeyId& id) = 0;
    /// Replaces an older row.
    virtual void put_key(const KeyId& id, const KeyRow& row) = 0;
    virtual void erase_key(const KeyId& id) = 0;
    /// Keys whose window is over, the longest first.
    [[nodiscard]] virtual std::vector<KeyId> keys_past(std::uint32_t max) = 0;
    /// Finds only a request that is kept until after now.
    [[nodiscard]] virtual std::optional<Request> find_request(const RequestKey& key) = 0;
    /// Replaces an older row.
    virtual void put_request(const RequestKey& key, const Request& request, Timestamp until) = 0;
    /// Removes requests that are kept until now or earlier, the longest over first. Returns their
    /// number.
    virtual std::uint64_t erase_requests_past(std::uint32_t max) = 0;
    [[nodiscard]] virtual std::optional<DeletedRun> find_deleted_run(RunRef run) = 0;
    virtual void put_deleted_run(const DeletedRun& gone, Timestamp until) = 0;
    /// The same for the remains of deleted runs.
    virtual std::uint64_t erase_deleted_runs_past(std::uint32_t max) = 0;
    /// Removes the policy of the namespace if the part has none.
    virtual void put_retention(const SetRetention& part) = 0;

    // ---- Documents -----------------------------------------------------------------------------

    [[nodiscard]] virtual bool has_document(const DocumentKey& key) = 0;
    /// Returns the greatest number of the kept documents of a name. Returns 0 if there is none.
    [[nodiscard]] virtual std::uint64_t last_document(const std::string& space,
                                                      const std::string& name) = 0;
    /// Called if it is not kept.
    virtual void insert_document(const std::string& space,
                                 const DocumentHead& head,
                                 const Payload& text) = 0;
    virtual void erase_document(const DocumentKey& key) = 0;
    /// True if a run has it.
    [[nodiscard]] virtual bool is_document_used(const DocumentKey& key) = 0;

    // ---- Failures ------------------------------------------------------------------------------

    /// Reports that the rows contradict each other. Throws: the change that met them fails.
    [[noreturn]] virtual void damaged(const std::string& what) const = 0;
    /// True if the exception says that a row cannot be read, now or later.
    [[nodiscard]] virtual bool is_unreadable(const std::exception& failure) const noexcept = 0;

protected:
    /// Returns null if there is none. Returns the same object each time.
    [[nodiscard]] virtual Run* load_run(RunKey key) = 0;
    /// Returns a place for a run that is not there yet. `load_run` finds it from now on.
    [[nodiscard]] virtual Run& add_run(const NewInstance& instance) = 0;
    /// Writes a touched run. A run with a `birth` is written for the first time.
    virtual void write_run(Run& run) = 0;
    virtual std::uint64_t erase_run(Run& run) = 0;
    /// Called when a transition is over. Rows other than runs need not be kept any more.
    virtual void forget_transition() {}

private:
    Timestamp now_;
    std::vector<Run*> dirty_;
};

/// Decrements a count of rows that is kept beside the rows.
template <class Count>
void count_down(const Rows& rows, Count& count, const char* what) {
    if (count == 0) rows.damaged(std::string("more ") + what + " than are counted");
    --count;
}

}  // namespace belay::store
