#include "client/waits.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace belay::client {

Waits::Waits(std::shared_ptr<Service> service, Clock& clock, const Policy& policy)
    : service_(std::move(service)),
      clock_(clock),
      poll_interval_(policy.poll_interval),
      retry_delay_(policy.retry_delay) {}

Waits::~Waits() {
    if (subscribed_) service_->unsubscribe(*this);
}

std::uint64_t Waits::add(InstanceName name, SeenStatus seen, Done<InstanceInfo> done) {
    std::call_once(first_, [this] {
        service_->subscribe(*this);
        subscribed_ = true;
    });
    const detail::MutexLock lock(mutex_);
    Wait wait;
    wait.name = std::move(name);
    wait.seen = seen;
    wait.done = std::move(done);
    wait.due_at = clock_.monotonic();
    waits_.emplace(++last_, std::move(wait));
    return last_;
}

bool Waits::step() {
    std::uint64_t number = 0;
    requests::Inspect request;
    {
        const detail::MutexLock lock(mutex_);
        const Millis now = clock_.monotonic();
        const auto due = std::find_if(waits_.begin(), waits_.end(), [&](const auto& one) {
            return !one.second.reading && one.second.due_at <= now;
        });
        if (due == waits_.end()) return false;
        number = due->first;
        due->second.reading = true;
        due->second.again = false;
        request = requests::Inspect{due->second.name, due->second.run};
    }
    // Not under the lock: the service may answer before it returns.
    service_->ask(std::move(request),
                  [weak = weak_from_this(), number](const Result<InstanceInfo>& result) {
                      if (const auto self = weak.lock()) self->on_read(number, result);
                  });
    return true;
}

void Waits::on_read(std::uint64_t number, const Result<InstanceInfo>& result) {
    Done<InstanceInfo> done;
    std::optional<Result<InstanceInfo>> end;
    {
        const detail::MutexLock lock(mutex_);
        const auto at = waits_.find(number);
        if (at == waits_.end()) return;  // Given up meanwhile.
        Wait& wait = at->second;
        wait.reading = false;
        wait.due_at = clock_.monotonic() + (wait.again ? Millis(0) : poll_interval_);
        if (!result) {
            if (!result.error().retryable()) end = result.error();
            // Whoever told of the end does not tell again.
            wait.due_at = clock_.monotonic() + retry_delay_;
        } else if (result->outcome || (wait.seen && result->custom_status_version != *wait.seen)) {
            end = *result;
        } else {
            wait.run = result->run;
        }
        if (end) {
            done = std::move(wait.done);
            waits_.erase(at);
        }
        ++changes_;
    }
    changed_.notify_all();
    if (end) done(std::move(*end));
}

std::optional<Millis> Waits::next_due() {
    const detail::MutexLock lock(mutex_);
    std::optional<Millis> due;
    for (const auto& [number, wait] : waits_) {
        if (!wait.reading) due = due ? std::min(*due, wait.due_at) : wait.due_at;
    }
    return due;
}

void Waits::instance_ended(RunRef run) {
    make_due(run, [](const Wait&) { return true; });
}

void Waits::custom_status_changed(RunRef run) {
    make_due(run, [](const Wait& wait) { return wait.seen.has_value(); });
}

template <class Which>
void Waits::make_due(RunRef run, Which which) {
    {
        const detail::MutexLock lock(mutex_);
        for (auto& [number, wait] : waits_) {
            if ((wait.run && *wait.run != run) || !which(wait)) continue;
            wait.due_at = clock_.monotonic();
            wait.again = true;
        }
        ++changes_;
    }
    changed_.notify_all();
}

/// While an answer is awaited, that is what makes it due.
Millis Waits::time_until_due(std::uint64_t number) {
    const detail::MutexLock lock(mutex_);
    const auto at = waits_.find(number);
    if (at == waits_.end() || at->second.reading) return poll_interval_;
    return std::max(Millis(0), at->second.due_at - clock_.monotonic());
}

void Waits::make_due(std::uint64_t number) {
    const detail::MutexLock lock(mutex_);
    if (const auto at = waits_.find(number); at != waits_.end()) {
        at->second.due_at = clock_.monotonic();
    }
}

void Waits::remove(std::uint64_t number) {
    const detail::MutexLock lock(mutex_);
    waits_.erase(number);
}

std::uint64_t Waits::changes() {
    const detail::MutexLock lock(mutex_);
    return changes_;
}

bool Waits::wait_for_change(std::uint64_t before, std::chrono::steady_clock::time_point until) {
    const detail::MutexLock lock(mutex_);
    while (changes_ == before && changed_.wait_until(mutex_, until)) {
    }
    return changes_ != before;
}

Result<InstanceInfo> Waits::wait(const InstanceName& name, SeenStatus seen, Millis timeout) {
    using Steady = std::chrono::steady_clock;
    const auto now = Steady::now();
    // A timeout beyond all time is none.
    const auto forever = Steady::time_point::max();
    const auto until =
        timeout < std::chrono::duration_cast<Millis>(forever - now) ? now + timeout : forever;
    // Shared: the answer may come when nobody waits for it any more.
    struct Slot {
        detail::Mutex mutex;
        std::optional<Result<InstanceInfo>> end BELAY_GUARDED_BY(mutex);
    };
    const auto slot = std::make_shared<Slot>();
    const auto done = [slot, weak = weak_from_this()](Result<InstanceInfo> r) {
        {
            const detail::MutexLock lock(slot->mutex);
            slot->end.emplace(std::move(r));
        }
        if (const auto self = weak.lock()) {
            const detail::MutexLock lock(self->mutex_);
            ++self->changes_;
            self->changed_.notify_all();
        }
    };
    const std::uint64_t number = add(name, seen, done);
    for (;;) {
        const std::uint64_t before = changes();
        while (step()) {
        }
        {
            const detail::MutexLock lock(slot->mutex);
            if (slot->end) return std::move(*slot->end);
        }
        if (Steady::now() >= until) {
            remove(number);
            return Error(Errc::still_running,
                         "instance '" + name.id + "' has not ended" +
                             (seen ? " nor set another custom status" : "") + " in time");
        }
        const auto poll = std::min(until, Steady::now() + time_until_due(number));
        if (!wait_for_change(before, poll)) make_due(number);
    }
}

}  // namespace belay::client
