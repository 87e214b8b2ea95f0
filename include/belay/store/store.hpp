// The store contract: common to the stores in memory and on SQLite, and binding for a third party's
// store. `tests/conformance` is its executable form.
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

/// Options that a store needs to act on its own. Times for stopping are not among them: each
/// transition brings its StopTerms.
struct StoreOptions {
    /// The time for which a repeated request id gets the first answer.
    Millis request_kept{24 * 3'600'000};
};

/// The writes of this store object since it was made.
struct StoreCounts {
    std::uint64_t rows = 0;     ///< Inserted, changed or deleted.
    std::uint64_t commits = 0;  ///< Transactions that changed something.
    std::uint64_t durable = 0;  ///< Transactions that waited for the disk.
};

/// The way a store likes to be used. Runtimes follow it; nothing but speed depends on it. The
/// defaults are for a store with one writer, whose calls return when they have been answered.
struct StoreTraits {
    /// The number of batches of commits that one runtime sends before the first is answered: one
    /// that the store is busy with, and one that waits for it. A further batch waits in the
    /// runtime, where it can still grow. At least 1.
    std::uint32_t commits_at_once = 2;
    /// An idle store is sent a batch once it has this many transitions, though more could be
    /// decided first: from here on the sync is a small part of its cost.
    std::size_t batch_worth_sending = 32;
    /// The most transitions in one batch. A larger one saves little and keeps those in it waiting.
    /// At least 1.
    std::size_t batch_full = 256;
    /// The threads with which a worker steps its runtime and calls the store: one leads a commit
    /// while another one takes the next turns. At least 2.
    std::uint32_t threads = 2;
    /// True: calls return when they have been answered, which may take as long as the disk does.
    /// Then each thread makes one at a time, and another thread comes for the next. False: calls
    /// return at once, and one thread makes them all.
    bool calls_block = true;
};

/// A change of a run.
enum class RunChange : std::uint8_t {
    started = 1,         ///< It was created.
    turn_committed = 2,  ///< A turn of it was recorded.
    status = 3,          ///< It has another status that is not an end.
    custom_status = 4,   ///< A turn set its custom status.
    ended = 5,           ///< It has ended, in any way.
    settled = 6,         ///< It has ended, and no handler of it or of its children runs any more.
    deleted = 7,         ///< It was deleted.
};

/// Is told of changes as soon as the store knows them. Only a hint: it may be late, doubled or
/// missing, so a listener asks the store before it acts. Called on any thread; must return at once.
class StoreListener {
public:
    virtual ~StoreListener() = default;
    /// A commit made something claimable, now or at a later time (so a ReadyIn may have become too
    /// long), or a claim did and left it to others (ClaimInstances::code). Not called for work that
    /// becomes claimable again when its lease expires.
    virtual void instances_ready() {}
    /// The same of activities.
    virtual void activities_ready() {}
    /// These leases were taken from their holders, which should stop.
    virtual void leases_stopped(const std::vector<LeaseToken>& /*tokens*/) {}
    /// The run has ended, in any way.
    virtual void instance_ended(RunRef /*run*/) {}
    /// The run has settled, or is gone, some time after it ended. Not called if it settled together
    /// with its end: `instance_ended` covers both.
    virtual void instance_settled(RunRef /*run*/) {}
    /// A turn set the run's custom status.
    virtual void custom_status_changed(RunRef /*run*/) {}
    /// A turn changed the run's key-values.
    virtual void key_values_changed(RunRef /*run*/) {}

    /// Returns true to have `run_changed` called. Called once, when the listener subscribes. Other
    /// processes record changes of runs only while such a listener is subscribed.
    [[nodiscard]] virtual bool follows_runs() const { return false; }
    /// A run has changed. The changes of one run come in order, but some may be missing.
    virtual void run_changed(RunRef /*run*/, RunChange /*change*/) {}
};

/// Keeps runs, history, queues and leases.
///
/// There is one write primitive, `commit`, beside claims and reads. A request and its answer are
/// separate events: nothing is known of a commit until it is answered, because a process can die in
/// between. A store keeps the data it is given, interprets no event and no payload, and owns "now":
/// every time that it writes or compares is its own. Errors have a type, never only a text:
/// retryable (nothing was written), permanent, or outcome unknown.
///
/// Thread-safe. All calls must have been answered before the store is destroyed.
class Store {
public:
    virtual ~Store() = default;

    /// The store's clock.
    [[nodiscard]] virtual Timestamp now() = 0;

    /// Applies each transition atomically and on its own, and returns one Answer for each, in the
    /// same order. Transitions of a batch that touch the same run, name or key take effect in
    /// order; the store chooses the order of the others. One transition may answer `failed` (busy)
    /// while the others apply. A whole batch becomes durable together, so that many transitions
    /// share one sync. An Error instead of answers means that none of them was applied (retryable
    /// or permanent), or that the outcome is unknown (`outcome_unknown`: send the identical batch
    /// again).
    ///
    /// The second of two identical commits has these effects if the first was applied:
    /// - A commit with a Start, an Import, a Turn or a Finish by lock is recognised by its commit
    ///   id before any guard is checked, and all of it is `already_applied`. A Start and an Import
    ///   are recognised as long as the run is known (see Delete), the others as long as no other
    ///   turn of the run was committed since.
    /// - A commit with a `request_id` is recognised by that, likewise. Parts that address a run by
    ///   name should have one: without it the change is made again, to the run that has the name by
    ///   then.
    /// - Any other commit leaves no trace of its id; its guards are checked again. Parts that give
    ///   up a token (AckActivity, AbandonActivity, AbandonTurn, Hold) are refused because the token
    ///   is gone. So no record of them is needed: for an activity, the row is the fence. A renewal
    ///   extends once more, and a Sweep finds nothing to do or goes on: a repeat of either does no
    ///   harm.
    /// - A Deliver has no guard that the first would make fail: by itself it sends twice. It is
    ///   safe only when fused with a part that is recognised, or refused, the second time, because
    ///   a transition is recognised or refused as a whole.
    ///
    /// A refused or failed commit leaves no trace of its id: sent again, it is judged anew.
    virtual void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) = 0;

    /// The same, for a sender that keeps the batch to send it again. Nobody changes the batch
    /// before the answer, and the store does not read it afterwards. A store that only reads it
    /// saves the copy.
    virtual void commit_shared(std::shared_ptr<const std::vector<Transition>> batch,
                               Done<std::vector<Answer>> done) {
        const auto kept = std::move(batch);
        commit(*kept, std::move(done));
    }

    /// Claims work that can be taken now, under fresh tokens and with a lease: a write, which need
    /// not be durable. Returns an empty answer, and no error, if there is none.
    virtual void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) = 0;
    virtual void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) = 0;

    /// Answers one read as of one moment, and changes nothing. The answer is the alternative that
    /// belongs to the request (`wrap_answer`). Returns an empty answer, and no error, for something
    /// that does not exist.
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

    /// Returns the same traits as long as the store exists. Any thread.
    [[nodiscard]] virtual StoreTraits traits() const { return {}; }

    /// Returns all zeros if the store does not count. Any thread.
    [[nodiscard]] virtual StoreCounts counts() const { return {}; }

    /// Tells `listener` of changes until `unsubscribe` returns.
    virtual void subscribe(StoreListener& listener) = 0;
    /// Returns when no call of the listener is under way and none will follow. Must not be called
    /// from inside such a call.
    virtual void unsubscribe(StoreListener& listener) = 0;
};

}  // namespace belay
