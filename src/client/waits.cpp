#include "client/waits.hpp"

#include "client/service_context.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

namespace belay::client {

namespace {

using Steady = std::chrono::steady_clock;

/// A timeout beyond all time is none.
Steady::time_point time_after(Millis timeout) {
    const auto now = Steady::now();
    const auto forever = Steady::time_point::max();
    return timeout < std::chrono::duration_cast<Millis>(forever - now) ? now + timeout : forever;
}

Sighting error_sighting(Error error) {
    return std::make_shared<const Result<InspectedRun>>(std::move(error));
}

Sighting closed_sighting() {
    return error_sighting(Error(Errc::unavailable, "the client is gone that waited"));
}

}  // namespace

Waits::Waits(std::shared_ptr<Service> service, Clock& clock, const Policy& policy)
    : service_(std::move(service)),
      clock_(clock),
      poll_interval_(policy.poll_interval),
      table_(policy) {}

Waits::~Waits() {
    if (subscribed_) service_->unsubscribe(*this);
}

void Waits::listen() {
    std::call_once(first_, [this] {
        service_->subscribe(*this);
        subscribed_ = true;
    });
}

// ---- Starts ------------------------------------------------------------------------------------

std::optional<StartedRuns::Position> Waits::mark_start() {
    if (!subscribed_) return std::nullopt;
    const detail::MutexLock lock(mutex_);
    return started_.position();
}

void Waits::note_started(const StartResult& started, StartedRuns::Position sent) {
    if (!started.created) return;
    const detail::MutexLock lock(mutex_);
    started_.add(started.instance.run.key, sent);
}

auto Waits::enter(const Aim& aim, WaitTable::Waiter waiter) -> Number {
    const Millis now = clock_.monotonic();
    if (!aim.run) return table_.add(aim.name, std::move(waiter), now);
    // Only ends are noted: its status and its values may have changed.
    const bool waits_for_end = std::holds_alternative<UntilEnded>(waiter.until) ||
                               std::holds_alternative<UntilSettled>(waiter.until);
    const bool may_be_over = !waits_for_end || !started_.contains(aim.run->key);
    return table_.add(aim.name, *aim.run, may_be_over, std::move(waiter), now);
}

// ---- Callbacks ---------------------------------------------------------------------------------

void Waits::add(const Aim& aim, Until until, WaitTable::Callback callback) {
    listen();
    const detail::MutexLock lock(mutex_);
    if (closed_) return;
    WaitTable::Waiter waiter;
    waiter.until = std::move(until);
    waiter.callback = std::move(callback);
    const std::optional<Millis> before = table_.next_due();
    (void)enter(aim, std::move(waiter));
    // A thread that sleeps until then sleeps too long.
    if (table_.next_due() != before || table_.has_due(clock_.monotonic())) call_leader();
}

bool Waits::step() {
    std::optional<WaitTable::Batch> batch;
    {
        const detail::MutexLock lock(mutex_);
        batch = table_.take_due(clock_.monotonic());
        if (!batch) return false;
    }
    // Not under the lock: the service may answer before it returns.
    service_->ask(std::move(batch->request),
                  [weak = weak_from_this(),
                   number = batch->number](Result<requests::InspectMany::Answer> answer) {
                      if (const auto self = weak.lock()) self->on_read(number, std::move(answer));
                  });
    return true;
}

void Waits::on_read(Number batch, Result<requests::InspectMany::Answer> answer) {
    std::vector<WaitTable::Over> over;
    {
        const detail::MutexLock lock(mutex_);
        if (closed_) return;
        const Millis now = clock_.monotonic();
        over = table_.apply(batch, std::move(answer), now);
        for (const WaitTable::Over& one : over) sleepers_.erase(one.number);
        if (table_.has_due(now)) call_leader();
    }
    for (const WaitTable::Over& one : over) {
        if (one.waiter.sleeper) {
            one.waiter.sleeper->answer(one.sighting);
        } else {
            one.waiter.callback(one.sighting);
        }
    }
}

std::optional<Millis> Waits::next_due() {
    const detail::MutexLock lock(mutex_);
    return table_.next_due();
}

void Waits::hear(RunRef run, Topic topic) {
    const detail::MutexLock lock(mutex_);
    if (topic == Topic::end) started_.hear_end(run.key);
    const WaitTable::Waiter* const due = table_.hear(run, topic, clock_.monotonic());
    if (due != nullptr) call_leader(due->sleeper);
}

// ---- The leader --------------------------------------------------------------------------------

void Waits::call_leader(const SleeperPtr& near) {
    if (has_leader_ || sleepers_.empty()) return;
    has_leader_ = true;
    // Under the lock: the called thread is still there, and finds it when it leaves.
    (near ? near : sleepers_.begin()->second)->call();
}

void Waits::lead(Sleeper& own) {
    while (own.answer() == nullptr && step()) {
    }
    resign();
}

void Waits::resign() {
    const detail::MutexLock lock(mutex_);
    has_leader_ = false;
    if (table_.has_due(clock_.monotonic())) call_leader();
}

// ---- Blocking ----------------------------------------------------------------------------------

Sighting Waits::wait(const Aim& aim, const Until& until, Millis timeout) {
    // The client may be gone as soon as this thread has left.
    const std::shared_ptr<Waits> self = shared_from_this();
    const Steady::time_point end = time_after(timeout);
    listen();
    const auto sleeper = std::make_shared<Sleeper>();
    const Number number = begin(aim, until, sleeper);
    if (number == 0) return closed_sighting();
    Sighting sighting = sleep(number, sleeper, end);
    if (sighting == nullptr) sighting = give_up(number, aim, *sleeper);
    // Called and answered at once: nobody else was called.
    if (sleeper->take_call()) resign();
    leave();
    return sighting;
}

auto Waits::begin(const Aim& aim, const Until& until, const SleeperPtr& sleeper) -> Number {
    const detail::MutexLock lock(mutex_);
    if (closed_) return 0;
    WaitTable::Waiter waiter;
    waiter.until = until;
    waiter.sleeper = sleeper;
    const Number number = enter(aim, std::move(waiter));
    sleepers_.emplace(number, sleeper);
    ++blocked_;
    if (table_.has_due(clock_.monotonic())) call_leader(sleeper);
    return number;
}

void Waits::leave() {
    const detail::MutexLock lock(mutex_);
    if (--blocked_ == 0) left_.notify_all();
}

/// Returns none when it is that time.
Sighting Waits::sleep(Number number, const SleeperPtr& sleeper, Sleeper::Time until) {
    for (;;) {
        if (sleeper->take_call()) lead(*sleeper);
        if (Sighting sighting = sleeper->answer()) return sighting;
        if (Steady::now() >= until) return nullptr;
        const auto next = std::min(until, Steady::now() + time_until_due(number));
        if (!sleeper->sleep_until(next) && next < until) poll(number, sleeper);
    }
}

/// While an answer is awaited, the answer makes it due.
Millis Waits::time_until_due(Number number) {
    const detail::MutexLock lock(mutex_);
    const std::optional<Millis> due = table_.due_of(number);
    if (!due) return poll_interval_;
    // If it is due now, the leader has not come to it yet.
    const Millis left = *due - clock_.monotonic();
    return left > Millis(0) ? left : poll_interval_;
}

void Waits::poll(Number number, const SleeperPtr& sleeper) {
    const detail::MutexLock lock(mutex_);
    table_.make_due(number, clock_.monotonic());
    if (sleepers_.contains(number)) call_leader(sleeper);
}

Sighting Waits::give_up(Number number, const Aim& aim, Sleeper& sleeper) {
    std::optional<WaitTable::Waiter> waiter;
    {
        const detail::MutexLock lock(mutex_);
        sleepers_.erase(number);
        waiter = table_.remove(number);
    }
    // Over just now: the answer is on its way.
    if (!waiter) return sleeper.await_answer();
    if (!waiter->looked) {
        if (Sighting sighting = look_once(aim, waiter->until)) return sighting;
    }
    return error_sighting(
        Error(Errc::still_running,
              "instance '" + aim.name.id + "' " + what_is_missing(waiter->until) + " in time"));
}

Sighting Waits::look_once(const Aim& aim, const Until& until) {
    requests::InspectMany request;
    request.instances.push_back({aim.name, aim.run, std::holds_alternative<UntilValue>(until)});
    Result<requests::InspectMany::Answer> answer = service_->ask(std::move(request));
    if (!answer) return answer.error().retryable() ? nullptr : error_sighting(answer.error());
    std::optional<InspectedRun>& seen = answer->at(0);
    if (!seen) return error_sighting(no_such_instance(aim.name));
    if (!is_over(until, seen->info, seen->values)) return nullptr;
    return std::make_shared<const Result<InspectedRun>>(std::move(*seen));
}

bool Waits::wait_until_due(Millis timeout) {
    const std::shared_ptr<Waits> self = shared_from_this();
    const auto sleeper = std::make_shared<Sleeper>();
    Steady::time_point until = time_after(timeout);
    Number number = 0;
    {
        const detail::MutexLock lock(mutex_);
        const Millis now = clock_.monotonic();
        if (closed_) return false;
        if (table_.has_due(now)) return true;
        if (const auto due = table_.next_due()) {
            until = std::min(until, Steady::now() + (*due - now));
        }
        // Behind all waiters: their threads are woken in any case.
        number = std::numeric_limits<Number>::max() - ++last_stepper_;
        sleepers_.emplace(number, sleeper);
        ++blocked_;
    }
    (void)sleeper->sleep_until(until);
    const detail::MutexLock lock(mutex_);
    sleepers_.erase(number);
    if (sleeper->take_call()) has_leader_ = false;
    if (--blocked_ == 0) left_.notify_all();
    return table_.has_due(clock_.monotonic());
}

void Waits::close() {
    if (subscribed_) {
        service_->unsubscribe(*this);
        subscribed_ = false;
    }
    std::vector<WaitTable::Waiter> waiters;
    std::map<Number, SleeperPtr> sleepers;
    {
        const detail::MutexLock lock(mutex_);
        closed_ = true;
        waiters = table_.remove_all();
        sleepers.swap(sleepers_);
    }
    for (const auto& [number, sleeper] : sleepers) sleeper->answer(closed_sighting());
    const detail::MutexLock lock(mutex_);
    while (blocked_ > 0) left_.wait(mutex_);
}

}  // namespace belay::client
