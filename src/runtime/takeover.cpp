#include "runtime/takeover.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace belay::runtime {

bool Takeover::step() {
    if (mailbox_.run_one()) return true;
    if (in_flight_ || services_.clock.monotonic() < due_at_) return false;
    in_flight_ = true;
    if (dead_.empty()) {
        look();
    } else {
        release(dead_.front());
    }
    return true;
}

void Takeover::look() {
    services_.store.read(ReadDeadHolders(),
                         mailbox_.later<Result<ReadDeadHolders::Answer>>(
                             [this](const Result<ReadDeadHolders::Answer>& r) { on_look(r); }));
}

void Takeover::on_look(const Result<ReadDeadHolders::Answer>& result) {
    in_flight_ = false;
    const Policy& policy = services_.policy;
    if (!result) {
        services_.events.report(store_event(
            EngineCode::read_failed, "cannot tell whether a worker has died", result.error()));
        wait(policy.sweep_interval);
        return;
    }
    dead_.assign(result->dead.begin(), result->dead.end());
    released_ = 0;
    accompanied_ |= result->others > 0 || !dead_.empty();
    // Alone from the beginning it need only find out that somebody came.
    wait(accompanied_ ? policy.takeover_interval
                      : std::max(policy.takeover_interval, policy.sweep_interval));
    if (!dead_.empty()) wait(Millis(0));
}

void Takeover::release(std::uint64_t holder) {
    const Policy& policy = services_.policy;
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.parts.emplace_back(
        ReleaseHolder{holder, policy.takeover_backoff, policy.sweep_batch});
    transition.stop = services_.stop_terms();
    std::vector<Transition> batch;
    batch.push_back(std::move(transition));
    services_.store.commit(std::move(batch),
                           mailbox_.later<Result<std::vector<Answer>>>(
                               [this](const Result<std::vector<Answer>>& r) { on_release(r); }));
}

void Takeover::on_release(const Result<std::vector<Answer>>& result) {
    in_flight_ = false;
    const auto failed = [&](const Error& error) {
        services_.events.report(store_event(
            EngineCode::commit_failed, "cannot take over what a dead worker held", error));
        wait(services_.policy.retry_delay);
    };
    if (!result) return failed(result.error());
    const Answer& answer = result->front();
    if (answer.error) return failed(*answer.error);
    released_ += answer.swept;
    services_.counters.taken_over += answer.swept;
    // A full batch means there is more.
    if (answer.swept >= services_.policy.sweep_batch) return;
    if (released_ > 0) {
        services_.events.report(
            event_of(EngineCode::worker_died,
                     LogLevel::warning,
                     "a worker process died; leases taken over: " + std::to_string(released_)));
    }
    dead_.pop_front();
    released_ = 0;
}

}  // namespace belay::runtime
