// The store contract: what the stores in memory and on SQLite have in common, and what a third
// party's store must do. `tests/conformance` is its executable form.
#pragma once

#include <belay/error.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/listing.hpp>
#include <belay/store/query.hpp>
#include <belay/store/transition.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace belay {

/// What a store needs to know to act on its own. How long stopping may take is not among it: each
/// transition brings its StopTerms.
struct StoreOptions {
    /// How long a repeated request id answers as the first did.
    Millis request_kept{24 * 3'600'000};
};

/// Receives one answer. Called exactly once, on any thread, possibly before the call that asked
/// returns; never under a lock of the store. Must not throw.
template <class T>
using Done = std::function<void(Result<T>)>;

/// What this store object has written since it was made.
struct StoreCounts {
    std::uint64_t rows = 0;     ///< Inserted, changed or deleted.
    std::uint64_t commits = 0;  ///< Transactions that changed something.
    std::uint64_t durable = 0;  ///< Of those, the ones that waited for the disk.
};

/// Hears of changes as soon as the store does. Only ever a hint: it may be late, doubled or
/// missing, so whoever acts on it asks the store. Called on any thread; must return at once.
class StoreListener {
public:
    virtual ~StoreListener() = default;
    /// A commit made something claimable, now or at a later time (so that a ReadyIn may have become
    /// too long), or a claim did and left it to others (ClaimInstances::code). Not told: that what
    /// was claimed will be claimable when its lease expires.
    virtual void instances_ready() {}
    /// The same of activities.
    virtual void activities_ready() {}
    /// These leases were taken from their holders: whoever has one of them should stop.
    virtual void leases_stopped(const std::vector<LeaseToken>& /*tokens*/) {}
    /// It has ended, in whatever way.
    virtual void instance_ended(RunRef /*run*/) {}
    /// A turn set its custom status.
    virtual void custom_status_changed(RunRef /*run*/) {}
};

/// Keeps runs, history, queues and leases.
///
/// One write primitive, `commit`; claims and reads beside it. Asking and answering are separate
/// events, so nothing is known of a commit until it is answered: a process can die in between.
/// A store keeps what it is given, interprets no event and no payload, and owns "now": every time
/// it writes or compares is its own. Errors are typed: retryable (nothing was written), permanent,
/// or outcome unknown; never a matter of text.
///
/// Thread-safe. All calls must have been answered before the store is destroyed.
class Store {
public:
    virtual ~Store() = default;

    /// The store's clock.
    [[nodiscard]] virtual Timestamp now() = 0;

    /// Applies each transition atomically and on its own, and answers one Answer each, in the same
    /// order. Transitions of a batch that touch the same run, name or key take effect in order;
    /// between others the order is the store's. One transition may answer `failed` (busy) while the
    /// others apply. All of a batch become durable together, so that many share one sync. An Error
    /// instead of answers: none of them was applied (retryable or permanent), or it is not known
    /// (`outcome_unknown`: send the identical batch again).
    ///
    /// What the second of two identical commits does, when the first was applied:
    /// - One with a Start, an Import, a Turn or a Finish by lock is recognised by its commit id
    ///   before any guard is looked at, and all of it is `already_applied`. A Start and an Import
    ///   as long as the run is known (see Delete), the others as long as no other turn of the run
    ///   was committed since.
    /// - One with a `request_id` is recognised by that, likewise. What goes by name should have
    ///   one: without, it is done again, to whoever has the name by then.
    /// - Nothing else leaves a trace of its commit id; its guards are looked at again. What gives
    ///   up a token (AckActivity, AbandonActivity, AbandonTurn, Hold) is refused for want of it.
    ///   So nobody needs to remember that it was applied: of an activity, the row is the fence.
    ///   A renewal extends once more, and a Sweep finds nothing to do or goes on: neither does
    ///   harm twice.
    /// - A Deliver has no guard that the first would make fail: by itself it sends twice.
    ///   It is safe only fused with a part that is recognised, or refused, the second time,
    ///   because a transition is recognised or refused as a whole.
    ///
    /// A refused or failed commit leaves no trace of its id: sent again, it is judged anew.
    virtual void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) = 0;

    /// Takes what can be taken now, under fresh tokens and with a lease: a write, which need not be
    /// durable. Nothing there is an empty answer and no error.
    virtual void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) = 0;
    virtual void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) = 0;

    /// Reads, each as of one moment and without changing anything; see the requests for what each
    /// answers. What is not there is an empty answer and no error.
    virtual void read(ReadInstance request, Done<ReadInstance::Answer> done) = 0;
    virtual void read(ReadHistory request, Done<ReadHistory::Answer> done) = 0;
    virtual void read(ListExecutions request, Done<ListExecutions::Answer> done) = 0;
    virtual void read(ListChildren request, Done<ListChildren::Answer> done) = 0;
    virtual void read(ListTree request, Done<ListTree::Answer> done) = 0;
    virtual void read(SelectInstances request, Done<SelectInstances::Answer> done) = 0;
    virtual void read(ListOutcomes request, Done<ListOutcomes::Answer> done) = 0;
    virtual void read(ReadRetention request, Done<ReadRetention::Answer> done) = 0;
    virtual void read(KeyValues request, Done<KeyValues::Answer> done) = 0;
    virtual void read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) = 0;
    virtual void read(ListActivities request, Done<ListActivities::Answer> done) = 0;
    virtual void read(ListStopping request, Done<ListStopping::Answer> done) = 0;
    virtual void read(ListHeld request, Done<ListHeld::Answer> done) = 0;
    virtual void read(CheckLeases request, Done<CheckLeases::Answer> done) = 0;
    virtual void read(ListInstances request, Done<ListInstances::Answer> done) = 0;
    virtual void read(CountInstances request, Done<CountInstances::Answer> done) = 0;
    virtual void read(ListKeys request, Done<ListKeys::Answer> done) = 0;
    virtual void read(CountQueues request, Done<CountQueues::Answer> done) = 0;
    virtual void read(ListLeases request, Done<ListLeases::Answer> done) = 0;
    virtual void read(ReadOpenWork request, Done<ReadOpenWork::Answer> done) = 0;

    /// All zero for a store that does not count. Any thread.
    [[nodiscard]] virtual StoreCounts counts() const { return {}; }

    /// `listener` is told of changes until `unsubscribe` returns.
    virtual void subscribe(StoreListener& listener) = 0;
    /// Returns when no call of it is under way, and none comes any more; so not from inside one.
    virtual void unsubscribe(StoreListener& listener) = 0;
};

}  // namespace belay
