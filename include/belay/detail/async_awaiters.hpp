// Awaiters of coroutine activities. They have constructors on purpose: g++ 12 destroys aggregate
// awaiters twice.
#pragma once

#include <belay/detail/async_run.hpp>

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace belay::detail {

class SleepAwaiter {
public:
    SleepAwaiter(AsyncRun& run, Millis duration) noexcept : run_(&run), duration_(duration) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) const noexcept {
        run_->wait_for_time(frame, duration_);
    }
    void await_resume() const { run_->throw_if_stopped(); }

private:
    AsyncRun* run_;
    Millis duration_;
};

class StopAwaiter {
public:
    explicit StopAwaiter(AsyncRun& run) noexcept : run_(&run) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) const noexcept { run_->wait_for_stop(frame); }
    StopReason await_resume() const noexcept { return run_->stop_reason(); }

private:
    AsyncRun* run_;
};

class ProgramAwaiter {
public:
    ProgramAwaiter(AsyncRun& run, Program program) : run_(&run), call_(std::move(program)) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) noexcept { run_->wait_for(frame, call_); }
    ProgramOutput await_resume() {
        run_->throw_if_stopped();
        return take_output(call_.program, std::move(call_.end));
    }

private:
    AsyncRun* run_;
    ProgramCall call_;
};

/// `Function` is an lvalue reference for a function object that stays where it is.
template <class Function>
class PoolAwaiter final : public PoolCall {
public:
    using Value = std::decay_t<std::invoke_result_t<std::remove_reference_t<Function>&>>;

    PoolAwaiter(AsyncRun& run, Function&& function)
        : run_(&run), function_(std::forward<Function>(function)) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) noexcept { run_->wait_for(frame, *this); }
    Value await_resume() {
        run_->throw_if_stopped();
        if (thrown_) std::rethrow_exception(thrown_);
        if constexpr (!std::is_void_v<Value>) return std::move(*value_);
    }
    void call() noexcept override {
        try {
            if constexpr (std::is_void_v<Value>) {
                std::invoke(function_);
            } else {
                value_.emplace(std::invoke(function_));
            }
        } catch (...) {
            thrown_ = std::current_exception();
        }
    }

    void fail(std::exception_ptr problem) noexcept override { thrown_ = std::move(problem); }

private:
    AsyncRun* run_;
    Function function_;
    std::optional<std::conditional_t<std::is_void_v<Value>, std::monostate, Value>> value_;
    std::exception_ptr thrown_;
};

/// Resumed by a foreign awaitable instead of the coroutine. It has the coroutine resumed where it
/// belongs, and keeps all of it alive until then.
class Resumer {
public:
    class promise_type {
    public:
        [[nodiscard]] Resumer get_return_object() noexcept {
            return Resumer(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
        [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };

    /// A frame of its own, which is gone once it was resumed.
    [[nodiscard]] static Resumer make(std::shared_ptr<AsyncRun> run) {
        run->foreign_resumed();
        co_return;
    }
    [[nodiscard]] std::coroutine_handle<> handle() const noexcept { return handle_; }

private:
    explicit Resumer(std::coroutine_handle<> handle) noexcept : handle_(handle) {}
    std::coroutine_handle<> handle_;
};

template <class A>
concept MemberCoAwait = requires(A&& awaitable) { std::forward<A>(awaitable).operator co_await(); };
template <class A>
concept FreeCoAwait = requires(A&& awaitable) { operator co_await(std::forward<A>(awaitable)); };
template <class A>
concept Awaiter = requires(A& awaiter, std::coroutine_handle<> frame) {
    { awaiter.await_ready() } -> std::convertible_to<bool>;
    awaiter.await_suspend(frame);
    awaiter.await_resume();
};
template <class A>
concept Awaitable = MemberCoAwait<A> || FreeCoAwait<A> || Awaiter<A>;

template <Awaitable A>
decltype(auto) awaiter_of(A&& awaitable) {
    if constexpr (MemberCoAwait<A>) {
        return std::forward<A>(awaitable).operator co_await();
    } else if constexpr (FreeCoAwait<A>) {
        return operator co_await(std::forward<A>(awaitable));
    } else {
        return std::forward<A>(awaitable);
    }
}

/// A foreign awaitable. Until it resumes the coroutine, nothing may destroy it.
template <class A>
class ForeignAwaiter final : public ForeignWait {
public:
    ForeignAwaiter(AsyncRun& run, A&& awaitable)
        : run_(&run), awaiter_(awaiter_of(std::forward<A>(awaitable))) {}
    [[nodiscard]] bool await_ready() { return awaiter_.await_ready(); }
    void await_suspend(std::coroutine_handle<> frame) noexcept { run_->wait_for(frame, *this); }
    decltype(auto) await_resume() {
        if (thrown_) std::rethrow_exception(thrown_);
        return awaiter_.await_resume();
    }
    bool begin(std::coroutine_handle<> resumer) noexcept override {
        using Answer = decltype(awaiter_.await_suspend(resumer));
        try {
            if constexpr (std::is_void_v<Answer>) {
                awaiter_.await_suspend(resumer);
                return true;
            } else if constexpr (std::is_same_v<Answer, bool>) {
                return awaiter_.await_suspend(resumer);
            } else {
                const std::coroutine_handle<> next = awaiter_.await_suspend(resumer);
                next.resume();
                return true;
            }
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
    }

private:
    AsyncRun* run_;
    decltype(awaiter_of(std::declval<A>())) awaiter_;
    std::exception_ptr thrown_;
};

}  // namespace belay::detail
