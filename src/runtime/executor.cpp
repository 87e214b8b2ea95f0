#include <belay/executor.hpp>

#include <exception>
#include <limits>

namespace belay {

ActivityResult ActivityTask::run() {
    ActivityContext context(details_, stop_.get_token(), &reason_);
    Failure failure{.where = details_.name, .attempt = details_.attempt};
    try {
        return (*handler_)(context, input_);
    } catch (const OperationFailed& failed) {
        failure = failed.failure();
        failure.where = details_.name;
        failure.attempt = details_.attempt;
    } catch (const std::exception& problem) {
        failure.message = problem.what();
    } catch (...) {
        failure.message = "something that is not a std::exception was thrown";
    }
    return failure;
}

void ActivityTask::request_stop(StopReason reason) {
    if (stop_.stop_requested()) return;
    // Written before the request and read only after it was seen.
    reason_ = reason;
    stop_.request_stop();
}

std::uint32_t ActivityExecutor::room() const { return std::numeric_limits<std::uint32_t>::max(); }

std::uint32_t ActivityExecutor::room_for(const ActivityHandler& /*handler*/) const {
    return room();
}

void InlineExecutor::begin(std::shared_ptr<ActivityTask> task, Done done) { done(task->run()); }

void InlineExecutor::request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) {
    task->request_stop(reason);
}

bool InlineExecutor::abort(const std::shared_ptr<ActivityTask>& /*task*/) { return false; }

}  // namespace belay
