// An executor with real threads, and activities begun by hand.
#pragma once

#include <belay/registry.hpp>
#include <belay/thread_executor.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay::executor_tests {

using namespace std::chrono_literals;

/// Only so that a test that would hang fails.
inline constexpr std::chrono::seconds kHang{120};

/// Something that happens once, and can be waited for.
class Event {
public:
    void set() {
        const std::lock_guard lock(mutex_);
        happened_ = true;
        changed_.notify_all();
    }
    [[nodiscard]] bool happened() const {
        const std::lock_guard lock(mutex_);
        return happened_;
    }
    /// False if it has not happened for very long.
    bool wait() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kHang, [&] { return happened_; });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool happened_ = false;
};

/// An activity that was begun.
class Started {
public:
    std::shared_ptr<ActivityTask> task;

    /// Returns its end; a failure that says so if it does not end.
    [[nodiscard]] ActivityResult result() const {
        std::unique_lock lock(end_->mutex);
        if (!end_->changed.wait_for(lock, kHang, [&] { return end_->times > 0; })) {
            return Failure{.message = "it has not ended"};
        }
        return *end_->result;
    }
    [[nodiscard]] std::string text() const {
        const ActivityResult ended = result();
        const auto* const payload = std::get_if<Payload>(&ended);
        return payload != nullptr ? payload->bytes : "failed: " + std::get<Failure>(ended).message;
    }
    [[nodiscard]] Failure failure() const {
        const ActivityResult ended = result();
        const auto* const failed = std::get_if<Failure>(&ended);
        return failed != nullptr ? *failed : Failure{.message = "it has not failed"};
    }
    /// Number of times that its end was told.
    [[nodiscard]] int times() const {
        const std::lock_guard lock(end_->mutex);
        return end_->times;
    }
    [[nodiscard]] ActivityExecutor::Done done() const {
        return [end = end_](ActivityResult result) {
            const std::lock_guard lock(end->mutex);
            end->result = std::move(result);
            ++end->times;
            end->changed.notify_all();
        };
    }

private:
    struct End {
        std::mutex mutex;
        std::condition_variable changed;
        std::optional<ActivityResult> result;
        int times = 0;
    };
    std::shared_ptr<End> end_ = std::make_shared<End>();
};

class Stage {
public:
    explicit Stage(const ExecutorOptions& options = ExecutorOptions())
        : executor(std::make_unique<ThreadExecutor>(options)) {}

    template <class R, class... Params, class... Given>
    Started begin(const Activity<R(Params...)>& activity, const Given&... arguments) {
        Started started = make(activity, arguments...);
        executor->begin(started.task, started.done());
        return started;
    }
    template <class R, class... Params, class... Given>
    Started make(const Activity<R(Params...)>& activity, const Given&... arguments) {
        Started started;
        ActivityDetails details;
        details.instance = {"default", "i" + std::to_string(++count_)};
        details.name = std::string(activity.name());
        details.attempt = 3;
        started.task = std::make_shared<ActivityTask>(
            std::move(details),
            detail::encode_arguments(static_cast<const Params&>(Params(arguments))...),
            *registry.activity(activity.name()));
        return started;
    }
    void stop(const Started& started, StopReason reason = StopReason::canceled) {
        executor->request_stop(started.task, reason);
    }
    /// Until all coroutines that were ready before have run until they wait. With one loop thread.
    void settle_loop() {
        Started started;
        started.task = std::make_shared<ActivityTask>(
            ActivityDetails{},
            Payload(),
            ActivityHandler::Coroutine([](ActivityContext&, const Payload&) { return at_once(); }));
        executor->begin(started.task, started.done());
        EXPECT_EQ(started.text(), "");
    }
    [[nodiscard]] bool abort(const Started& started) { return executor->abort(started.task); }

    Registry registry;
    std::unique_ptr<ThreadExecutor> executor;

private:
    static Async<Payload> at_once() { co_return Payload(); }

    int count_ = 0;
};

inline constexpr Activity<std::string(std::string)> Work{"Work"};
inline constexpr Activity<std::string(std::string)> Other{"Other"};
inline constexpr Activity<void()> Nothing{"Nothing"};

}  // namespace belay::executor_tests
