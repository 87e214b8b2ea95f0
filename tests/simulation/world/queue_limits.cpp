// Limits of queues, and operators who change them while activities run. Drawn apart from everything
// else: most worlds have no limits, and are as they would be.
#include "simulation/program/interpreter.hpp"
#include "simulation/world/world.hpp"
#include <belay/store/operations.hpp>

#include <utility>

namespace belay::sim {

namespace {

QueueLimits some_limits(Rng& rng) {
    const auto some = [&](std::int64_t least, std::int64_t most) {
        return static_cast<std::uint32_t>(rng.between(least, most));
    };
    QueueLimits limits;
    limits.running = some(2, 6);
    if (rng.percent(50)) limits.running_per_key = some(1, 3);
    if (rng.percent(50)) limits.started = StartRate{some(2, 8), Millis(some(10, 200))};
    if (rng.percent(50)) limits.started_per_key = StartRate{some(1, 4), Millis(some(10, 200))};
    return limits;
}

}  // namespace

void Operators::set_limits(const std::string& queue, const std::optional<QueueLimits>& limits) {
    say(limits ? "limits queue '" + queue + "'" : "limits queue '" + queue + "' no more");
    SetQueueLimits part;
    part.queue = queue;
    part.limits = limits;
    part.by = "operator";
    ask(std::move(part));
}

void World::limit_queues() {
    std::uint64_t commits = 0;
    for (const char* const queue : kQueues) {
        if (!limiters_.percent(20)) continue;
        SetQueueLimits part;
        part.queue = queue;
        part.limits = some_limits(limiters_);
        (void)true_store_.commit({op::transition(CommitId{1, ++commits}, part)});
    }
    limits_change_ = limiters_.percent(15);
}

/// Now and then in a fault phase: fewer, more, none at all, or nothing may run.
void World::change_limits() {
    if (!limits_change_ || !limiters_.per_mille(6)) return;
    const std::string queue = kQueues[limiters_.below(kQueues.size())];
    const std::size_t kind = limiters_.below(100);
    if (kind < 25) {
        operators_->set_limits(queue, std::nullopt);
        return;
    }
    QueueLimits limits = some_limits(limiters_);
    if (kind < 40) limits.running = 0;
    if (kind > 70) limits.running = 1;
    operators_->set_limits(queue, limits);
}

/// After the fault phase, when no request of it is under way any more. Activities that limits kept
/// from beginning must then begin.
void World::lift_limits() {
    if (!limits_change_) return;
    for (const char* const queue : kQueues) {
        const bool some = limiters_.percent(50);
        operators_->set_limits(queue, some ? std::optional(some_limits(limiters_)) : std::nullopt);
    }
}

}  // namespace belay::sim
