// Coroutine activities: thousands wait at once, without a thread each.
#pragma once

#include <belay/activity.hpp>
#include <belay/detail/async_awaiters.hpp>
#include <belay/detail/signature.hpp>
#include <belay/exceptions.hpp>
#include <belay/limits.hpp>
#include <belay/program.hpp>

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace belay {

template <class T>
class Async;

/// See ActivityContext::sleep.
class [[nodiscard("belay: nothing happens until it is awaited: write co_await")]] SleepFor {
public:
    /// Made by the context.
    explicit SleepFor(Millis duration) noexcept : duration_(duration) {}
    /// The duration.
    [[nodiscard]] Millis duration() const noexcept { return duration_; }

private:
    Millis duration_;
};

/// See ActivityContext::stopped.
class [[nodiscard("belay: nothing happens until it is awaited: write co_await")]] UntilStopped {
public:
    /// Made by the context.
    UntilStopped() noexcept {}
};

/// See ActivityContext::run.
template <class Function>
class [[nodiscard("belay: nothing happens until it is awaited: write co_await")]] InPool {
public:
    /// Made by the context.
    explicit InPool(Function&& function) : function_(std::forward<Function>(function)) {}
    [[nodiscard]] Function&& take() && { return std::forward<Function>(function_); }

private:
    Function function_;
};

/// See ActivityContext::run.
class [[nodiscard("belay: nothing happens until it is awaited: write co_await")]] RunProgram {
public:
    /// Made by the context.
    explicit RunProgram(Program program) : program_(std::move(program)) {}
    [[nodiscard]] Program take() && { return std::move(program_); }

private:
    Program program_;
};

inline SleepFor ActivityContext::sleep(Millis duration) const noexcept {
    return SleepFor(duration);
}
inline UntilStopped ActivityContext::stopped() const noexcept { return UntilStopped(); }
inline RunProgram ActivityContext::run(Program program) const {
    return RunProgram(std::move(program));
}
template <class Function>
    requires std::is_invocable_v<std::remove_reference_t<Function>&>
InPool<Function> ActivityContext::run(Function&& function) const {
    static_assert(!detail::kClosureDestroyedTwice<Function>,
                  "belay: g++ 12 would destroy what this function object holds twice inside the "
                  "awaited expression: give it a name in a statement of its own, then pass the "
                  "name, without std::move: it is called where it is");
    return InPool<Function>(std::forward<Function>(function));
}

namespace detail {

template <class T>
class AsyncPromise;
template <class T>
class ChildAwaiter;

/// True for awaitables that are used up by awaiting them.
template <class T>
inline constexpr bool kUsedUp = std::is_same_v<T, RunProgram>;
template <class T>
inline constexpr bool kUsedUp<Async<T>> = true;
template <class Function>
inline constexpr bool kUsedUp<InPool<Function>> = true;

/// The common base of promises of all result types.
class AsyncPromiseBase {
public:
    AsyncPromiseBase() = default;
    AsyncPromiseBase(const AsyncPromiseBase&) = delete;
    AsyncPromiseBase& operator=(const AsyncPromiseBase&) = delete;

    [[nodiscard]] AsyncRun& run() const noexcept { return *run_; }
    [[nodiscard]] std::uint32_t depth() const noexcept { return depth_; }
    /// Sets the place among the coroutines that await one another; the outermost has no parent.
    void enter(AsyncRun& run, std::coroutine_handle<> parent, std::uint32_t depth) noexcept {
        run_ = &run;
        parent_ = parent;
        depth_ = depth;
    }

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] auto final_suspend() noexcept { return FinalAwaiter(); }
    void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

    auto await_transform(SleepFor sleep) const noexcept {
        return SleepAwaiter(*run_, sleep.duration());
    }
    auto await_transform(UntilStopped /*until*/) const noexcept { return StopAwaiter(*run_); }
    auto await_transform(RunProgram&& program) const {
        return ProgramAwaiter(*run_, std::move(program).take());
    }
    template <class Function>
    auto await_transform(InPool<Function>&& call) const {
        return PoolAwaiter<Function>(*run_, std::move(call).take());
    }
    template <class T>
    auto await_transform(Async<T>&& child) const {
        return ChildAwaiter<T>(*run_, depth_ + 1, std::move(child));
    }
    template <class A>
        requires(!std::is_same_v<std::remove_cvref_t<A>, SleepFor> &&
                 !std::is_same_v<std::remove_cvref_t<A>, UntilStopped>)
    auto await_transform(A&& foreign) const {
        static_assert(
            !kUsedUp<std::remove_cvref_t<A>>,
            "belay: awaiting uses it up: write co_await std::move(x), of an x that is not "
            "const");
        static_assert(
            kUsedUp<std::remove_cvref_t<A>> || Awaitable<A>,
            "belay: this cannot be awaited in an activity: await what its context offers, "
            "another belay::Async, or an awaitable of another library");
        static_assert(
            !kDestroyedTwice<A>,
            "belay: g++ 12 would destroy this aggregate awaitable twice: give it a name in "
            "a statement of its own, then await the name");
        return ForeignAwaiter<A>(*run_, std::forward<A>(foreign));
    }

protected:
    ~AsyncPromiseBase() = default;
    void rethrow_if_failed() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    class FinalAwaiter {
    public:
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> frame) const noexcept {
            const AsyncPromiseBase& promise = frame.promise();
            promise.run_->go_on_with(promise.parent_);
        }
        void await_resume() const noexcept {}
    };

    AsyncRun* run_ = nullptr;
    std::coroutine_handle<> parent_;
    std::uint32_t depth_ = 0;
    std::exception_ptr thrown_;
};

template <class T>
class AsyncPromise final : public AsyncPromiseBase {
public:
    [[nodiscard]] Async<T> get_return_object() noexcept;
    template <class U = T>
        requires std::convertible_to<U, T>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }
    T take() {
        rethrow_if_failed();
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
};

template <>
class AsyncPromise<void> final : public AsyncPromiseBase {
public:
    [[nodiscard]] Async<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void take() const { rethrow_if_failed(); }
};

}  // namespace detail

/// The coroutine type of activities that wait, and of their helpers: a lazy, move-only task.
///
///     belay::Async<Payment> charge(belay::ActivityContext& ctx, OrderId id) {
///         while (!settled(id)) co_await ctx.sleep(1s);
///         co_return payment_of(id);
///     }
///
/// Its code runs on one of a few threads that all coroutine activities share, so it must not block:
/// blocking calls go through `ctx.run`. Awaited from another Async it is a helper: a plain call
/// inside the same activity. It may be resumed on another thread than before, never on two at once.
///
/// After the grace period of a stop, a coroutine that waits for something on its context is
/// destroyed where it stands, helpers first. A coroutine that waits for an awaitable of another
/// library cannot be destroyed then: it is abandoned, and destroyed when that awaitable resumes it.
template <class T>
class [[nodiscard("belay: a coroutine does nothing until it is awaited: write co_await")]] Async {
public:
    using Value = T;
    using promise_type = detail::AsyncPromise<T>;

    explicit Async(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
    Async(Async&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    Async& operator=(Async&& other) noexcept {
        if (this != &other) {
            destroy();
            frame_ = std::exchange(other.frame_, nullptr);
        }
        return *this;
    }
    ~Async() { destroy(); }

    // For executors.
    void start(detail::AsyncRun& run, std::coroutine_handle<> parent, std::uint32_t depth) {
        if (!frame_ || frame_.done()) {
            throw std::logic_error("belay: this coroutine is used up: it was awaited, or moved");
        }
        if (const std::uint32_t most = Limits().helper_depth; depth > most) {
            throw LimitExceeded("helpers are nested more than " + std::to_string(most) + " deep");
        }
        frame_.promise().enter(run, parent, depth);
    }
    /// Returns its frame; null if it was moved from.
    [[nodiscard]] std::coroutine_handle<> frame() const noexcept { return frame_; }
    /// True if its code has ended, in any way.
    [[nodiscard]] bool done() const noexcept { return frame_.done(); }
    T take() { return frame_.promise().take(); }

private:
    void destroy() noexcept {
        if (frame_) frame_.destroy();
        frame_ = nullptr;
    }

    std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
Async<T> AsyncPromise<T>::get_return_object() noexcept {
    return Async<T>(std::coroutine_handle<AsyncPromise>::from_promise(*this));
}
inline Async<void> AsyncPromise<void>::get_return_object() noexcept {
    return Async<void>(std::coroutine_handle<AsyncPromise>::from_promise(*this));
}

/// Awaits a helper and owns it, so that destroying the one destroys the other.
template <class T>
class ChildAwaiter {
public:
    ChildAwaiter(AsyncRun& run, std::uint32_t depth, Async<T> child) noexcept
        : run_(&run), depth_(depth), child_(std::move(child)) {}
    [[nodiscard]] bool await_ready() {
        child_.start(*run_, nullptr, depth_);  // Here, where it may throw.
        return false;
    }
    void await_suspend(std::coroutine_handle<> parent) {
        child_.start(*run_, parent, depth_);
        run_->go_on_with(child_.frame());
    }
    T await_resume() { return child_.take(); }

private:
    AsyncRun* run_;
    std::uint32_t depth_;
    Async<T> child_;
};

template <class T>
inline constexpr bool kIsAsync = false;
template <class T>
inline constexpr bool kIsAsync<Async<T>> = true;

/// True for references that may dangle, because a coroutine resumes after its caller's temporaries
/// are gone. A non-const reference cannot be bound to one; it is for the context, and for services
/// that outlive the activity.
template <class T>
inline constexpr bool kMayDangle =
    std::is_rvalue_reference_v<T> ||
    (std::is_lvalue_reference_v<T> && std::is_const_v<std::remove_reference_t<T>>);

template <class T>
inline constexpr bool kIsTextView =
    IsView<std::remove_cvref_t<T>>::value ||
    std::is_same_v<std::remove_cv_t<std::remove_pointer_t<std::remove_cvref_t<T>>>, char> !=
        std::is_same_v<std::remove_cvref_t<T>, char>;

/// Checks the first parameter. The object of a lambda or a member function comes as a const
/// reference too, but is no data. Checked in the body of a function template, which compilers read
/// last: inside a lambda its type is incomplete.
template <class T>
void check_first_parameter() noexcept {
    if constexpr (kMayDangle<T>) {
        static_assert(!Encodable<std::remove_cvref_t<T>>,
                      "belay: a coroutine's parameters must be values: a const or rvalue reference "
                      "may be bound to a temporary that is gone when the coroutine runs");
    }
}

template <class... Args>
struct AsyncParameters {};
template <class First, class... Rest>
struct AsyncParameters<First, Rest...> {
    static_assert((!kMayDangle<Rest> && ...) && !std::is_rvalue_reference_v<First>,
                  "belay: a coroutine's parameters must be values: a const or rvalue reference may "
                  "be bound to a temporary that is gone when the coroutine runs");
    static_assert(!kIsTextView<First> && (!kIsTextView<Rest> && ...),
                  "belay: a coroutine's parameters must own their data: write std::string, not "
                  "std::string_view or const char*, and std::vector, not std::span");
    using Checked = std::integral_constant<void (*)() noexcept, &check_first_parameter<First>>;
};

}  // namespace detail

}  // namespace belay

/// Checks the parameters of every coroutine activity and helper where it is defined.
template <class T, class... Args>
struct std::coroutine_traits<belay::Async<T>, Args...>
    : private belay::detail::AsyncParameters<Args...> {
    static_assert(std::is_void_v<T> || (!std::is_reference_v<T> && !belay::detail::kIsTextView<T>),
                  "belay: a coroutine returns a value that owns its data: write std::string, not "
                  "std::string_view or a reference");
    using promise_type = belay::detail::AsyncPromise<T>;
};
