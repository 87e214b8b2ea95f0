// An executor whose activities run and end when a test says so.
#pragma once

#include <belay/executor.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace belay::support {

class ScriptedExecutor final : public ActivityExecutor {
public:
    struct Activity {
        std::shared_ptr<ActivityTask> task;
        Done done;
        bool ended = false;
        bool aborted = false;
        bool withdrawn = false;
        StopReason stopped = StopReason::none;
    };

    void begin(std::shared_ptr<ActivityTask> task, Done done) override {
        if (failing) throw std::runtime_error("no more threads");
        begun_.push_back(Activity{std::move(task), std::move(done)});
    }
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override {
        task->request_stop(reason);
        of(task).stopped = reason;
    }
    bool abort(const std::shared_ptr<ActivityTask>& task) override {
        of(task).aborted = true;
        return forcing;
    }
    bool withdraw(const std::shared_ptr<ActivityTask>& task) override {
        if (crowded) of(task).withdrawn = true;
        return crowded;
    }
    [[nodiscard]] std::uint32_t room(ActivityKind /*kind*/) const override { return has_room; }

    [[nodiscard]] std::size_t count() const noexcept { return begun_.size(); }
    [[nodiscard]] const Activity& at(std::size_t index) const { return begun_.at(index); }
    /// Runs the handler of the `index`-th begun activity to its end.
    void finish(std::size_t index) {
        Activity& begun = begun_.at(index);
        begun.ended = true;
        begun.done(begun.task->run());
    }

    bool failing = false;  ///< Nothing can be begun.
    bool crowded = false;  ///< A begun activity waits for room, and can be taken back.
    bool forcing = false;  ///< An aborted activity will be finished; otherwise it is abandoned.
    std::uint32_t has_room = std::numeric_limits<std::uint32_t>::max();  ///< The result of `room`.

private:
    Activity& of(const std::shared_ptr<ActivityTask>& task) {
        for (Activity& begun : begun_) {
            if (begun.task == task) return begun;
        }
        return begun_.at(begun_.size());  // Throws: it was never begun.
    }

    std::vector<Activity> begun_;
};

}  // namespace belay::support
