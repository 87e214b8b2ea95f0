// Waiting on the calling thread for an answer that comes on another.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/store/store.hpp>

#include <optional>
#include <utility>

namespace belay::detail {

/// An answer that one thread gives, once, and another waits for.
template <class T>
class AwaitedAnswer {
public:
    void give(Result<T> answer) {
        // Notified under the lock: the waiter may destroy all this as soon as it gets it.
        const MutexLock lock(mutex_);
        answer_.emplace(std::move(answer));
        given_.notify_one();
    }
    [[nodiscard]] Result<T> take() {
        const MutexLock lock(mutex_);
        while (!answer_) given_.wait(mutex_);
        return std::move(*answer_);
    }

private:
    Mutex mutex_;
    Condition given_;
    std::optional<Result<T>> answer_ BELAY_GUARDED_BY(mutex_);
};

/// `ask` gets the callback and must ensure that it is called.
template <class T, class Ask>
[[nodiscard]] Result<T> wait_for_answer(Ask&& ask) {
    AwaitedAnswer<T> answer;
    std::forward<Ask>(ask)(Done<T>([&](Result<T> result) { answer.give(std::move(result)); }));
    return answer.take();
}

}  // namespace belay::detail
