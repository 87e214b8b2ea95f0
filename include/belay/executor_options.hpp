// Options of a ThreadExecutor, and so of a worker.
#pragma once

#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <utility>

namespace belay {

/// Options of a ThreadExecutor. Chained setters: `ExecutorOptions().threads(8)`.
class ExecutorOptions {
public:
    ExecutorOptions() = default;

    /// Plain functions that run at once, each on a thread of its own. Default: 16. More are
    /// accepted as long as they take so little time that the next would wait no more than ten
    /// milliseconds.
    ExecutorOptions& threads(std::uint32_t most) { return set(threads_, most); }
    /// Coroutine activities at once, waiting ones included. Default: 10,000.
    ExecutorOptions& coroutines(std::uint32_t most) { return set(coroutines_, most); }
    /// The threads that run the code of coroutines between their waits. Default: 1.
    ExecutorOptions& loop_threads(std::uint32_t most) { return set(loop_threads_, most); }
    /// Functions that coroutines have called by `ctx.run`, at once; more wait for their turn.
    /// Default: 16.
    ExecutorOptions& call_threads(std::uint32_t most) { return set(call_threads_, most); }
    /// Child processes at once, those of coroutines included; more wait for their turn. Default:
    /// 64.
    ExecutorOptions& programs(std::uint32_t most) { return set(programs_, most); }
    /// Threads for stop callbacks. If one callback takes longer than `stop_patience`, the next are
    /// called on another thread. Default: 16.
    ExecutorOptions& stop_threads(std::uint32_t most) { return set(stop_threads_, most); }
    /// The time that one stop callback may keep the next waiting. Default: 20 ms.
    ExecutorOptions& stop_patience(Millis patience) { return set(stop_patience_, patience); }
    /// The time that the destructor lets activities stop by themselves. Default: 10 s.
    ExecutorOptions& grace(Millis grace) { return set(grace_, grace); }
    /// Called on a thread for plain functions each time it has called `done`. Must not throw.
    ///
    /// The first activity that it begins wakes no other thread: its own thread takes it after
    /// `after_done` has returned. See ThreadExecutor::wake_another.
    ExecutorOptions& after_done(std::function<void()> hook) {
        return set(after_done_, std::move(hook));
    }

private:
    friend class ThreadExecutor;
    template <class T, class U>
    ExecutorOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::uint32_t threads_ = 16;
    std::uint32_t coroutines_ = 10'000;
    std::uint32_t loop_threads_ = 1;
    std::uint32_t call_threads_ = 16;
    std::uint32_t programs_ = 64;
    std::uint32_t stop_threads_ = 16;
    Millis stop_patience_{20};
    Millis grace_{10'000};
    std::function<void()> after_done_;
};

}  // namespace belay
