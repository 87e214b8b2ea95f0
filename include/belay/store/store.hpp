// The store contract: what SQLite, PostgreSQL and memory have in common, and what a third party's
// store must do. `tests/conformance` is its executable form.
#pragma once

#include <belay/error.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/query.hpp>
#include <belay/store/transition.hpp>
#include <belay/time.hpp>

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

/// Hears of changes as soon as the store does. Only ever a hint: it may be late, doubled or
/// missing, so whoever acts on it asks the store. Called on any thread; must return at once.
class StoreListener {
public:
    virtual ~StoreListener() = default;
    /// A commit made something claimable, now or at a later time (so that a ReadyIn may have become
    /// too long). Not told: that what was claimed will be claimable when its lease expires.
    virtual void instances_ready() {}
    virtual void activities_ready() {}
    virtual void leases_stopped(const std::vector<LeaseToken>& /*tokens*/) {}
    virtual void instance_ended(RunRef /*run*/) {}
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
    /// between others the order is the store's. A commit id that was applied is recognised before
    /// any other guard is looked at. One transition may answer `failed` (busy) while the others
    /// apply. All of a batch become durable together, so that many share one sync. An Error instead
    /// of answers: none of them was applied (retryable or permanent), or it is not known
    /// (`outcome_unknown`: send the identical batch again).
    virtual void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) = 0;

    virtual void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) = 0;
    virtual void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) = 0;

    virtual void read(ReadInstance request, Done<ReadInstance::Answer> done) = 0;
    virtual void read(ReadHistory request, Done<ReadHistory::Answer> done) = 0;
    virtual void read(ListExecutions request, Done<ListExecutions::Answer> done) = 0;
    virtual void read(ListChildren request, Done<ListChildren::Answer> done) = 0;
    virtual void read(KeyValues request, Done<KeyValues::Answer> done) = 0;
    virtual void read(ListDeadLetters request, Done<ListDeadLetters::Answer> done) = 0;
    virtual void read(ListActivities request, Done<ListActivities::Answer> done) = 0;
    virtual void read(ListStopping request, Done<ListStopping::Answer> done) = 0;
    virtual void read(ListHeld request, Done<ListHeld::Answer> done) = 0;
    virtual void read(CheckLeases request, Done<CheckLeases::Answer> done) = 0;

    /// `listener` is told of changes until `unsubscribe` returns.
    virtual void subscribe(StoreListener& listener) = 0;
    virtual void unsubscribe(StoreListener& listener) = 0;
};

}  // namespace belay
