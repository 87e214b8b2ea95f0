#include "runtime/driver.hpp"

#include "runtime/executors/pool.hpp"
#include "runtime/local_store.hpp"
#include "store/forwarding_store.hpp"
#include <belay/detail/output_buffer.hpp>

#include <algorithm>
#include <utility>

namespace belay::runtime {

namespace {

/// True if this thread drives after each activity that it has run. Then it need wake nobody.
thread_local bool drives_after_activities = false;

/// Rounds of a guest before it leaves the rest to the driver's own threads. A guest is a thread
/// that was made for something else. The number is enough for an answer to become the next
/// activity.
constexpr int kRoundsOfAGuest = 4;

/// Steps under the lock before others may have it, and before the calls that the core has asked for
/// are made: while answers come there is always one more step. A guest takes few steps, because
/// what it allocates stays in its part of the heap. Memory use is less if few threads do most of
/// the work.
constexpr int kStepsOfABurst = 16;
constexpr int kBurstsOfARound = 16;
constexpr int kBurstsOfAGuest = 1;

/// So many turns are taken before others may have their results.
constexpr int kTurnsOfARound = 64;
constexpr int kTurnsOfAGuest = 16;

/// Turns and calls that take no longer than this need nobody to stand in for them.
constexpr Millis kPatienceOfReserve{10};

}  // namespace

/// Tells the signal when an activity has ended.
class Driver::SignalingExecutor final : public ActivityExecutor {
public:
    SignalingExecutor(ActivityExecutor& inner, std::shared_ptr<Signal> signal)
        : inner_(inner), signal_(std::move(signal)) {}

    void begin(std::shared_ptr<ActivityTask> task, Done done) override {
        task->heartbeats().then([signal = signal_] { signal->tell(); });
        if (const auto& output = task->details().output) {
            output->then([signal = signal_] { signal->tell(); });
        }
        inner_.begin(std::move(task),
                     [done = std::move(done), signal = signal_](ActivityResult result) {
                         done(std::move(result));
                         if (drives_after_activities) {
                             signal->note();
                         } else {
                             signal->tell();
                         }
                     });
    }
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override {
        inner_.request_stop(task, reason);
    }
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override {
        return inner_.abort(task);
    }
    [[nodiscard]] bool withdraw(const std::shared_ptr<ActivityTask>& task) override {
        return inner_.withdraw(task);
    }
    [[nodiscard]] std::uint32_t room(ActivityKind kind) const override { return inner_.room(kind); }

private:
    ActivityExecutor& inner_;
    std::shared_ptr<Signal> signal_;
};

namespace {

/// A client that waits is answered in any case: the core may be gone before the store has answered
/// it.
class AnsweredOnce {
public:
    explicit AnsweredOnce(Done<std::vector<Answer>> done) : done_(std::move(done)) {}
    ~AnsweredOnce() {
        if (done_) {
            done_(Error(Errc::outcome_unknown, "the worker stopped before the store answered"));
        }
    }
    AnsweredOnce(const AnsweredOnce&) = delete;
    AnsweredOnce& operator=(const AnsweredOnce&) = delete;

    [[nodiscard]] Done<std::vector<Answer>> take() { return std::exchange(done_, nullptr); }

private:
    Done<std::vector<Answer>> done_;
};

}  // namespace

/// The store that clients use. Starts go to the core as long as it is driven. Clients wait for all
/// other calls themselves.
class Driver::FusingStore final : public ForwardingStore {
public:
    FusingStore(Store& inner, Driver& driver) : ForwardingStore(inner), driver_(driver) {}

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        if (is_ready_start(batch)) {
            const detail::MutexLock lock(mutex_);
            if (!closed_) {
                const auto once = std::make_shared<AnsweredOnce>(std::move(done));
                driver_.starts_.commit(
                    std::move(batch), [this, once](Result<std::vector<Answer>> result) {
                        // Not here: the core is being stepped, and the client may do as it likes.
                        driver_.deferred_.defer(
                            [done = once->take(), result = std::move(result)]() mutable {
                                done(std::move(result));
                            });
                    });
                driver_.signal_->tell();
                return;
            }
        }
        inner().commit(std::move(batch), std::move(done));
    }

    void close() {
        const detail::MutexLock lock(mutex_);
        closed_ = true;
    }

private:
    Driver& driver_;
    detail::Mutex mutex_;
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

Driver::Driver(Store& store,
               const Registry& registry,
               ActivityExecutor& executor,
               const RuntimeOptions& options)
    : clock_(options.clock()),
      traits_(store.traits()),
      grace_(options.policy().grace),
      deferred_(store, signal_),
      turns_(std::make_shared<TurnThreads>(signal_, options.turn_slots())),
      executor_(std::make_unique<SignalingExecutor>(executor, signal_)),
      core_(std::make_unique<Runtime>(
          deferred_, registry, *executor_, RuntimeOptions(options).turn_executor(*turns_))),
      starts_(core_->store()),
      fusing_store_(std::make_unique<FusingStore>(store, *this)) {}

void Driver::start() {
    const std::uint32_t threads = std::max(traits_.threads, 2U);  // One of them may be in a turn.
    // All are counted before the first one runs. A thread that seems to be the only one takes no
    // turn, and nobody would wake it when another one is counted.
    for (std::uint32_t i = 0; i < threads; ++i) turns_->steppers().add();
    for (std::uint32_t i = 0; i < threads; ++i) add_thread();
    reserve_ = std::thread([this] { stand_in(); });
}

void Driver::add_thread() {
    const detail::MutexLock lock(seats_mutex_);
    const auto seat = seats_.emplace(seats_.end());
    try {
        *seat = std::thread([this, seat] { run(seat); });
    } catch (...) {
        seats_.erase(seat);
        throw;
    }
}

/// Takes one of its own threads away from here: it is in a turn that takes long.
bool Driver::leave_seat(std::list<std::thread>::iterator seat, TurnThreads::Replace replace) {
    if (replace == TurnThreads::Replace::yes && !stopped_) {
        try {
            add_thread();
        } catch (...) {
            return false;
        }
    }
    const detail::MutexLock lock(seats_mutex_);
    seat->detach();
    seats_.erase(seat);
    return true;
}

Driver::~Driver() {
    (void)stop(Millis(0));
    // Clients that only the core could answer hear of it, and may ask again through the front.
    core_.reset();
}

Store& Driver::store() noexcept { return *fusing_store_; }

/// The core's counters are for any thread, and nobody may wait for a step to end.
RuntimeCounts Driver::counts() const BELAY_NO_THREAD_SAFETY_ANALYSIS { return core_->counts(); }

void Driver::run(std::list<std::thread>::iterator seat) {
    const Visit visit{.role = Role::driver, .seat = seat};
    for (;;) {
        const std::uint64_t seen = signal_->news();
        if (stopped_) return;
        Round last = Round::again;
        while (last == Round::again) last = round(visit);
        if (last == Round::gone) return;
        turns_->relieve();
        signal_->wait(seen, std::min(until_due(), turns_->until_relief()));
    }
}

/// Watches turns and calls that take long, and steps while all others are in them.
void Driver::stand_in() {
    Steppers& steppers = turns_->steppers();
    while (true) {
        const Steppers::Need need = steppers.wait_until_needed(kPatienceOfReserve);
        if (need == Steppers::Need::leave) return;
        while (need == Steppers::Need::step && steppers.none_free() && !stopped_) {
            const std::uint64_t seen = signal_->news();
            const Round last = round(Visit{.role = Role::reserve});
            turns_->relieve();
            if (last == Round::again || !steppers.none_free()) continue;
            signal_->wait(seen, std::min(until_due(), turns_->until_relief()));
        }
        // It may have been woken in the place of one that is free. And a thread that sleeps now
        // must wake up before a turn has taken too long.
        signal_->tell();
    }
}

void Driver::drive(DriverGuest& guest) {
    drives_after_activities = true;
    const Millis::rep due = next_due_;
    for (int i = 0; i < kRoundsOfAGuest; ++i) {
        switch (round(Visit{.role = Role::guest, .guest = &guest})) {
            case Round::again: continue;
            case Round::gone: return;
            case Round::rest: break;
        }
        if (next_due_ < due) signal_->tell();  // Somebody must wake up earlier.
        return;
    }
    signal_->tell();
}

/// Steps the core, unless another thread is at it and will see what there is, runs the turns that
/// it handed out, and makes the calls that were asked for.
Driver::Round Driver::round(const Visit& visit) {
    // The thread may be taken away in a turn, and all else may be gone when it comes back.
    const std::shared_ptr<TurnThreads> turns = turns_;
    const std::uint64_t begun = turns->begun();
    std::uint64_t seen = signal_->news();
    bool stepped = false;
    bool more = false;
    bool all_done = false;
    if (!stopper_waits_ && core_mutex_.try_lock()) {
        const detail::MutexLock lock(core_mutex_, std::adopt_lock);
        stepped = true;
        seen = signal_->news();
        more = step_core(visit.role == Role::guest ? kBurstsOfAGuest : kBurstsOfARound);
        next_due_ = core_->next_due().count();
        all_done = stopping_ && core_->idle();
    }
    if (all_done && !done_told_.exchange(true)) signal_->tell_all();  // Also those who wait for it.
    for (const DeferredStore::Call& call : deferred_.take_others()) call();
    bool ran = false;
    // All threads that could take them may be in turns that take long.
    if (turns->waiting()) turns->relieve();
    if (turns->waiting()) {
        // The rest must not wait for what may take long. If a turn takes long, the reserve tells
        // sleeping threads what is due next.
        const bool rest = more || deferred_.has_call();
        const bool others = !takes_turns(visit.role) && turns->begun() != begun;
        if (rest || others) signal_->tell();
        switch (run_turns(*turns, visit)) {
            case Round::gone: return Round::gone;
            case Round::again: ran = true; break;
            case Round::rest: break;
        }
    }
    const bool called = visit.role != Role::reserve && make_calls(more, seen, visit);
    more = more || (ran && turns->waiting());
    const bool again = more || ((stepped || called || ran) && signal_->news() != seen);
    return again ? Round::again : Round::rest;
}

Driver::Round Driver::run_turns(TurnThreads& turns, const Visit& visit) {
    if (!takes_turns(visit.role)) return Round::rest;
    const bool guest = visit.role == Role::guest;
    const auto who = guest ? TurnThreads::Who::guest : TurnThreads::Who::stepper;
    TurnThreads::Leave leave;
    if (guest) {
        visit.guest->about_to_block();
        leave = visit.guest->leave();
    } else {
        leave = [this, seat = visit.seat](TurnThreads::Replace replace) {
            return leave_seat(seat, replace);
        };
    }
    bool ran = false;
    for (int i = 0; i < (guest ? kTurnsOfAGuest : kTurnsOfARound) && turns.waiting(); ++i) {
        switch (turns.run_one(who, leave)) {
            case TurnThreads::Ran::none: return ran ? Round::again : Round::rest;
            case TurnThreads::Ran::left: return Round::gone;
            case TurnThreads::Ran::one: ran = true;
        }
    }
    return ran ? Round::again : Round::rest;
}

/// True if there was one. Also those of a core that another thread still steps.
bool Driver::make_calls(bool more, std::uint64_t seen, const Visit& visit) {
    bool called = false;
    while (const auto taken = deferred_.take_call()) {
        const bool first = !std::exchange(called, true);
        if (traits_.calls_block) {
            if (first && visit.guest != nullptr) visit.guest->about_to_block();
            // A thread that came meanwhile left because of the lock. It trusts that somebody looks
            // again soon. The other calls must not wait for this one.
            if (more || taken->more || signal_->news() != seen) signal_->tell();
        }
        call(taken->call, visit);
        for (const DeferredStore::Call& call : deferred_.take_others()) call();
    }
    return called;
}

/// While it blocks, its thread does not count as free.
void Driver::call(const DeferredStore::Call& call, const Visit& visit) {
    const bool counts = traits_.calls_block && visit.role == Role::driver;
    if (counts) turns_->steppers().begin_call();
    call();
    if (counts) turns_->steppers().end_call();
}

/// For a thread that takes no turns.
void Driver::finish_rounds() {
    while (round(Visit()) == Round::again) {
    }
}

/// True if there may be more to do now.
bool Driver::step_core(int bursts) {
    bool asked = false;
    for (int i = 0; i < bursts; ++i) {
        const Pool::Burst burst;  // Answers come by the hundred, and begin activities.
        for (int j = 0; j < kStepsOfABurst; ++j) {
            if (!core_->step()) return false;
            // Calls must not wait for the work that there is here after them.
            if (asked && deferred_.has_call()) signal_->tell();
            asked = deferred_.has_call();
        }
    }
    return true;
}

Millis Driver::until_due() const {
    const Millis due(next_due_);
    if (due == Millis::max()) return due;
    // A due time within this millisecond is not reached before it is over.
    return std::max(due - clock_.monotonic(), Millis(0)) + Millis(1);
}

bool Driver::stop(Millis most) {
    if (stopped_) return true;
    fusing_store_->close();
    stopper_waits_ = true;
    {
        const detail::MutexLock lock(core_mutex_);
        core_->shut_down();
        stopping_ = true;
    }
    stopper_waits_ = false;
    const Millis begun = clock_.monotonic();
    const auto deadline = std::chrono::steady_clock::now() + most;
    bool idle = false;
    while (!idle) {
        const std::uint64_t seen = signal_->news();
        finish_rounds();
        {
            const detail::MutexLock lock(core_mutex_);
            idle = core_->idle();
        }
        const Millis left = begun + most - clock_.monotonic();
        if (idle || left <= Millis(0)) break;
        signal_->wait(seen, std::min(until_due(), left));
    }
    {
        // Their destructors are code of users: they run on threads that can be given up.
        const detail::MutexLock lock(core_mutex_);
        while (core_->evict_one()) {
        }
    }
    signal_->tell_all();
    turns_->close(std::min(deadline, std::chrono::steady_clock::now() + grace_));
    stopped_ = true;
    turns_->steppers().close();
    signal_->tell_all();
    if (reserve_.joinable()) reserve_.join();
    std::list<std::thread> seats;
    {
        const detail::MutexLock lock(seats_mutex_);
        seats.swap(seats_);
    }
    for (std::thread& thread : seats) thread.join();
    // Answers for clients may be among the calls that nobody made yet.
    finish_rounds();
    return idle;
}

}  // namespace belay::runtime
