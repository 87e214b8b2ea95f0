#include "runtime/sweeper.hpp"

#include <utility>

namespace belay::runtime {

bool Sweeper::step() {
    if (mailbox_.run_one()) return true;
    const Millis now = services_.clock.monotonic();
    if (in_flight_ || now < due_at_) return false;
    in_flight_ = true;
    due_at_ = now + services_.policy.sweep_interval;
    Transition transition;
    transition.commit = services_.ids.commit_id();
    transition.parts.emplace_back(Sweep{services_.policy.sweep_batch, services_.worker});
    transition.stop = services_.stop_terms();
    std::vector<Transition> batch;
    batch.push_back(std::move(transition));
    services_.store.commit(std::move(batch),
                           mailbox_.later<Result<std::vector<Answer>>>(
                               [this](const Result<std::vector<Answer>>& r) { on_answer(r); }));
    return true;
}

void Sweeper::on_answer(const Result<std::vector<Answer>>& result) {
    in_flight_ = false;
    if (!result) {
        fail(result.error());
        return;
    }
    const Answer& answer = result->front();
    if (answer.error) fail(*answer.error);
    if (answer.undelivered > 0) services_.events.report(undelivered_event(answer.undelivered));
    // A full batch means there is more.
    if (answer.swept >= services_.policy.sweep_batch) due_at_ = services_.clock.monotonic();
}

void Sweeper::fail(const Error& error) {
    services_.events.report(store_event(EngineCode::commit_failed, "the sweep failed", error));
}

}  // namespace belay::runtime
