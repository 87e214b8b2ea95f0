// Waiting on the calling thread for an answer that comes on another.
#pragma once

#include <belay/store/store.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace belay::client {

/// `ask` gets the callback and must see to it that it is called.
template <class T, class Ask>
[[nodiscard]] Result<T> wait_for_answer(Ask&& ask) {
    std::mutex mutex;
    std::condition_variable answered;
    std::optional<Result<T>> answer;
    std::forward<Ask>(ask)(Done<T>([&](Result<T> result) {
        // Notified under the lock: the waiter may destroy all this as soon as it gets it.
        const std::lock_guard lock(mutex);
        answer.emplace(std::move(result));
        answered.notify_one();
    }));
    std::unique_lock lock(mutex);
    answered.wait(lock, [&] { return answer.has_value(); });
    return std::move(*answer);
}

/// One read.
template <class Request>
[[nodiscard]] Result<typename Request::Answer> ask(Store& store, const Request& request) {
    return wait_for_answer<typename Request::Answer>(
        [&](Done<typename Request::Answer> done) { store.read(request, std::move(done)); });
}

}  // namespace belay::client
