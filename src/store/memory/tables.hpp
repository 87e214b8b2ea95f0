// All rows of the memory store with the indexes over them, and the upkeep that keeps the two in
// step. Nothing here is scanned as a whole, except by the consistency check.
#pragma once

#include "store/listeners.hpp"
#include "store/memory/rows.hpp"
#include <belay/store/store.hpp>

#include <tuple>

namespace belay::memory {

/// `at` + `delay`, at most the end of time.
[[nodiscard]] Timestamp later(Timestamp at, Millis delay) noexcept;

/// An ordered set that can also be asked for some shards only.
template <class Key>
class ShardedSet {
public:
    void insert(Shard shard, const Key& key) {
        all_.insert(key);
        by_shard_[shard].insert(key);
    }
    void erase(Shard shard, const Key& key) {
        BELAY_ASSERT(all_.erase(key) == 1);
        const auto found = by_shard_.find(shard);
        BELAY_ASSERT(found != by_shard_.end() && found->second.erase(key) == 1);
        if (found->second.empty()) by_shard_.erase(found);
    }
    /// Null when there is nothing of that shard.
    [[nodiscard]] const std::set<Key>* of(Shard shard) const {
        const auto found = by_shard_.find(shard);
        return found == by_shard_.end() ? nullptr : &found->second;
    }
    /// The sets that hold all of `shards`; everything, when none is named.
    [[nodiscard]] std::vector<const std::set<Key>*> of(const std::vector<Shard>& shards) const {
        if (shards.empty()) return {&all_};
        std::vector<const std::set<Key>*> found;
        for (const Shard shard : std::set<Shard>(shards.begin(), shards.end())) {
            if (const std::set<Key>* keys = of(shard)) found.push_back(keys);
        }
        return found;
    }
    [[nodiscard]] const std::set<Key>& all() const noexcept { return all_; }
    [[nodiscard]] const std::map<Shard, std::set<Key>>& by_shard() const noexcept {
        return by_shard_;
    }

private:
    std::set<Key> all_;
    std::map<Shard, std::set<Key>> by_shard_;
};

/// Longest ready first; of those ready since the same moment, the oldest run.
struct ReadyKey {
    Timestamp at{};
    RunKey key;
    Shard shard;
    auto operator<=>(const ReadyKey&) const = default;

    [[nodiscard]] RunRef run() const noexcept { return RunRef{shard, key}; }
};

/// The longest ended first; of those that ended at the same moment, the oldest run.
using EndedKey = ReadyKey;
/// A namespace, a definition, and how it ended.
using OutcomeKey = std::tuple<std::string, std::string, Status>;
/// The oldest run first.
using ChainKey = std::pair<RunKey, Shard>;

struct Tables {
    std::map<RunRef, Run> runs;
    std::map<InstanceName, RunRef> names;              ///< The current run of each name.
    std::map<InstanceName, std::set<RunRef>> formers;  ///< Runs whose name moved to another one.
    std::map<ActivityRef, Activity> activities;
    std::map<StoppingKey, Stopping> stopping;
    std::map<KeyId, KeyRow> keys;
    std::map<RequestKey, Request> requests;
    std::map<RunRef, Gone> gone;
    std::map<std::uint64_t, DeadLetter> dead_letters;
    std::map<std::string, StoredRetention> retention;  ///< By namespace.
    std::map<std::string, StoredQueueLimits> limits;   ///< By queue.
    std::map<LeaseToken, QueueUse> uses;               ///< Of queues that have limits.
    std::map<SessionKey, store::Session> sessions;
    std::map<LeaseToken, SessionUse> session_uses;
    std::uint64_t next_letter = 1;
    std::uint64_t next_activity = 1;

    // Indexes.
    ShardedSet<ReadyKey> ready;  ///< Runs that can be claimed from then on.
    std::map<std::string, ShardedSet<ClaimKey>> claimable;  ///< Activities, by queue.
    std::set<std::pair<Timestamp, ActivityRef>> waiting;    ///< Activities claimable later.
    std::set<std::pair<Timestamp, RunRef>> deadlines;       ///< Canceling runs.
    std::set<RunRef> held;
    std::map<std::string, std::set<EndedKey>> ended;       ///< Roots, by namespace.
    std::map<OutcomeKey, std::set<EndedKey>> outcomes;     ///< The same ones, by how they ended.
    std::map<std::string, std::set<ChainKey>> chains;      ///< Runs with old executions, likewise.
    std::map<store::CodeKey, std::set<ChainKey>> put_off;  ///< By the code that they wait for.
    std::map<RunRef, std::set<std::uint64_t>> letters_to;
    std::set<std::pair<Timestamp, StoppingKey>> stopping_until;
    std::set<std::pair<Timestamp, RequestKey>> requests_until;
    std::set<std::pair<Timestamp, RunRef>> gone_until;
    std::set<std::pair<Timestamp, KeyId>> keys_until;
    std::map<RunRef, std::set<RunRef>> waiters;                 ///< By the run they wait for.
    std::map<std::string, std::set<LeaseToken>> uses_of;        ///< By queue.
    std::map<std::uint64_t, std::set<SessionKey>> sessions_of;  ///< By holder.
    std::set<std::pair<Timestamp, SessionKey>> sessions_until;
    std::map<SessionKey, std::set<LeaseToken>> session_uses_of;

    store::Notices notices;
};

// ---- Finding -----------------------------------------------------------------------------------

[[nodiscard]] Run* find_run(Tables& tables, RunRef run);
[[nodiscard]] const Run* find_run(const Tables& tables, RunRef run);
[[nodiscard]] const Run* find_run(const Tables& tables, const InstanceName& name);
[[nodiscard]] Run* find_run(Tables& tables, const InstanceName& name);
/// A run that must exist.
[[nodiscard]] Run& run_of(Tables& tables, RunRef run);
[[nodiscard]] const Activity* find_activity(const Tables& tables, const ActivityRef& activity);
[[nodiscard]] InstanceBrief brief_of(const Run& run);
/// The first activity row of `run`; those of a run are neighbours.
[[nodiscard]] std::map<ActivityRef, Activity>::iterator first_activity(Tables& tables, RunRef run);

// ---- Upkeep: each leaves rows and indexes in step ----------------------------------------------

/// Brings a run's index entries up to date. Whoever changes what they are computed from calls it.
void refresh(Tables& tables, Run& run);
/// Takes a run out of all indexes: it is about to be deleted.
void unindex(Tables& tables, Run& run);

/// Puts a message into a run's inbox, behind all that came before it whatever the clock says.
void add_message(Tables& tables, Run& run, Timestamp now, NewMessage message);
/// Puts something into a run's inbox that is received when it is due: a timer of this command, or
/// without one a delayed message.
void add_timed(Tables& tables,
               Run& run,
               Timestamp due_at,
               NewMessage message,
               std::optional<CommandRef> timer);
/// Takes an entry out of a run's inbox; nothing when it is not there. Leaves `refresh` to the
/// caller.
void remove_waiting(Run& run, MessageNo number);
void clear_inbox(Run& run);

void add_activity(Tables& tables, Activity activity, Timestamp now);
/// With the timer of one that must start.
void remove_activity(Tables& tables, const ActivityRef& activity);
/// To be called after a change of its lease, attempts or visibility.
void refresh(Tables& tables, Activity& activity, Timestamp now);
/// Moves activities whose time has come to where they are claimed from.
void promote_activities(Tables& tables, Timestamp now);

void add_dead_letter(Tables& tables, DeadLetter letter);
/// Removes those to a run, and says how many there were.
std::uint64_t remove_dead_letters(Tables& tables, RunRef run);

void add_stopping(Tables& tables, const StoppingKey& key, Stopping record);
/// Removes a record, which may settle its run.
void remove_stopping(Tables& tables, const StoppingKey& key);
/// Whether it is settled, but for children that go on when their parent ends: whoever replaces it
/// waits for nothing else.
[[nodiscard]] bool is_at_rest(const Tables& tables, const Run& run);
/// Marks a run settled if it is now, and so on upwards; runs that waited for it, or for one above
/// it, may then be claimed.
void settle(Tables& tables, Run& run);
/// Takes a run out of the list of those that wait for the run they replace.
void stop_waiting(Tables& tables, Run& run);
/// `gone` is at rest, or deleted: those that waited for it can go ahead.
void wake_waiters(Tables& tables, RunRef gone);

}  // namespace belay::memory
