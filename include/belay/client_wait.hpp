// Waits of a client that a coroutine awaits.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/error.hpp>

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace belay {

namespace detail {

/// A coroutine that waits for one answer. The callback of the wait owns it, and so resumes the
/// coroutine in any case: with `unavailable` if it is dropped uncalled. Any thread.
template <class T>
class SleepingCoroutine {
public:
    SleepingCoroutine(std::coroutine_handle<> frame, std::optional<Result<T>>& answer)
        : frame_(frame), answer_(&answer) {}
    SleepingCoroutine(const SleepingCoroutine&) = delete;
    SleepingCoroutine& operator=(const SleepingCoroutine&) = delete;
    ~SleepingCoroutine() { resume(Error(Errc::unavailable, "the client is gone that waited")); }

    /// Does nothing if it was resumed or forgotten before.
    void resume(Result<T> answer) BELAY_EXCLUDES(mutex_) {
        std::coroutine_handle<> frame;
        {
            const MutexLock lock(mutex_);
            frame = std::exchange(frame_, nullptr);
            if (frame) answer_->emplace(std::move(answer));
        }
        // Not under the lock: the coroutine may destroy what forgets it.
        if (frame) frame.resume();
    }
    /// The coroutine is being destroyed.
    void forget() BELAY_EXCLUDES(mutex_) {
        const MutexLock lock(mutex_);
        frame_ = nullptr;
    }

private:
    Mutex mutex_;
    std::coroutine_handle<> frame_ BELAY_GUARDED_BY(mutex_);
    /// In the frame of the coroutine.
    std::optional<Result<T>>* const answer_;
};

}  // namespace detail

/// A wait of a client, for `co_await` in any coroutine but an orchestration. It begins when it is
/// awaited. The coroutine goes on where a callback would be called: in `Client::step`, in the
/// store's answer to it, or in a thread that blocks in a wait of the same client. In a coroutine
/// activity it goes on among the other coroutines. Await it once.
///
/// If the client is destroyed, the coroutine goes on with `unavailable`, in that destructor. If the
/// coroutine is destroyed instead, the wait is forgotten. No other thread may end the wait
/// meanwhile.
template <class T>
class [[nodiscard("belay: nothing is waited for until it is awaited: write co_await")]] ClientWait {
public:
    /// Begins the wait with a callback.
    using Begin = std::function<void(Done<T>)>;

    /// `begin` is called when this object is awaited.
    explicit ClientWait(Begin begin) : begin_(std::move(begin)) {}
    ClientWait(ClientWait&&) noexcept = default;
    ClientWait& operator=(ClientWait&&) = delete;
    ~ClientWait() {
        if (const auto sleeping = sleeping_.lock()) sleeping->forget();
    }

    /// Returns false: even a run that has ended is read first.
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    /// Begins the wait.
    void await_suspend(std::coroutine_handle<> frame) {
        auto sleeping = std::make_shared<detail::SleepingCoroutine<T>>(frame, answer_);
        sleeping_ = sleeping;
        // From here on the coroutine may go on elsewhere, and destroy this object.
        const Begin begin = std::move(begin_);
        begin([sleeping = std::move(sleeping)](Result<T> answer) {
            sleeping->resume(std::move(answer));
        });
    }
    /// Returns what the callback of the wait would be called with.
    [[nodiscard]] Result<T> await_resume() { return std::move(*answer_); }

private:
    Begin begin_;
    std::optional<Result<T>> answer_;
    std::weak_ptr<detail::SleepingCoroutine<T>> sleeping_;
};

}  // namespace belay
