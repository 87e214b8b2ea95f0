// A queue in which answers wait until their object is stepped.
#pragma once

#include <belay/detail/mutex.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <utility>

namespace belay::runtime {

/// Answers come on any thread; a dispatcher handles them in its own step, one at a time. Shared
/// with the callbacks, so that an answer that comes after its dispatcher is gone finds a closed
/// box.
class Inbox {
public:
    void post(std::function<void()> work) {
        const detail::MutexLock lock(mutex_);
        if (!closed_) queue_.push_back(std::move(work));
    }

    /// Runs the oldest; false if there is none.
    bool run_one() {
        std::function<void()> work;
        {
            const detail::MutexLock lock(mutex_);
            if (queue_.empty()) return false;
            work = std::move(queue_.front());
            queue_.pop_front();
        }
        work();
        return true;
    }

    [[nodiscard]] bool empty() const {
        const detail::MutexLock lock(mutex_);
        return queue_.empty();
    }

    void close() {
        // Destroyed without the lock: a dropped callback may answer somebody, who may post again.
        std::deque<std::function<void()>> dropped;
        const detail::MutexLock lock(mutex_);
        closed_ = true;
        dropped.swap(queue_);
    }

private:
    mutable detail::Mutex mutex_;
    std::deque<std::function<void()>> queue_ BELAY_GUARDED_BY(mutex_);
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

/// Owns an inbox and closes it at the end. `later(f)` is a callback that posts `f` with its
/// argument, `poster(f)` one without.
class Mailbox {
public:
    Mailbox() : inbox_(std::make_shared<Inbox>()) {}
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    ~Mailbox() { inbox_->close(); }

    void post(std::function<void()> work) { inbox_->post(std::move(work)); }
    bool run_one() { return inbox_->run_one(); }
    [[nodiscard]] bool empty() const { return inbox_->empty(); }

    template <class Answer, class Handler>
    [[nodiscard]] std::function<void(Answer)> later(Handler handler) {
        return [inbox = inbox_, handler = std::move(handler)](Answer answer) {
            inbox->post(
                [handler, answer = std::move(answer)]() mutable { handler(std::move(answer)); });
        };
    }

    template <class Handler>
    [[nodiscard]] std::function<void()> poster(Handler handler) {
        return [inbox = inbox_, handler = std::move(handler)] { inbox->post(handler); };
    }

private:
    std::shared_ptr<Inbox> inbox_;
};

}  // namespace belay::runtime
