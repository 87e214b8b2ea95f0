#include "simulation/process/sim_turns.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

void SimTurns::begin(std::shared_ptr<TurnTask> task) {
    const TurnPlan plan = planner_ ? planner_(*task) : TurnPlan();
    if (plan.takes == Millis(0)) {
        task->run();
        return;
    }
    trace_.line(who_, [&] {
        return "begins " + task->describe() +
               (plan.takes ? " for " + std::to_string(plan.takes->count()) + " ms"
                           : std::string(", which never ends"));
    });
    task->begin();
    std::optional<Millis> ends_at;
    if (plan.takes) ends_at = time_.now() + *plan.takes;
    turns_.push_back(Slow{std::move(task), ends_at});
}

void SimTurns::gave_up(const std::shared_ptr<TurnTask>& task) {
    trace_.line(who_, [&] { return "gives up " + task->describe(); });
}

bool SimTurns::end_one() {
    const auto due = std::find_if(turns_.begin(), turns_.end(), [&](const Slow& one) {
        return one.ends_at && *one.ends_at <= time_.now();
    });
    if (due == turns_.end()) return false;
    const std::shared_ptr<TurnTask> task = std::move(due->task);
    turns_.erase(due);
    trace_.line(who_, [&] { return task->describe() + " ends"; });
    task->complete();
    return true;
}

std::optional<Millis> SimTurns::next_due() const {
    std::optional<Millis> due;
    for (const Slow& one : turns_) {
        if (one.ends_at) due = std::min(due.value_or(*one.ends_at), *one.ends_at);
    }
    return due;
}

}  // namespace belay::sim
