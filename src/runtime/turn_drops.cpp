// Executions that are of no more use: destroyed elsewhere, and given up when that takes too long.
#include "runtime/turn_dispatcher.hpp"

#include <string>
#include <utility>

namespace belay::runtime {

/// One that has not ended has destructors to run.
void TurnDispatcher::drop(std::unique_ptr<replay::Execution> execution) {
    if (!execution || execution->finished()) return;
    const auto task = std::make_shared<DroppedExecution>(
        services_.clock, std::move(execution), services_.lines.of_turns());
    executor_.drop(task);
    const auto is_over = [](const DroppedExecution& one) {
        return one.state() == TurnTask::State::over;
    };
    while (!dropped_.empty() && is_over(*dropped_.begin()->second)) {
        dropped_.erase(dropped_.begin());
    }
    if (is_over(*task)) return;
    dropped_.emplace(services_.clock.monotonic() + services_.policy.turn_limit, task);
}

/// A destructor that does not return costs a thread, as a turn does that does not end.
bool TurnDispatcher::give_up_dropped() {
    if (dropped_.empty()) return false;
    const Millis now = services_.clock.monotonic();
    if (now < dropped_.begin()->first) return false;
    const std::shared_ptr<DroppedExecution> task = std::move(dropped_.begin()->second);
    dropped_.erase(dropped_.begin());
    if (task->state() == TurnTask::State::over) return true;
    // One that has not begun has all its time before it.
    const Millis end = task->begun_at().value_or(now) + services_.policy.turn_limit;
    if (now < end) {
        dropped_.emplace(end, task);
        return true;
    }
    if (task->give_up() == TurnTask::State::over) return true;
    executor_.gave_up(task);
    EngineEvent event = event_of(EngineCode::turn_overran,
                                 LogLevel::error,
                                 task->describe() +
                                     " could not be destroyed within the limit of a turn: its "
                                     "thread is given up",
                                 "destructors in orchestrations must not wait");
    event.instance = task->name();
    event.definition = task->definition();
    services_.events.report(std::move(event));
    return true;
}

}  // namespace belay::runtime
