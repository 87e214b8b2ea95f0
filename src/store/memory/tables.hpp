// All rows of the memory store with the indexes over them, and the functions that keep the two in
// step. Nothing here is scanned as a whole, except by the consistency check.
#pragma once

#include "store/memory/rows.hpp"
#include "store/rules/rows.hpp"
#include <belay/store/store.hpp>

#include <tuple>

namespace belay::memory {

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
    /// Returns null if there is nothing of that shard.
    [[nodiscard]] const std::set<Key>* of(Shard shard) const {
        const auto found = by_shard_.find(shard);
        return found == by_shard_.end() ? nullptr : &found->second;
    }
    /// Returns the sets that hold all of `shards`. No shards named: everything.
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

/// The longest ready first, then the oldest run.
struct ReadyKey {
    Timestamp at{};
    RunKey key;
    Shard shard;
    auto operator<=>(const ReadyKey&) const = default;

    [[nodiscard]] RunRef run() const noexcept { return RunRef{shard, key}; }
};

/// The longest ended first, then the oldest run.
using EndedKey = ReadyKey;
/// A namespace, a definition, and the way it ended.
using OutcomeKey = std::tuple<std::string, std::string, Status>;
/// The oldest run first.
using ChainKey = std::pair<RunKey, Shard>;

/// The activities in line of one queue: by name, and by lane.
using Lanes = std::map<std::string, std::map<std::string, std::set<ClaimKey>>>;

/// A rate, and the number of one of its places.
using RatePlaceKey = std::pair<store::RateId, std::uint64_t>;

struct Tables {
    std::map<RunRef, Run> runs;
    std::map<InstanceName, RunRef> names;              ///< The current run of each name.
    std::map<InstanceName, std::set<RunRef>> formers;  ///< Runs whose name moved to another one.
    std::map<ActivityRef, Activity> activities;
    std::map<StoppingKey, Stopping> stopping;
    std::map<KeyId, KeyRow> keys;
    std::map<RequestKey, Request> requests;
    std::map<RunRef, DeletedRun> gone;
    std::map<std::uint64_t, DeadLetter> dead_letters;
    std::map<std::string, StoredRetention> retention;  ///< By namespace.
    std::map<std::string, StoredQueueLimits> limits;   ///< By queue.
    std::map<std::pair<PauseKind, std::string>, Pause> pauses;
    std::map<LeaseToken, QueueUse> uses;  ///< For queues that have limits.
    std::map<SessionKey, store::Session> sessions;
    std::map<LeaseToken, SessionUse> session_uses;
    std::map<store::DocumentKey, Document> documents;
    /// Runs that are under way or in line under a key: how they wait, by place and key.
    std::map<store::ConcurrencyId, std::map<std::pair<std::uint64_t, RunKey>, WhenBusy>> concurrent;
    std::map<RatePlaceKey, store::RatePlace> rate_places;
    std::map<RunRef, Output> output;  ///< Of runs that have some.
    std::uint64_t next_letter = 1;
    std::uint64_t next_activity = 1;

    // Indexes.
    std::unordered_map<RunKey, RunRef> runs_by_key;
    ShardedSet<ReadyKey> ready;  ///< Runs that can be claimed from then on.
    std::map<std::string, ShardedSet<ClaimKey>> claimable;  ///< Activities, by queue.
    std::map<std::string, Lanes> lanes;                     ///< The same activities.
    std::set<std::pair<Timestamp, ActivityRef>> waiting;    ///< Activities claimable later.
    std::set<std::pair<Timestamp, RunRef>> deadlines;       ///< Runs that a sweep ends then.
    std::set<RunRef> held;
    std::map<std::string, std::set<EndedKey>> ended;       ///< Roots, by namespace.
    std::map<OutcomeKey, std::set<EndedKey>> outcomes;     ///< The same roots, by the way they
                                                           ///< ended.
    std::map<std::string, std::set<ChainKey>> chains;      ///< Runs with old executions, likewise.
    std::map<store::CodeKey, std::set<ChainKey>> put_off;  ///< By the code that they wait for.
    std::map<RunRef, std::set<std::uint64_t>> letters_to;
    std::set<std::pair<Timestamp, StoppingKey>> stopping_until;
    std::set<std::pair<Timestamp, RequestKey>> requests_until;
    std::set<std::pair<Timestamp, RatePlaceKey>> rate_places_until;
    std::set<std::pair<Timestamp, RunRef>> gone_until;
    std::set<std::pair<Timestamp, KeyId>> keys_until;
    std::map<RunKey, std::set<RunKey>> waiters;                 ///< By the run they wait for.
    std::map<std::string, std::set<LeaseToken>> uses_of;        ///< By queue.
    std::map<std::uint64_t, std::set<SessionKey>> sessions_of;  ///< By holder.
    std::set<std::pair<Timestamp, SessionKey>> sessions_until;
    std::map<SessionKey, std::set<LeaseToken>> session_uses_of;
    std::map<store::DocumentKey, std::set<RunRef>> document_users;
    /// By namespace and name.
    std::map<std::pair<std::string, std::string>, std::map<std::uint64_t, Digest>> document_numbers;
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

/// Removes the first rows whose time is over, with their entries of the index.
template <class Index, class Table>
std::uint64_t erase_past(Index& index, Table& table, Timestamp now, std::uint32_t max) {
    std::uint64_t count = 0;
    for (; count < max && !index.empty() && index.begin()->first <= now; ++count) {
        table.erase(index.begin()->second);
        index.erase(index.begin());
    }
    return count;
}

/// Brings a run's index entries up to date. Call it after changing the values they are computed
/// from.
void refresh(Tables& tables, Run& run);
/// Removes a run from all indexes before it is deleted.
void unindex(Tables& tables, Run& run);

/// Puts something into a run's inbox.
void add_waiting(Run& run, MessageNo number, Timestamp at, Waiting entry);
/// Removes an entry from a run's inbox and returns its kind. Leaves `refresh` to the caller.
store::TakenOut remove_waiting(Run& run, MessageNo number);

/// Puts the row of an activity in line, or among those that wait.
void index(Tables& tables, Activity& activity);
void unindex(Tables& tables, Activity& activity);
void remove_activity(Tables& tables, const ActivityRef& activity);

void add_dead_letter(Tables& tables, DeadLetter letter);
void remove_dead_letter(Tables& tables, std::uint64_t id);
void remove_stopping(Tables& tables, const StoppingKey& key);
void remove_key(Tables& tables, const KeyId& id);
void remove_use(Tables& tables, LeaseToken token);
void remove_session(Tables& tables, const SessionKey& key);
void remove_session_use(Tables& tables, LeaseToken token);

// rows_documents.cpp: the runs that have a document.
void add_user(Tables& tables, const Run& run);
void remove_user(Tables& tables, const Run& run);
/// Returns contradictions between documents and their indexes.
[[nodiscard]] std::vector<std::string> document_problems(const Tables& tables);

/// The session of an activity; its name is empty if it has none.
[[nodiscard]] SessionKey session_of(const Tables& tables, const Activity& activity);

}  // namespace belay::memory
