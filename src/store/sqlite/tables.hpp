// The rows of the file, for one group of changes.
#pragma once

#include "store/admission.hpp"
#include "store/capability.hpp"
#include "store/listeners.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/known_limits.hpp"
#include "store/sqlite/payloads.hpp"
#include "store/sqlite/rows.hpp"
#include "store/sqlite/vacancy.hpp"
#include <belay/store/store.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace belay::sqlite {

/// Draws numbers that ascend over all processes of the machine, as nearly as its clock does.
class Sequence {
public:
    [[nodiscard]] std::uint64_t next();

private:
    std::uint64_t last_ = 0;
};

/// Reads rows, and writes them inside a transaction that somebody else began.
///
/// Runs are read once and kept while the transaction lasts; changes to them are collected and
/// written by `flush`, once for each transition: a start fused with its first turn is one row
/// written once. Everything else is written at once. Lists of runs come from the file's indexes and
/// so flush first. Throws SqliteFailure.
class Tables {
public:
    Tables(Connection& connection, Sequence& sequence, KnownLimits& known_limits, Timestamp now)
        : connection_(connection), sequence_(sequence), known_limits_(known_limits), now_(now) {}

    [[nodiscard]] Timestamp now() const noexcept { return now_; }
    store::Notices notices;

    // ---- Runs ----

    [[nodiscard]] Run* find_run(RunRef run);
    [[nodiscard]] Run* find_run(RunKey key);
    [[nodiscard]] Run* find_run(const InstanceName& name);
    /// A run that must exist.
    [[nodiscard]] Run& run_of(RunKey key);
    struct Holders {
        std::optional<RunKey> current;
        std::vector<RunKey> formers;  ///< Runs whose name moved to another one.
    };
    [[nodiscard]] Holders holders_of(const InstanceName& name);
    /// Whether any run without a parent has lost its name there.
    [[nodiscard]] bool has_former_roots(const std::string& space);
    /// Runs without a parent that had the name of `run` before it.
    [[nodiscard]] std::vector<RunKey> former_roots_of(const Run& run);
    [[nodiscard]] RunAbout about(const Run& run);
    [[nodiscard]] const RunCode& code_of(Run& run);
    [[nodiscard]] Digest digest_of(const Run& run);
    /// The idempotency key it was started under.
    [[nodiscard]] std::optional<KeyId> key_of(const Run& run);

    /// A pending run; `instance` must stay until the next flush.
    Run& create_run(const NewInstance& instance);
    /// Its row, and all rows that are nowhere counted. Says how many executions it had.
    std::uint64_t delete_run(Run& run);
    void touch(Run& run);
    /// Writes the runs that were changed.
    void flush();
    /// Writes what is left of one transition.
    void finish_transition();

    /// Of the execution that it has just begun.
    void set_next_input(Run& run, const Payload& input, const std::string& version);
    /// Its name goes to another run.
    void set_former(Run& run);
    void set_version(Run& run, const std::string& version);
    void set_custom_status(Run& run, const Payload& status);
    void set_held_detail(Run& run, const std::optional<std::string>& detail);
    void append_history(Run& run, const HistoryRow& history);
    void close_execution(const Run& run, Timestamp ended_at);
    struct OldExecution {
        ExecutionNo execution = 0;
        std::uint64_t events = 0;
        std::uint64_t bytes = 0;  ///< Of its history.
    };
    /// What a Prune is about, the oldest first.
    [[nodiscard]] std::vector<OldExecution> prunable(const Run& run, const Prune& part);
    void delete_execution(Run& run, const OldExecution& old);
    void change_key_value(const Run& run, const KeyValueChange& change);

    [[nodiscard]] std::vector<RunKey> children_of(const Run& run);
    [[nodiscard]] std::vector<RunKey> open_children_of(const Run& run);
    /// Those that are canceled when it ends.
    [[nodiscard]] std::vector<RunKey> dependent_children_of(const Run& run);
    [[nodiscard]] bool has_dependent_children(const Run& run);
    /// Those, and the ones like them that have ended, if they are not settled.
    [[nodiscard]] std::vector<RunKey> unsettled_dependents_of(const Run& run);
    [[nodiscard]] std::vector<RunKey> open_children_of(const Run& run, CommandNo command);
    [[nodiscard]] std::vector<RunKey> waiting_for(RunKey run);
    struct ReadyRun {
        RunKey key;
        Timestamp at{};
    };
    struct FirstRuns {
        std::vector<ReadyRun> found;
        /// Ready before the last of those, and of other code: the first that a claim may put off,
        /// and one more.
        std::vector<ReadyRun> others;
    };
    /// The first `max` runs that can be claimed, the longest ready first; if there are fewer, then
    /// the first that can be later.
    [[nodiscard]] FirstRuns first_ready(std::size_t max,
                                        const std::vector<Shard>& shards,
                                        const store::CodeFilter& filter);
    /// Runs that were put off for want of code that is here after all, at most `max`.
    [[nodiscard]] std::vector<RunKey> wrongly_put_off(const store::CodeFilter& filter,
                                                      std::size_t max);
    /// It is put off for want of its code, or is not any more.
    void add_put_off(Run& run);
    void remove_put_off(RunKey run);
    [[nodiscard]] bool is_put_off(RunKey run);
    [[nodiscard]] std::vector<RunKey> past_deadline(std::uint32_t max);

    // ---- Messages and timers ----

    void add_message(Run& run, const NewMessage& message);
    /// What is received when it is due: a timer of this command, or without one a delayed message.
    void add_timed(Run& run,
                   Timestamp due_at,
                   const NewMessage& message,
                   std::optional<CommandNo> timer);
    /// Takes an entry out of a run's inbox; nothing when it is not there.
    void remove_waiting(Run& run, MessageNo number);
    void clear_timers(Run& run);
    /// Empties the inbox and says how many messages and timers there were.
    std::uint64_t clear_inbox(Run& run);
    [[nodiscard]] std::optional<MessageNo> find_timer(const Run& run,
                                                      ExecutionNo execution,
                                                      CommandNo command);
    /// Messages and due timers, in the order they are received: the first `max`, and all that were
    /// accepted before a cancel.
    [[nodiscard]] std::vector<Message> ready_messages(const Run& run, std::uint32_t max);
    /// How many wait that answer no command, delayed ones included.
    [[nodiscard]] std::uint64_t count_messages(const Run& run);
    void add_dead_letter(RunRef run, const NewMessage& message);
    [[nodiscard]] std::optional<Letter> find_letter(std::uint64_t id);
    void remove_letter(std::uint64_t id);
    /// Removes those to a run, and says how many there were.
    std::uint64_t delete_dead_letters(const Run& run);

    // ---- Activities and stopping records ----

    [[nodiscard]] const Activity* find_activity(const ActivityRef& activity);
    /// Reads all of one execution from `first` to `last`, so that they can be found.
    void read_activities(const ActivityRef& first, CommandNo last);
    void add_activity(Run& run, const Activity& activity, const NewActivity& about);
    /// Writes a change of its lease, attempts or visibility.
    void update_activity(const Activity& activity);
    /// It has begun once: it need not any more.
    void forget_start_time(Activity& activity);
    void set_progress(const Activity& activity, const Payload& progress);
    /// With the timer of one that must start. `activity` may be what was found.
    void remove_activity(Run& run, const Activity& activity);
    [[nodiscard]] std::vector<ActivityRef> activities_of(const Run& run);
    /// Puts activities whose time has come in line, once for each group.
    void promote_activities();
    [[nodiscard]] bool queue_is_empty(const std::string& queue);
    // What stands in line: line.cpp.

    /// The first name after another that something in a queue has.
    [[nodiscard]] std::optional<std::string> name_in_line(const std::string& queue,
                                                          const std::string& after);
    /// The first lane of a name, or the first after another: a fairness key, if those have limits.
    [[nodiscard]] std::optional<std::string> lane_in_line(const std::string& queue,
                                                          const std::string& name,
                                                          const std::optional<std::string>& after);
    /// Whether anything is in line that who has these names could take; null: all names. May say so
    /// where much is in line that they could not.
    [[nodiscard]] bool has_in_line(const std::string& queue,
                                   const std::vector<std::string>* names,
                                   store::Admission& admission);
    struct NextActivities {
        std::vector<ActivityRef> found;
        ReadyIn ready_in;          ///< Of those in line that are not claimed.
        std::uint64_t marked = 0;  ///< How many nobody seems to have the names of.
    };
    [[nodiscard]] NextActivities next_activities(const ClaimActivities& request);
    /// When the first of those that wait will be claimable.
    [[nodiscard]] std::optional<Timestamp> first_waiting();
    /// A row, and of `item` all that its handler needs. If that cannot be read, the row is there
    /// all the same.
    void read_claimable(const ActivityRef& ref, Activity& activity, ClaimedActivity& item);

    [[nodiscard]] bool has_stopping(const StoppingKey& key);
    void add_stopping(Run& run, const StoppingKey& key, const std::string& worker, Timestamp until);
    /// Removes a record; the caller settles the run.
    void remove_stopping(Run& run, const StoppingKey& key);
    [[nodiscard]] std::vector<StoppingKey> stopping_past(std::uint32_t max);
    /// Handlers of a run that stop, and until when that is kept.
    [[nodiscard]] std::vector<std::pair<LeaseToken, Timestamp>> stopping_of(const Run& run);

    // ---- Limits of queues, and sessions: tables_admission.cpp ----

    /// Null for a queue without limits.
    [[nodiscard]] const QueueLimits* limits_of(const std::string& queue);
    [[nodiscard]] std::optional<store::QueueRoom> room_of(const std::string& queue);
    void add_starts_of(const std::string& queue, const std::string& key, store::QueueRoom& room);
    [[nodiscard]] std::optional<store::Session> session(const store::SessionKey& key);
    [[nodiscard]] store::OwnedSessions owned(std::uint64_t holder);
    /// It was leased just now. `key`: its fairness key; `idle`: how long its session is kept when
    /// nothing of it runs.
    void note_begun(const Activity& activity, const std::string& key, Millis idle);
    /// Its lease was extended.
    void note_renewed(const Activity& activity);
    /// It has ended under its token, or was given back; CountAttempt::no: nothing of it ran.
    void note_ended(const Activity& activity, CountAttempt count);
    /// Its handler had begun, and ended because its worker leaves.
    void note_interrupted(const Activity& activity);
    /// It was told to stop, and may run on until then.
    void note_stopping(LeaseToken token, Timestamp until);
    /// One that was told to stop has ended.
    void note_stopped(LeaseToken token);
    void set_limits(const SetQueueLimits& part);
    /// Lets go of those of a holder that nothing runs of: tables_sessions.cpp. False: there was
    /// nothing to let go of.
    bool release_sessions(std::uint64_t holder);
    [[nodiscard]] std::uint64_t forget_sessions_past(std::uint32_t max);

    // ---- Retention: retention.cpp ----

    void set_retention(const SetRetention& part);
    /// What was set for a namespace, beside its head.
    [[nodiscard]] RetentionPolicy retention_of(const std::string& space);

    // ---- Keys, requests, and what is left of deleted runs ----

    [[nodiscard]] std::optional<KeyRow> find_key(const KeyId& id);
    void put_key(const KeyId& id, const KeyRow& row);
    void outlive_key(const KeyId& id, Status last_status);
    void delete_key(const KeyId& id);
    [[nodiscard]] std::vector<KeyId> keys_past(std::uint32_t max);
    [[nodiscard]] std::optional<Request> find_request(const RequestKey& key);
    void put_request(const RequestKey& key, const Request& request, Timestamp until);
    [[nodiscard]] std::uint64_t delete_requests_past(std::uint32_t max);
    [[nodiscard]] std::optional<Gone> find_gone(RunRef run);
    void add_gone(const Gone& gone, Timestamp until);
    [[nodiscard]] std::uint64_t delete_gone_past(std::uint32_t max);

private:
    [[nodiscard]] std::unique_ptr<Run> load_run(RunKey key);
    void insert_run(Run& run);
    void update_run(Run& run);
    void refresh_inbox(Run& run);
    /// Sets or removes the timer of an activity that must start by some time.
    void refresh_start_timer(const Activity& activity, bool must_start);
    [[nodiscard]] std::set<std::string> queues_of(const ClaimActivities& request);
    [[nodiscard]] const LimitsByQueue& limits();
    /// Sets how long an attempt runs that counts for limits; says whether it is such a one.
    bool set_use(LeaseToken token, Timestamp until);
    void end_use(LeaseToken token);
    // tables_sessions.cpp. Of activities that belong to one; nothing of any other.
    [[nodiscard]] store::SessionKey session_of(const Activity& activity);
    [[nodiscard]] std::optional<store::SessionKey> session_used_by(LeaseToken token);
    void enter_session(const Activity& activity, Millis idle);
    void stay_in_session(const Activity& activity);
    void stop_in_session(LeaseToken token, Timestamp until);
    void leave_session(LeaseToken token, store::Kept kept);
    void put_session_use(LeaseToken token, const store::SessionKey& key, Timestamp until);
    /// Those that ran no longer than until then.
    void delete_session_uses(const store::SessionKey& key, Timestamp until);
    [[nodiscard]] Timestamp busy_until(const store::SessionKey& key, std::uint64_t holder);
    void keep_session(const store::SessionKey& key, std::uint64_t holder, Timestamp until);
    void set_session_until(const store::SessionKey& key, Timestamp until);
    void forget_session(const store::SessionKey& key);
    void written(Run& run);
    [[nodiscard]] static std::vector<RunKey> list(Query& query);
    /// Deletes the rows of a run from a table of which most runs have none, and says how many there
    /// were. `around` finds the neighbours of a run that have some.
    std::uint64_t delete_rare(RunKey run, Vacancy& vacancy, Sql statement, Sql around);
    void put_large(const LargePlace& place, const std::string& bytes);
    /// Whether a key is beyond the highest of a table, which is asked for once.
    [[nodiscard]] bool beyond_last(RunKey key, std::optional<std::int64_t>& last, Sql statement);
    /// Binds bytes that may be long, and keeps those that are in `large`.
    [[nodiscard]] std::optional<Blob> bind_long(const Run& run,
                                                LargePart part,
                                                const std::string& bytes);

    Connection& connection_;
    Sequence& sequence_;
    KnownLimits& known_limits_;
    Timestamp now_;
    std::unordered_map<RunKey, std::unique_ptr<Run>> runs_;  ///< Null: there is no such run.
    std::vector<Run*> dirty_;
    std::optional<std::int64_t> last_run_;
    std::optional<std::int64_t> last_gone_;
    std::map<std::string, bool> former_roots_;  ///< Namespaces that were asked about.
    Vacancy no_large_;
    Vacancy no_key_values_;
    Vacancy no_dead_letters_;
    std::map<ActivityRef, std::optional<Activity>> activities_;  ///< Of one transition.
    bool promoted_ = false;
    std::map<std::string, bool> empty_queues_;
    std::optional<bool> has_session_uses_;  ///< Of anybody, once that was asked.
    std::set<std::string> uses_cleaned_;    ///< Queues whose uses that count no more are gone.
    std::shared_ptr<const LimitsByQueue> limits_;  ///< Those of all queues; null: not asked yet.
};

/// What an Admission asks of these rows.
class AdmissionRows final : public store::AdmissionRows {
public:
    explicit AdmissionRows(Tables& tables) : tables_(tables) {}

    [[nodiscard]] std::optional<store::QueueRoom> room_of(const std::string& queue) override {
        return tables_.room_of(queue);
    }
    void add_starts_of(const std::string& queue,
                       const std::string& key,
                       store::QueueRoom& room) override {
        tables_.add_starts_of(queue, key, room);
    }
    [[nodiscard]] std::optional<store::Session> session(const store::SessionKey& key) override {
        return tables_.session(key);
    }
    [[nodiscard]] store::OwnedSessions owned(std::uint64_t holder) override {
        return tables_.owned(holder);
    }

private:
    Tables& tables_;
};

}  // namespace belay::sqlite
