#include "simulation/process/sim_executor.hpp"

#include "simulation/process/code_watch.hpp"
#include "simulation/world/large.hpp"
#include <belay/detail/output_buffer.hpp>
#include <belay/exceptions.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace belay::sim {

namespace {

/// The handler whose function runs on this thread.
thread_local const Handler* running_here = nullptr;
thread_local const std::string* running_at = nullptr;
thread_local Effects* running_in = nullptr;

/// Results and progress carry it: it is one handler's alone.
std::string name_of(const Handler& handler, const std::string& process) {
    return process + "." + std::to_string(handler.serial);
}

void listen(const ActivityContext& context) {
    const std::optional<std::string> heard = context.last_heartbeat<std::string>();
    if (!heard) return;
    const ActivityRef& activity = running_here->task->details().activity;
    expect_of_code(running_in->heard(activity, *heard),
                   "what a handler is told of an earlier one, one of the same activity has said",
                   [&] { return to_string(activity) + " heard " + *heard; });
}

/// Some handlers write output: lines with their name and ascending numbers.
void write_lines(const Handler& handler, const std::string& name, Effects& effects) {
    const auto& output = handler.task->details().output;
    if (handler.serial % 3 != 2 || output == nullptr) return;
    for (std::uint64_t i = handler.serial % 5; i > 0; --i) {
        const std::string number = std::to_string(effects.wrote(name));
        const std::string padding(handler.serial % 7 * 10, 'x');
        output->write(handler.serial % 2 == 0 ? OutputStream::out : OutputStream::err,
                      name + ":" + number + " " + padding + "\n");
    }
}

}  // namespace

std::string simulated_work(ActivityContext& context, const std::string& /*input*/) {
    BELAY_ASSERT(running_here != nullptr);
    listen(context);
    write_lines(*running_here, name_of(*running_here, *running_at), *running_in);
    const std::string result =
        context.idempotency_key() + "@" + name_of(*running_here, *running_at);
    switch (running_here->plan.ending) {
        case Ending::result:
            return padded_by(static_cast<std::int64_t>(running_here->serial), result);
        case Ending::failure:
            // As code does that calls something which cannot be reached.
            throw OperationFailed(Failure{.kind = running_here->serial % 4 == 0
                                                      ? FailureKind::infrastructure
                                                      : FailureKind::application,
                                          .message = "failed " + result});
        case Ending::exception: throw std::runtime_error("threw " + result);
        case Ending::odd_exception: throw 42;
        case Ending::declined: throw ApplicationError(kDeclined, "declined " + result);
        case Ending::final_error:
            throw ApplicationError("Final", "gave up " + result).not_retryable();
    }
    return result;
}

void SimExecutor::begin(std::shared_ptr<ActivityTask> task, Done done) {
    auto handler = std::make_unique<Handler>();
    handler->serial = ++last_serial_;
    handler->task = std::move(task);
    handler->done = std::move(done);
    handler->plan.takes = Millis(0);
    handler->plan.stops_after = Millis(0);
    if (planner_) handler->plan = planner_(*handler->task);
    if (handler->plan.takes) handler->ends_at = time_.now() + *handler->plan.takes;
    if (handler->serial % 3 == 0) {
        const std::string progress = name_of(*handler, who_);
        effects_.said(handler->task->details().activity, progress);
        handler->task->heartbeats().beat(Payload::text(progress));
    }
    write_lines(*handler, name_of(*handler, who_), effects_);
    effects_.begun(handler->task->details().activity);
    trace_.line(who_, [&] {
        const ActivityDetails& about = handler->task->details();
        return "begins " + about.name + " " + to_string(about.activity) + " as handler " +
               std::to_string(handler->serial) +
               (handler->plan.takes ? " for " + std::to_string(handler->plan.takes->count()) + " ms"
                                    : std::string(", which hangs")) +
               (handler->plan.stops_after ? "" : " and ignores being stopped");
    });
    handlers_.push_back(std::move(handler));
}

void SimExecutor::request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) {
    Handler* const handler = find(task);
    if (handler == nullptr) return;
    trace_.line(who_, [&] {
        return "asks handler " + std::to_string(handler->serial) +
               " to stop: " + std::string(to_string(reason));
    });
    if (stop_watch_) stop_watch_(*task, reason);
    task->request_stop(reason);
    handler->asked_to_stop = true;
    if (!handler->plan.stops_after) return;
    const Millis stopped = time_.now() + *handler->plan.stops_after;
    handler->ends_at = handler->ends_at ? std::min(*handler->ends_at, stopped) : stopped;
    // Stopped, it has no result to give.
    if (*handler->ends_at == stopped) handler->plan.ending = Ending::exception;
}

bool SimExecutor::abort(const std::shared_ptr<ActivityTask>& task) {
    Handler* const handler = find(task);
    if (handler == nullptr) return true;  // It has ended.
    handler->abandoned = true;
    trace_.line(who_, [&] { return "abandons handler " + std::to_string(handler->serial); });
    return false;
}

bool SimExecutor::withdraw(const std::shared_ptr<ActivityTask>& task) {
    Handler* const handler = find(task);
    if (handler == nullptr || handler->ends_at || !handler->plan.waits) return false;
    trace_.line(who_, [&] { return "takes handler " + std::to_string(handler->serial) + " back"; });
    std::erase_if(handlers_, [&](const auto& one) { return one.get() == handler; });
    return true;
}

std::optional<Millis> SimExecutor::next_due() const {
    std::optional<Millis> due;
    for (const auto& handler : handlers_) {
        if (!handler->ends_at) continue;
        due = due ? std::min(*due, *handler->ends_at) : *handler->ends_at;
    }
    return due;
}

void SimExecutor::end(Handler& handler) {
    running_here = &handler;
    running_at = &who_;
    running_in = &effects_;
    ActivityResult result = handler.task->run();
    running_here = nullptr;
    running_at = nullptr;
    running_in = nullptr;
    effects_.ended(handler.task->details().activity, result);
    trace_.line(who_, [&] {
        return "handler " + std::to_string(handler.serial) + " of " +
               to_string(handler.task->details().activity) +
               (std::holds_alternative<Payload>(result) ? " has a result" : " has failed");
    });
    const Done done = std::move(handler.done);
    std::erase_if(handlers_, [&](const auto& one) { return one.get() == &handler; });
    done(std::move(result));
}

void SimExecutor::release_hanging() {
    for (const auto& handler : handlers_) {
        if (!handler->ends_at) handler->ends_at = time_.now();
    }
}

Handler* SimExecutor::find(const std::shared_ptr<ActivityTask>& task) {
    const auto found = std::find_if(
        handlers_.begin(), handlers_.end(), [&](const auto& one) { return one->task == task; });
    return found == handlers_.end() ? nullptr : found->get();
}

}  // namespace belay::sim
