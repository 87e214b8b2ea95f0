#include "runtime/executors/coroutine_task.hpp"

namespace belay::runtime {

void CoroutineTask::create() {
    try {
        if (task_->stop_requested()) throw Stopped(task_->stop_reason());
        root_.emplace(code_.start(context_, task_->input()));
        root_->start(*this, nullptr, 0);
        next_ = root_->frame();
    } catch (...) {
        result_ = task_->failure();
    }
}

void CoroutineTask::resume() {
    if (!root_) create();
    if (result_) return;
    while (next_) std::exchange(next_, nullptr).resume();
    if (!root_->done()) return;
    try {
        result_ = root_->take();
    } catch (...) {
        result_ = task_->failure();
    }
}

bool CoroutineTask::program_succeeded() const {
    const detail::ProgramEnd& end = program_->end;
    return end.problem.empty() && end.output.signal == 0 &&
           program_->program.accepts(end.output.status);
}

Failure CoroutineTask::ended_by_force() const {
    const ActivityDetails& about = task_->details();
    return Failure{.kind = FailureKind::infrastructure,
                   .message = "ended by force: it did not stop in time",
                   .where = about.name,
                   .attempt = about.attempt};
}

}  // namespace belay::runtime
