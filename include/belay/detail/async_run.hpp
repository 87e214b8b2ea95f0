// One coroutine activity in progress, as its frames and awaiters see it.
#pragma once

#include <belay/activity.hpp>
#include <belay/program.hpp>
#include <belay/time.hpp>

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace belay::detail {

/// A function that a coroutine has called in the pool. Lives in the coroutine's frame.
class PoolCall {
public:
    virtual void call() noexcept = 0;
    /// Called instead of `call` if there is no thread for it.
    virtual void fail(std::exception_ptr problem) noexcept = 0;

protected:
    ~PoolCall() = default;
};

/// A program that a coroutine has run. Lives in the coroutine's frame.
struct ProgramCall {
    explicit ProgramCall(Program program_) : program(std::move(program_)) {}

    Program program;
    ProgramEnd end;
};

/// A foreign awaitable. Lives in the coroutine's frame.
class ForeignWait {
public:
    /// Begins to wait; `resumer` is what it will resume. Returns false if there is nothing to wait
    /// for: then `resumer` is not used.
    virtual bool begin(std::coroutine_handle<> resumer) noexcept = 0;

protected:
    ~ForeignWait() = default;
};

/// An awaiter only records its wait. The wait begins when the coroutine is suspended and its thread
/// is back in the driver, so that nothing can resume or destroy a frame that is still being left.
/// No frame resumes another: the driver does, one after the other, so that stack depth depends on
/// no optimiser.
///
/// Used by one thread at a time: the one that runs the coroutine.
class AsyncRun : public std::enable_shared_from_this<AsyncRun> {
public:
    enum class Wait : std::uint8_t { none, sleep, stop, call, program, foreign };

    AsyncRun() = default;
    AsyncRun(const AsyncRun&) = delete;
    AsyncRun& operator=(const AsyncRun&) = delete;
    virtual ~AsyncRun() = default;

    /// Called when the wait of a foreign awaitable is over. Any thread.
    virtual void foreign_resumed() = 0;
    [[nodiscard]] virtual StopReason stop_reason() const noexcept = 0;

    void go_on_with(std::coroutine_handle<> frame) noexcept { next_ = frame; }
    void wait_for_time(std::coroutine_handle<> frame, Millis duration) noexcept {
        wait(Wait::sleep, frame);
        duration_ = duration;
    }
    void wait_for_stop(std::coroutine_handle<> frame) noexcept { wait(Wait::stop, frame); }
    void wait_for(std::coroutine_handle<> frame, PoolCall& call) noexcept {
        wait(Wait::call, frame);
        call_ = &call;
    }
    void wait_for(std::coroutine_handle<> frame, ProgramCall& program) noexcept {
        wait(Wait::program, frame);
        program_ = &program;
    }
    void wait_for(std::coroutine_handle<> frame, ForeignWait& foreign) noexcept {
        wait(Wait::foreign, frame);
        foreign_ = &foreign;
    }

    /// After a wait: throws if it was ended because the activity is to stop.
    void throw_if_stopped() const {
        if (stopped_) throw Stopped(stop_reason());
    }

protected:
    std::coroutine_handle<> next_;    ///< The frame to be resumed now, if any.
    std::coroutine_handle<> waiter_;  ///< The frame that waits.
    Wait wait_ = Wait::none;
    bool stopped_ = false;  ///< The last wait was ended because the activity is to stop.
    Millis duration_{0};
    PoolCall* call_ = nullptr;
    ProgramCall* program_ = nullptr;
    ForeignWait* foreign_ = nullptr;

private:
    void wait(Wait what, std::coroutine_handle<> frame) noexcept {
        wait_ = what;
        waiter_ = frame;
        stopped_ = false;
    }
};

}  // namespace belay::detail
