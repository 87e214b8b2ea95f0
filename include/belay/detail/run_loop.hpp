// The queue that resumes coroutines. Every resumption goes through it, never from one coroutine
// into another, so stack depth does not depend on the optimiser (g++ 12 makes symmetric transfer a
// plain call at -O0 and under sanitizers) and the order of execution is the order of pushing.
#pragma once

#include <belay/detail/assert.hpp>
#include <belay/detail/frame.hpp>

#include <coroutine>
#include <cstddef>

namespace belay::detail {

class RunLoop;

/// A coroutine's place in the queue. Lives in its promise; leaves the queue when it is destroyed,
/// so that destroying a coroutine that was about to be resumed is safe and costs no search.
class Resumable {
public:
    explicit Resumable(Frame frame) noexcept : frame_(frame) {}
    explicit Resumable(std::coroutine_handle<> handle) noexcept : frame_(handle) {}
    Resumable(const Resumable&) = delete;
    Resumable& operator=(const Resumable&) = delete;
    ~Resumable() { unlink(); }

    [[nodiscard]] const Frame& frame() const noexcept { return frame_; }
    [[nodiscard]] bool queued() const noexcept { return loop_ != nullptr; }

private:
    friend class RunLoop;
    inline void unlink() noexcept;

    Frame frame_;
    RunLoop* loop_ = nullptr;
    Resumable* previous_ = nullptr;
    Resumable* next_ = nullptr;
};

/// First in, first out; one thread at a time.
class RunLoop {
public:
    RunLoop() = default;
    RunLoop(const RunLoop&) = delete;
    RunLoop& operator=(const RunLoop&) = delete;
    ~RunLoop() { clear(); }

    void push(Resumable& resumable) noexcept {
        BELAY_ASSERT(!resumable.queued());
        resumable.loop_ = this;
        resumable.previous_ = last_;
        (last_ != nullptr ? last_->next_ : first_) = &resumable;
        last_ = &resumable;
    }

    /// Resumes the first in the queue; returns false if there is none.
    bool run_one() {
        if (first_ == nullptr) return false;
        Resumable& next = *first_;
        const Frame frame = next.frame_;
        next.unlink();
        frame.resume();
        return true;
    }

    /// Forgets everything without resuming it.
    void clear() noexcept {
        while (first_ != nullptr) first_->unlink();
    }

private:
    friend class Resumable;
    Resumable* first_ = nullptr;
    Resumable* last_ = nullptr;
};

void Resumable::unlink() noexcept {
    if (loop_ == nullptr) return;
    (previous_ != nullptr ? previous_->next_ : loop_->first_) = next_;
    (next_ != nullptr ? next_->previous_ : loop_->last_) = previous_;
    loop_ = nullptr;
    previous_ = next_ = nullptr;
}

}  // namespace belay::detail
