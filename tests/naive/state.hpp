// Everything the naive store keeps: plain rows, found by looking through them.
//
// This store is written from the contract (include/belay/store) alone and shares no rule with those
// that Belay ships, so that it can judge them. It is slow, keeps nothing that follows from the
// rest, and has no index.
#pragma once

#include <belay/store/store.hpp>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace belay::naive {

inline constexpr Timestamp kNever = Timestamp::max();
inline constexpr Timestamp kAlways = Timestamp::min();

/// Rows by their key. While a transition is at work it remembers what it changes, to undo it.
template <class Key, class Row>
class Table {
public:
    [[nodiscard]] auto begin() const { return rows_.begin(); }
    [[nodiscard]] auto end() const { return rows_.end(); }
    [[nodiscard]] const std::map<Key, Row>& rows() const { return rows_; }
    /// Null when it is not there.
    [[nodiscard]] const Row* find(const Key& key) const {
        const auto found = rows_.find(key);
        return found == rows_.end() ? nullptr : &found->second;
    }
    /// The same, to change it.
    [[nodiscard]] Row* write(const Key& key) {
        const auto found = rows_.find(key);
        if (found == rows_.end()) return nullptr;
        remember(key);
        return &found->second;
    }
    Row& put(const Key& key, Row row) {
        remember(key);
        return rows_[key] = std::move(row);
    }
    void erase(const Key& key) {
        remember(key);
        rows_.erase(key);
    }

    void keep_old() { old_.emplace(); }
    void forget_old() { old_.reset(); }
    void undo() {
        for (const auto& [key, row] : *old_) {
            rows_.erase(key);
            if (row) rows_.emplace(key, *row);
        }
        old_.reset();
    }

private:
    void remember(const Key& key) {
        if (!old_ || old_->contains(key)) return;
        const Row* row = find(key);
        old_->emplace(key, row != nullptr ? std::optional(*row) : std::nullopt);
    }

    std::map<Key, Row> rows_;
    std::optional<std::map<Key, std::optional<Row>>> old_;
};

/// A message or a timer that its run has not received.
struct Waiting {
    MessageNo number = 0;
    Timestamp at{};                        ///< As Message::sent_at.
    Timestamp accepted{};                  ///< For a plain message: the time the store showed.
    bool timed = false;                    ///< Received at `at`, and not before.
    std::optional<CommandNo> timer{};      ///< In the current execution.
    std::optional<CommandNo> unstarted{};  ///< Tells that this activity was not begun in time.
    NewMessage content{};
};

struct Execution {
    ExecutionInfo info;
    std::vector<RecordedRow> rows;
};

struct Lock {
    LeaseToken token;
    Timestamp until{};
    Timestamp since{};
    std::string worker;
    bool cancel_seen = false;
};

/// The output of an attempt.
struct Output {
    struct Numbered {
        std::uint64_t number = 0;
        OutputChunk chunk;
    };
    AttemptOutput about;
    LeaseToken writer{};
    std::uint64_t taken = 0;  ///< From that writer.
    bool closed = false;      ///< The beginning takes no more.
    std::vector<Numbered> beginning{};
    std::vector<Numbered> end{};
};

struct Run {
    NewInstance about;  ///< Version and input are those of the current execution.
    bool named = true;  ///< False: it lost its name to a replacement.
    CommitId started_by{};
    CommitId last_commit{};
    Digest input_digest{};
    Status status = Status::pending;
    Timestamp created_at{};
    std::optional<Timestamp> started_at{};
    std::optional<Timestamp> ended_at{};
    std::vector<Execution> executions{};  ///< The last is the current one.
    std::optional<Outcome> outcome{};
    std::optional<CancelRecord> cancel{};
    std::optional<Timestamp> cancel_deadline{};
    std::optional<Payload> custom_status{};
    std::uint64_t custom_status_version = 0;
    std::map<std::string, Payload> key_values{};
    std::vector<RunRef> children{};  ///< As they were started.
    std::vector<Waiting> inbox{};
    MessageNo next_message = 1;
    Timestamp last_sent = kAlways;
    std::uint64_t message_room = Limits().buffered_messages;
    std::optional<Timestamp> wants_turn{};  ///< Whatever messages there are.
    Timestamp not_before = kAlways;
    std::optional<Lock> lock{};
    std::uint32_t attempts = 0;
    std::uint32_t overruns = 0;
    std::uint32_t unregistered = 0;
    std::optional<Timestamp> code_missing_since{};
    bool given_back = false;  ///< Somebody claimed it and had not the code.
    bool held = false;
    std::string held_detail{};
    std::optional<FailureKind> held_kind{};
    Timestamp held_since{};
    std::optional<RunRef> waits_for{};
    bool nothing_to_clean_up = false;
    std::int32_t priority = 0;  ///< With that of the runs above it.
    std::optional<Timestamp> begin_by{};
    std::optional<Timestamp> end_by{};
    std::optional<Concurrency> concurrency{};
    bool has_rate = false;   ///< It was started with one.
    std::uint64_t line = 0;  ///< Its place in the line of that key. 0: it does not wait.
    std::optional<std::string> key{};
    std::vector<Output> output{};        ///< Of attempts, as they began to write.
    std::uint64_t chunks_written = 0;    ///< Ever.
    std::uint64_t attempts_dropped = 0;  ///< For want of room.

    [[nodiscard]] RunRef ref() const { return about.run; }
    [[nodiscard]] bool ended() const { return is_terminal(status); }
    [[nodiscard]] bool locked(Timestamp now) const { return lock && lock->until > now; }
    [[nodiscard]] Execution& current() { return executions.back(); }
    [[nodiscard]] const Execution& current() const { return executions.back(); }
    [[nodiscard]] ExecutionNo execution() const { return current().info.execution; }
    [[nodiscard]] EventNo position() const { return current().info.events; }
    [[nodiscard]] InstanceBrief brief() const { return {ref(), about.name, status, false}; }
};

struct Activity {
    ActivityRef ref;
    NewActivity about;
    std::uint64_t place = 0;
    Timestamp visible_at{};
    std::optional<LeaseToken> token{};
    std::string worker{};
    Timestamp leased_until{};  ///< Without a token: when it was last given back.
    Timestamp leased_since{};
    bool set_aside = false;  ///< By a claim that found it too late. For good.
    std::uint32_t attempt = 0;
    std::uint32_t unregistered = 0;
    std::optional<Payload> progress{};
    std::optional<Timestamp> progress_at{};

    [[nodiscard]] bool leased(Timestamp now) const { return token && leased_until > now; }
    [[nodiscard]] bool too_late(Timestamp now) const {
        return set_aside || (about.schedule_to_start && !token && attempt == 0 &&
                             *about.schedule_to_start <= now);
    }
};

using SessionName = std::pair<std::string, std::string>;  ///< Namespace and name.

/// A handler that may be running though its row is gone.
struct Stopping {
    ActivityRef activity;
    LeaseToken token;
    std::string worker;
    Timestamp until{};
    Timestamp since{};
    std::string queue;
    std::string fairness_key;
    SessionName session;
    bool orphan = false;  ///< Its run was deleted: it counts for limits and sessions only.
    bool limited = true;  ///< It counts for the limits of its queue.
};

struct Session {
    std::uint64_t holder = 0;
    std::string worker;
    Millis idle{0};
    Timestamp idle_until = kAlways;  ///< Kept so long when nothing of it runs.
};

/// A beginning, for the rates of a queue that has limits.
struct StartTime {
    std::string queue;
    std::string fairness_key;
    LeaseToken token;
    Timestamp at{};
};

/// A start that counts for the rate of its definition. Its run may begin at `at`.
struct StartPlace {
    std::string space;
    std::string definition;
    std::uint64_t number = 0;
    Timestamp at{};
    Timestamp until{};
};

using KeyName = std::tuple<std::string, std::string, std::string, std::string>;
struct Key {
    RunRef run;
    InstanceName name;
    KeyScope scope = KeyScope::forever;
    std::optional<Timestamp> until{};
    Digest input_digest{};
    std::optional<Status> deleted{};  ///< The status that its run had then.
};

struct Document {
    DocumentHead head;
    Payload text;
};

struct Request {
    std::size_t part = 0;
    std::string target;
    Digest digest{};
    Answer answer;
    Timestamp until{};
};

/// The remains of a deleted run.
struct DeletedRun {
    CommitId started_by;
    CommitId deleted_by{};  ///< The deletion that named this run.
    InstanceBrief brief;
    DeleteCounts counts{};
    Timestamp until{};
};

/// Tables with few rows: kept for undoing as they are.
struct SmallTables {
    std::vector<Stopping> stopping;
    std::map<SessionName, Session> sessions;
    std::map<std::string, StoredQueueLimits> limits;
    std::map<std::pair<PauseKind, std::string>, Pause> pauses;
    std::vector<StartTime> begun;
    std::vector<StartPlace> places;  ///< As they were taken.
    std::map<std::uint64_t, DeadLetter> letters;
    std::map<std::string, StoredRetention> retention;
    std::vector<RunRef> waiting;  ///< For the run they replace.
    std::uint64_t next_letter = 1;
    std::uint64_t next_place = 1;
    Timestamp latest = kAlways;  ///< The latest time that the clock showed.
};

struct State : SmallTables {
    Table<RunKey, Run> runs;
    Table<InstanceName, RunRef> names;
    Table<ActivityRef, Activity> activities;
    Table<KeyName, Key> keys;
    Table<std::pair<std::string, std::string>, Request> requests;
    Table<RunRef, DeletedRun> gone;
    Table<std::pair<std::string, Digest>, Document> documents;

    [[nodiscard]] const Run* find(RunRef ref) const;
    [[nodiscard]] const Run* find(const InstanceName& name) const;
    /// To change it.
    [[nodiscard]] Run* write(RunRef ref);
    void for_each_table(const auto& use) {
        use(runs);
        use(names);
        use(activities);
        use(keys);
        use(requests);
        use(gone);
        use(documents);
    }
};

// ---- Conclusions from the rows -----------------------------------------------------------------

/// Those that are there, in the order they were started.
[[nodiscard]] std::vector<RunRef> children_of(const State& state, RunRef parent);
[[nodiscard]] std::vector<ActivityRef> activities_of(const State& state, RunRef run);
/// Ended, and no handler of it or of anything below it is still running.
[[nodiscard]] bool settled(const State& state, const Run& run);
/// Settled, but for children below it that go on by themselves.
[[nodiscard]] bool at_rest(const State& state, const Run& run);
/// All that goes with a run, children before their parents.
[[nodiscard]] std::vector<RunRef> tree_of(const State& state, RunRef root);
/// Earlier runs that lost this name.
[[nodiscard]] std::vector<RunRef> formers_of(const State& state, const InstanceName& name);

/// The messages it would receive now, in order.
[[nodiscard]] std::vector<Message> ready_messages(const Run& run, Timestamp now);
/// From when on its first turn would begin too late; kNever: it has begun, or is under way.
[[nodiscard]] Timestamp expires_at(const Run& run);
/// From when on it is ended without code.
[[nodiscard]] Timestamp late_at(const Run& run);
/// The runs of the concurrency key of a new or other run.
[[nodiscard]] std::vector<RunRef> concurrent_runs(const State& state,
                                                  const NewInstance& about,
                                                  const std::string& key);
/// From when on it can be claimed; kNever: something else must happen first.
[[nodiscard]] Timestamp ready_at(const Run& run);
/// The number of runs that have a document.
[[nodiscard]] std::uint64_t users_of(const State& state,
                                     const std::string& space,
                                     const Digest& of);
[[nodiscard]] bool is_taken(const State& state, const Key& key, Timestamp now);

/// From when on the limits of its queue let one more begin, by the passing of time alone.
[[nodiscard]] Timestamp room_from(const State& state,
                                  const std::string& queue,
                                  const std::string& fairness_key,
                                  Timestamp now);
/// Until when a session belongs to its holder.
[[nodiscard]] Timestamp session_until(const State& state,
                                      const SessionName& name,
                                      const Session& session);
/// From when on this holder may have the session.
[[nodiscard]] Timestamp session_from(const State& state,
                                     const SessionName& name,
                                     std::uint64_t holder,
                                     std::uint32_t most,
                                     Timestamp now);
/// From when on nobody has it and its time has come.
[[nodiscard]] Timestamp free_from(const Activity& activity, Timestamp now);
[[nodiscard]] SessionName session_of(const State& state, const Activity& activity);
/// Leases it, as a claim or a hand-over does.
void lease(State& state,
           Activity& activity,
           LeaseToken token,
           const std::string& worker,
           Millis lease,
           Millis session_idle,
           Timestamp now);

}  // namespace belay::naive
