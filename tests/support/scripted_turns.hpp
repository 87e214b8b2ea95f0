// Turns that begin and end when a test says so.
#pragma once

#include <belay/turn_executor.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace belay::support {

/// While it is `slow`, a turn begins at once and runs until `finish`; otherwise it takes no time.
class ScriptedTurns final : public TurnExecutor {
public:
    void begin(std::shared_ptr<TurnTask> task) override {
        if (!slow) {
            task->run();
            return;
        }
        if (!crowded) task->begin();
        begun_.push_back(std::move(task));
    }
    void drop(const std::shared_ptr<TurnTask>& task) override {
        if (!slow_drops) {
            task->run();
            return;
        }
        task->begin();
        dropped_.push_back(task);
    }
    void gave_up(const std::shared_ptr<TurnTask>& task) override { given_up_.push_back(task); }

    /// Slow ones.
    [[nodiscard]] std::size_t count() const noexcept { return begun_.size(); }
    [[nodiscard]] std::size_t given_up() const noexcept { return given_up_.size(); }
    /// One that had to wait gets a thread.
    void start(std::size_t index) { begun_.at(index)->begin(); }
    void finish(std::size_t index) { begun_.at(index)->complete(); }

    /// Executions whose destructors do not return.
    [[nodiscard]] std::size_t dropped() const noexcept { return dropped_.size(); }

    bool slow = false;
    bool slow_drops = false;
    bool crowded = false;  ///< There is no thread for them yet.

private:
    std::vector<std::shared_ptr<TurnTask>> begun_;
    std::vector<std::shared_ptr<TurnTask>> dropped_;
    std::vector<std::shared_ptr<TurnTask>> given_up_;
};

}  // namespace belay::support
