#include "runtime/driver.hpp"

#include "runtime/executors/pool.hpp"
#include "runtime/local_store.hpp"
#include "store/forwarding_store.hpp"

#include <algorithm>
#include <utility>

namespace belay::runtime {

namespace {

/// Whether this thread drives after each activity it has run: then nobody need be woken for it.
thread_local bool drives_after_activities = false;

/// How often a thread that was not made for it steps and calls the store before it leaves the rest
/// to those that were. Often enough for an answer to become the next activity.
constexpr int kRoundsOfAGuest = 4;

/// How many steps are taken under the lock before others may have it, and before what the core has
/// asked for is seen to: while answers come there is always one more to take. A guest takes few:
/// what it makes stays in its part of the heap, so the fewer threads do most of it, the less
/// memory.
constexpr int kStepsOfABurst = 16;
constexpr int kBurstsOfARound = 16;
constexpr int kBurstsOfAGuest = 1;

}  // namespace

/// Tells the signal when an activity has ended.
class Driver::ToldExecutor final : public ActivityExecutor {
public:
    ToldExecutor(ActivityExecutor& inner, std::shared_ptr<Signal> signal)
        : inner_(inner), signal_(std::move(signal)) {}

    void begin(std::shared_ptr<ActivityTask> task, Done done) override {
        task->heartbeats().then([signal = signal_] { signal->tell(); });
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

/// What clients use. Starts go to the core as long as it is driven; all else is theirs to wait for.
class Driver::Front final : public ForwardingStore {
public:
    Front(Store& inner, Driver& driver) : ForwardingStore(inner), driver_(driver) {}

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        if (is_ready_start(batch)) {
            const std::lock_guard lock(mutex_);
            if (!closed_) {
                const auto once = std::make_shared<AnsweredOnce>(std::move(done));
                driver_.core_->store().commit(
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
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }

private:
    Driver& driver_;
    std::mutex mutex_;
    bool closed_ = false;
};

Driver::Driver(Store& store,
               const Registry& registry,
               ActivityExecutor& executor,
               const RuntimeOptions& options)
    : clock_(options.clock()),
      deferred_(store, signal_),
      executor_(std::make_unique<ToldExecutor>(executor, signal_)),
      core_(std::make_unique<Runtime>(deferred_, registry, *executor_, options)),
      front_(std::make_unique<Front>(store, *this)) {}

void Driver::start(std::uint32_t threads) {
    threads_.reserve(threads);
    for (std::uint32_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

Driver::~Driver() {
    (void)stop(Millis(0));
    // Clients whom only it could answer hear of it, and may ask again through the front.
    core_.reset();
}

Store& Driver::store() noexcept { return *front_; }

void Driver::run() {
    while (!stopped_) {
        const std::uint64_t seen = signal_->news();
        while (round(kBurstsOfARound)) {
        }
        signal_->wait(seen, until_due());
    }
}

void Driver::drive(const std::function<void()>& before_blocking) {
    drives_after_activities = true;
    const Millis::rep due = next_due_;
    for (int i = 0; i < kRoundsOfAGuest; ++i) {
        if (round(kBurstsOfAGuest, before_blocking)) continue;
        if (next_due_ < due) signal_->tell();  // Somebody must wake up earlier.
        return;
    }
    signal_->tell();
}

/// Steps the core, unless another thread is at it and will see what there is, and makes the calls
/// that were asked for. False when there is nothing left to do here.
bool Driver::round(int bursts, const std::function<void()>& before_blocking) {
    std::uint64_t seen = signal_->news();
    bool stepped = false;
    bool more = false;
    bool all_done = false;
    if (!stopper_waits_) {
        const std::unique_lock lock(core_mutex_, std::try_to_lock);
        if (lock) {
            stepped = true;
            seen = signal_->news();
            more = step_core(bursts);
            next_due_ = core_->next_due().count();
            all_done = stopping_ && core_->idle();
        }
    }
    if (all_done && !done_told_.exchange(true)) signal_->tell_all();  // Also whoever waits for it.
    for (const DeferredStore::Call& call : deferred_.take_others()) call();
    bool called = false;
    // Also those of a core that another thread still steps.
    while (const auto taken = deferred_.take_call()) {
        if (!std::exchange(called, true) && before_blocking) before_blocking();
        // Who came meanwhile and left, because of the lock, trusts that somebody looks again soon;
        // and the other calls are not to wait for this one.
        if (more || taken->more || signal_->news() != seen) signal_->tell();
        taken->call();
        for (const DeferredStore::Call& call : deferred_.take_others()) call();
    }
    return more || ((stepped || called) && signal_->news() != seen);
}

/// True if there may be more to do now.
bool Driver::step_core(int bursts) {
    bool asked = false;
    for (int i = 0; i < bursts; ++i) {
        const Pool::Burst burst;  // Answers come by the hundred, and begin activities.
        for (int j = 0; j < kStepsOfABurst; ++j) {
            if (!core_->step()) return false;
            // Calls are not to be kept waiting by what there is to do here after them.
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
    front_->close();
    stopper_waits_ = true;
    {
        const std::lock_guard lock(core_mutex_);
        core_->shut_down();
        stopping_ = true;
    }
    stopper_waits_ = false;
    const Millis begun = clock_.monotonic();
    bool idle = false;
    while (!idle) {
        const std::uint64_t seen = signal_->news();
        while (round(kBurstsOfARound)) {
        }
        {
            const std::lock_guard lock(core_mutex_);
            idle = core_->idle();
        }
        const Millis left = begun + most - clock_.monotonic();
        if (idle || left <= Millis(0)) break;
        signal_->wait(seen, std::min(until_due(), left));
    }
    stopped_ = true;
    signal_->tell_all();
    for (std::thread& thread : threads_) thread.join();
    // Answers for clients may be among what nobody called yet.
    while (round(kBurstsOfARound)) {
    }
    return idle;
}

}  // namespace belay::runtime
