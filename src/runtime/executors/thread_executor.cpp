#include "base/policy.hpp"
#include "runtime/executors/loop.hpp"
#include "runtime/executors/pool.hpp"
#include "runtime/executors/stop_lane.hpp"
#include "runtime/executors/watcher.hpp"
#include <belay/thread_executor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace belay {

namespace {

using namespace runtime;

/// The threads for functions of the engine itself.
constexpr std::uint32_t kEngineThreads = 4;

/// A plain function.
class FunctionRun final : public PoolJob,
                          public detail::RunningActivity,
                          public std::enable_shared_from_this<FunctionRun> {
public:
    FunctionRun(std::shared_ptr<Pool> pool,
                std::shared_ptr<StopLane> stops,
                std::shared_ptr<ActivityTask> task,
                ActivityExecutor::Done done)
        : pool_(std::move(pool)),
          stops_(std::move(stops)),
          task_(std::move(task)),
          done_(std::move(done)) {}

    void run() noexcept override { result_ = task_->run(); }
    bool finish(bool abandoned) noexcept override {
        if (abandoned) return false;
        std::exchange(done_, nullptr)(std::move(result_));
        return true;
    }
    [[nodiscard]] std::string describe() const override {
        return runtime::describe(task_->details());
    }
    void stop(StopReason reason) override {
        if (!task_->announce_stop(reason)) return;
        if (pool_->withdraw(shared_from_this())) {
            end_unbegun();
        } else {
            stops_->push(task_);
        }
    }
    [[nodiscard]] bool abort() override {
        switch (pool_->abandon(shared_from_this())) {
            case Pool::Ended::withdrawn: end_unbegun(); return true;
            case Pool::Ended::over: return true;
            case Pool::Ended::abandoned: break;
        }
        done_ = nullptr;  // Its thread does not look at this any more.
        return false;
    }
    [[nodiscard]] bool withdraw() override {
        if (!pool_->withdraw(shared_from_this())) return false;
        done_ = nullptr;
        return true;
    }

private:
    void end_unbegun() {
        std::exchange(done_, nullptr)(Failure{.kind = FailureKind::infrastructure,
                                              .message = "stopped before it began",
                                              .where = task_->details().name,
                                              .attempt = task_->details().attempt});
    }

    const std::shared_ptr<Pool> pool_;
    const std::shared_ptr<StopLane> stops_;
    const std::shared_ptr<ActivityTask> task_;
    ActivityExecutor::Done done_;
    ActivityResult result_;
};

void require_positive(std::uint32_t value, const char* name) {
    if (value == 0) {
        throw std::invalid_argument("belay: ExecutorOptions::" + std::string(name) +
                                    " must be at least 1");
    }
}

void require_in_range(Millis value, const char* name) {
    if (value < Millis(0) || value > base::kLongest) {
        throw std::invalid_argument("belay: ExecutorOptions::" + std::string(name) +
                                    " must not be negative, and at most ten years");
    }
}

}  // namespace

struct ThreadExecutor::Impl {
    explicit Impl(const ExecutorOptions& options_)
        : options(options_),
          stops(std::make_shared<StopLane>(options.stop_threads_, options.stop_patience_)),
          pool(std::make_shared<Pool>(options.threads_, options.after_done_)),
          engine(std::make_shared<Pool>(kEngineThreads, nullptr)),
          calls(std::make_shared<Pool>(options.call_threads_, nullptr)),
          watcher(std::make_shared<Watcher>(options.programs_)),
          loop(std::make_shared<Loop>(options.loop_threads_, calls, watcher, stops)) {}

    [[nodiscard]] std::vector<std::shared_ptr<detail::RunningActivity>> running() const {
        std::vector<std::shared_ptr<detail::RunningActivity>> all;
        for (const auto& functions : {pool, engine}) {
            for (const auto& job : functions->jobs()) {
                all.push_back(std::static_pointer_cast<FunctionRun>(job));
            }
        }
        for (const auto& run : loop->runs()) all.push_back(run);
        return all;
    }

    const ExecutorOptions options;
    const std::shared_ptr<StopLane> stops;
    const std::shared_ptr<Pool> pool;
    const std::shared_ptr<Pool> engine;
    const std::shared_ptr<Pool> calls;
    const std::shared_ptr<Watcher> watcher;
    const std::shared_ptr<Loop> loop;
    std::atomic<bool> closed = false;
    std::vector<std::string> stuck_callbacks;
};

ThreadExecutor::ThreadExecutor(const ExecutorOptions& options) {
    require_positive(options.threads_, "threads");
    require_positive(options.coroutines_, "coroutines");
    require_positive(options.loop_threads_, "loop_threads");
    require_positive(options.call_threads_, "call_threads");
    require_positive(options.programs_, "programs");
    require_positive(options.stop_threads_, "stop_threads");
    require_in_range(options.stop_patience_, "stop_patience");
    require_in_range(options.grace_, "grace");
    impl_ = std::make_unique<Impl>(options);
}

ThreadExecutor::~ThreadExecutor() { shut_down(impl_->options.grace_); }

void ThreadExecutor::begin(std::shared_ptr<ActivityTask> task, Done done) {
    if (impl_->closed) throw std::runtime_error("belay: the executor is shut down");
    const ActivityKind kind = task->handler().kind();
    if (!task->handler().is_function()) {
        const auto run = impl_->loop->start(task, std::move(done));
        task->set_running(run);
        return;
    }
    const auto& pool = kind == ActivityKind::engine ? impl_->engine : impl_->pool;
    auto run = std::make_shared<FunctionRun>(pool, impl_->stops, task, std::move(done));
    task->set_running(run);
    pool->submit(std::move(run));
}

void ThreadExecutor::request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) {
    if (const auto running = task->running()) running->stop(reason);
}

bool ThreadExecutor::abort(const std::shared_ptr<ActivityTask>& task) {
    const auto running = task->running();
    return !running || running->abort();  // A task that is not there has ended.
}

bool ThreadExecutor::withdraw(const std::shared_ptr<ActivityTask>& task) {
    const auto running = task->running();
    return running && running->withdraw();
}

std::uint32_t ThreadExecutor::room(ActivityKind kind) const {
    const Impl& impl = *impl_;
    if (kind == ActivityKind::function) return impl.pool->room();
    if (kind == ActivityKind::engine) return impl.engine->room();
    const std::uint32_t most =
        kind == ActivityKind::coroutine ? impl.options.coroutines_ : impl.options.programs_;
    const std::uint32_t taken = impl.loop->running(kind);
    return taken < most ? most - taken : 0;
}

void ThreadExecutor::wake_another() { impl_->pool->wake_another(); }

std::function<void()> ThreadExecutor::leaving() { return impl_->pool->leaving(); }

std::vector<std::string> ThreadExecutor::shut_down(Millis grace) {
    Impl& impl = *impl_;
    if (impl.closed.exchange(true)) return abandoned();
    grace = std::clamp(grace, Millis(0), base::kLongest);
    for (const auto& running : impl.running()) running->stop(StopReason::shutdown);
    const Deadline deadline = std::chrono::steady_clock::now() + grace;
    impl.pool->wait_until_empty(deadline);
    impl.engine->wait_until_empty(deadline);
    impl.loop->wait_until_empty(deadline);
    for (const auto& running : impl.running()) static_cast<void>(running->abort());
    // Activities that are ended by force end soon: they are only destroyed, or have been killed.
    impl.loop->wait_until_empty(std::chrono::steady_clock::now() + grace);
    impl.pool->close();
    impl.engine->close();
    impl.calls->close();
    impl.watcher->close();
    impl.loop->close();
    impl.stuck_callbacks = impl.stops->close(
        std::max(deadline, std::chrono::steady_clock::now() + impl.options.stop_patience_));
    return abandoned();
}

std::vector<std::string> ThreadExecutor::abandoned() const {
    std::vector<std::string> all = impl_->pool->abandoned();
    for (std::string& name : impl_->engine->abandoned()) all.push_back(std::move(name));
    for (std::string& name : impl_->loop->abandoned()) all.push_back(std::move(name));
    for (const std::string& name : impl_->stuck_callbacks) {
        all.push_back("a stop callback of " + name);
    }
    return all;
}

std::uint32_t ThreadExecutor::threads() const {
    return impl_->pool->threads() + impl_->engine->threads() + impl_->calls->threads() +
           impl_->loop->threads() + impl_->stops->threads() + impl_->watcher->threads();
}

}  // namespace belay
