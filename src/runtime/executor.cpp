#include "model/thrown.hpp"
#include <belay/executor.hpp>

#include <limits>

namespace belay {

ActivityResult ActivityTask::run() {
    if (!handler_.is_function()) {
        return Failure{.kind = FailureKind::infrastructure,
                       .message =
                           "this executor runs plain functions only; coroutines and programs "
                           "need a belay::ThreadExecutor",
                       .where = details_.name,
                       .attempt = details_.attempt};
    }
    ActivityContext context = this->context(nullptr);
    try {
        return handler_.call(context, input_);
    } catch (...) {
        return failure();
    }
}

Failure ActivityTask::failure() const {
    Failure failure;
    try {
        throw;
    } catch (const Stopped& stopped) {
        failure.message = "stopped: " + std::string(to_string(stopped.reason()));
    } catch (...) {
        failure = model::failure_of_current_exception();
    }
    failure.where = details_.name;
    failure.attempt = details_.attempt;
    return failure;
}

bool ActivityTask::announce_stop(StopReason reason) noexcept {
    StopReason none = StopReason::none;
    return reason_.compare_exchange_strong(none, reason);
}

void ActivityTask::request_stop(StopReason reason) {
    if (announce_stop(reason)) fire_stop();
}

bool ActivityExecutor::withdraw(const std::shared_ptr<ActivityTask>& /*task*/) { return false; }

std::uint32_t ActivityExecutor::room(ActivityKind /*kind*/) const {
    return std::numeric_limits<std::uint32_t>::max();
}

void InlineExecutor::begin(std::shared_ptr<ActivityTask> task, Done done) { done(task->run()); }

void InlineExecutor::request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) {
    task->request_stop(reason);
}

bool InlineExecutor::abort(const std::shared_ptr<ActivityTask>& /*task*/) { return false; }

}  // namespace belay
