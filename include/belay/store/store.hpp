// The store contract: what the stores in memory and on SQLite have in common, and what a third
// party's store must do. `tests/conformance` is its executable form.
#pragma once

#include <belay/error.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/claim.hpp>
#include <belay/store/read.hpp>
#include <belay/store/transition.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
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

/// States how a store likes to be used. Runtimes follow it; nothing but speed depends on it. The
/// defaults are for a store with one writer, whose calls return when they have been answered.
struct StoreTraits {
    /// One runtime sends so many batches of commits before the first is answered: one that the
    /// store is busy with, and one that waits for it. A batch beyond that waits where it can
    /// still grow. At least 1.
    std::uint32_t commits_at_once = 2;
    /// A store that has nothing to do is sent a batch as soon as it has so many transitions, though
    /// more could be decided first: from here on the sync is a small part of what it costs.
    std::size_t batch_worth_sending = 32;
    /// The most in one batch: beyond this a larger one saves little and keeps those in it waiting.
    /// At least 1.
    std::size_t batch_full = 256;
    /// The threads with which a worker steps its runtime and calls the store: one leads a commit
    /// while another one takes the next turns. At least 2.
    std::uint32_t threads = 2;
    /// Calls return when they have been answered, which may take as long as the disk does. Then
    /// each thread makes one at a time, and another one comes for the next. False: they return at
    /// once, and one thread makes them all.
    bool calls_block = true;
};

/// A change of a run.
enum class RunChange : std::uint8_t {
    started = 1,         ///< It was created.
    turn_committed = 2,  ///< A turn of it was recorded.
    status = 3,          ///< It has another status that is not an end.
    custom_status = 4,   ///< A turn set its custom status.
    ended = 5,           ///< It has ended, in whatever way.
    settled = 6,         ///< It has ended, and no handler of it or of its children runs any more.
    deleted = 7,         ///< It was deleted.
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
    /// It has settled, or is gone, some time after it ended. Not told if it settled together with
    /// its end: `instance_ended` tells of both.
    virtual void instance_settled(RunRef /*run*/) {}
    /// A turn set its custom status.
    virtual void custom_status_changed(RunRef /*run*/) {}
    /// A turn changed its key-values.
    virtual void key_values_changed(RunRef /*run*/) {}

    /// True: `run_changed` is called, too. Asked once, when it subscribes. Other processes write
    /// down changes of runs only while such a listener is subscribed.
    [[nodiscard]] virtual bool follows_runs() const { return false; }
    /// Something changed of a run. The changes of one run come in order, unless some are missing.
    virtual void run_changed(RunRef /*run*/, RunChange /*change*/) {}
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

    /// The same, for a sender that keeps the batch to send it again: nobody changes it before the
    /// answer, and the store does not look at it afterwards. A store that only reads it saves the
    /// copy.
    virtual void commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                               Done<std::vector<Answer>> done) {
        const auto kept = std::move(batch);
        commit(*kept, std::move(done));
    }

    /// Takes what can be taken now, under fresh tokens and with a lease: a write, which need not be
    /// durable. Nothing there is an empty answer and no error.
    virtual void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) = 0;
    virtual void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) = 0;

    /// Answers one read as of one moment, and changes nothing. The answer is the alternative that
    /// belongs to the request (`wrap_answer`). Something that is not there is an empty answer and
    /// no error.
    virtual void read_any(Read request, Done<ReadAnswer> done) = 0;

    /// The typed front of `read_any`: `store.read(ReadInstance{name}, done)`.
    template <ReadRequest Request>
    void read(Request request, Done<typename Request::Answer> done) {
        read_any(Read(std::in_place_type<Request>, std::move(request)),
                 [done = std::move(done)](Result<ReadAnswer> result) {
                     if (!result) return done(result.error());
                     done(take_answer<Request>(std::move(*result)));
                 });
    }

    /// The same as long as the store is there. Any thread.
    [[nodiscard]] virtual StoreTraits traits() const { return {}; }

    /// All zero for a store that does not count. Any thread.
    [[nodiscard]] virtual StoreCounts counts() const { return {}; }

    /// `listener` is told of changes until `unsubscribe` returns.
    virtual void subscribe(StoreListener& listener) = 0;
    /// Returns when no call of it is under way, and none comes any more; so not from inside one.
    virtual void unsubscribe(StoreListener& listener) = 0;
};

}  // namespace belay
