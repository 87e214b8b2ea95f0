// Something that becomes ready once, and its waiter.
#pragma once

#include <belay/detail/assert.hpp>

namespace belay::detail {

class Completion;

/// Is told, once, when the thing it waits for is ready. Must not resume a coroutine itself: it
/// pushes to the run loop.
class Waiter {
public:
    virtual void on_ready(Completion& completion) = 0;

protected:
    ~Waiter() = default;
};

/// Ready or not, with at most one waiter. Not copied or moved: waiters know its address.
class Completion {
public:
    Completion() = default;
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    [[nodiscard]] bool ready() const noexcept { return ready_; }
    /// True if it is ready, and taking its value will throw.
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    [[nodiscard]] bool awaited() const noexcept { return waiter_ != nullptr; }

    void wait(Waiter& waiter) noexcept {
        BELAY_ASSERT(!ready_ && waiter_ == nullptr);
        waiter_ = &waiter;
    }
    void forget_waiter() noexcept { waiter_ = nullptr; }

    void set_ready(bool failed = false) {
        BELAY_ASSERT(!ready_);
        ready_ = true;
        failed_ = failed;
        if (waiter_ == nullptr) return;
        Waiter* const waiter = waiter_;
        waiter_ = nullptr;
        waiter->on_ready(*this);
    }

protected:
    ~Completion() = default;

private:
    bool ready_ = false;
    bool failed_ = false;
    Waiter* waiter_ = nullptr;
};

}  // namespace belay::detail
