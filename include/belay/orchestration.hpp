// Orchestrations: deterministic coroutines that decide the next steps.
#pragma once

#include <belay/context.hpp>
#include <belay/detail/engine.hpp>

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace belay {

namespace detail {

template <class T>
class OrchestrationPromise;

/// Awaits one durable thing and owns it, so destroying a suspended coroutine drops it. Has a
/// constructor on purpose: g++ 12 destroys aggregate awaiters twice.
template <Durable D>
class DurableAwaiter final : public Waiter {
public:
    DurableAwaiter(Engine& engine, Scope& scope, Resumable& resumable, D durable)
        : engine_(&engine), scope_(&scope), resumable_(&resumable), durable_(std::move(durable)) {}

    [[nodiscard]] bool await_ready() {
        if (engine_->stop_here()) {
            stopped_ = true;
            return false;
        }
        durable_.start(*scope_);
        return durable_.completion().ready();
    }
    /// The handle is not used: see Frame.
    void await_suspend(std::coroutine_handle<> /*handle*/) noexcept {
        if (stopped_) return;  // The engine is about to destroy this coroutine.
        durable_.completion().wait(*this);
    }
    typename D::Value await_resume() { return durable_.take(); }

    void on_ready(Completion& /*completion*/) override { engine_->loop().push(*resumable_); }

private:
    Engine* engine_;
    Scope* scope_;
    Resumable* resumable_;
    D durable_;
    bool stopped_ = false;
};

class ContinueAsNewAwaiter {
public:
    explicit ContinueAsNewAwaiter(ContinueAsNew next) : next_(std::move(next)) {}
    [[nodiscard]] bool await_ready() {
        next_.take_effect();
        return false;
    }
    void await_suspend(std::coroutine_handle<> /*handle*/) const noexcept {}
    void await_resume() const noexcept {}

private:
    ContinueAsNew next_;
};

template <class T>
inline constexpr bool kIsFutureLvalue = false;
template <class T>
inline constexpr bool kIsFutureLvalue<Future<T>&> = true;

/// The common base of promises of all result types.
class PromiseBase : public Completion, public FrameOwner {
public:
    [[nodiscard]] Resumable& resumable() noexcept { return resumable_; }
    [[nodiscard]] Engine& engine() noexcept { return *engine_; }
    /// Sets the place among the coroutines that await one another, known once one awaits it.
    void enter(const Scope& parent) {
        const std::uint32_t limit = engine_->limits().helper_depth;
        if (parent.depth > limit) {
            throw LimitExceeded("helpers are nested more than " + std::to_string(limit) + " deep");
        }
        scope_->parent = &parent;
        scope_->depth = parent.depth + 1;
    }

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] auto final_suspend() noexcept { return FinalAwaiter(*this); }
    void unhandled_exception() noexcept { exception_ = std::current_exception(); }

    template <class D>
    auto await_transform(D&& awaited) {
        using Plain = std::remove_cvref_t<D>;
        if constexpr (std::is_same_v<Plain, ContinueAsNew>) {
            return ContinueAsNewAwaiter(std::forward<D>(awaited));
        } else if constexpr (kIsFutureLvalue<D>) {
            return DurableAwaiter<Borrowed<typename Plain::Value>>(
                *engine_, *scope_, resumable_, Borrowed<typename Plain::Value>(awaited));
        } else {
            constexpr bool kDurable = Durable<Owner<Plain>>;
            static_assert(kDurable,
                          "belay: only durable work can be awaited in an orchestration: calls, "
                          "timers, waits, futures, helpers, select and join of its context. Put "
                          "other asynchronous work into an activity");
            constexpr bool kConst = std::is_const_v<std::remove_reference_t<D>>;
            static_assert(!kDurable || !kConst,
                          "belay: awaiting uses it up, so it must not be const: declare it without "
                          "const");
            static_assert(!kDurable || kConst || !std::is_lvalue_reference_v<D>,
                          "belay: awaiting uses it up: write co_await std::move(x)");
            return DurableAwaiter<Owner<Plain>>(
                *engine_, *scope_, resumable_, Owner<Plain>(std::forward<D>(awaited)));
        }
    }

protected:
    PromiseBase(std::coroutine_handle<> handle, const OrchestrationContext& context)
        : resumable_(Frame::of_promise(handle)),
          engine_(&context.engine()),
          scope_(std::make_shared<Scope>(engine_)) {}
    PromiseBase(const PromiseBase&) = delete;
    PromiseBase& operator=(const PromiseBase&) = delete;
    /// Invalidates copies of the context that somebody kept.
    ~PromiseBase() { scope_->engine = nullptr; }

    /// Points this coroutine's copy of the context at its own scope.
    void own(OrchestrationContext& context) const { context.scope_ = scope_; }

    void rethrow_if_failed() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    class FinalAwaiter {
    public:
        explicit FinalAwaiter(PromiseBase& promise) noexcept : promise_(&promise) {}
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> /*handle*/) const noexcept {
            promise_->set_ready(promise_->exception_ != nullptr);
        }
        void await_resume() const noexcept {}

    private:
        PromiseBase* promise_;
    };

    Resumable resumable_;
    Engine* engine_;
    std::shared_ptr<Scope> scope_;
    std::exception_ptr exception_;
};

/// Makes the promise of an `Orchestration<T>` from the coroutine's parameters. The context is the
/// first, or the second of a member function or lambda.
template <class T>
class PromiseOf : public PromiseBase {
public:
    template <class... Rest>
    explicit PromiseOf(OrchestrationContext& context, Rest&... /*rest*/)
        : PromiseBase(handle(), context) {
        own(context);
    }
    template <class... Rest>
    explicit PromiseOf(const OrchestrationContext& context, Rest&... /*rest*/)
        : PromiseBase(handle(), context) {
        static_assert(sizeof...(Rest) != sizeof...(Rest),
                      "belay: an orchestration or helper takes a belay::OrchestrationContext, by "
                      "value and not const, as its first parameter");
    }
    template <class Self, class... Rest>
        requires(!std::same_as<std::remove_cvref_t<Self>, OrchestrationContext>)
    explicit PromiseOf(Self& /*self*/, OrchestrationContext& context, Rest&... /*rest*/)
        : PromiseOf(context) {}

    [[nodiscard]] Orchestration<T> get_return_object() noexcept {
        return Orchestration<T>(handle());
    }

protected:
    ~PromiseOf() = default;

private:
    [[nodiscard]] std::coroutine_handle<OrchestrationPromise<T>> handle() noexcept {
        return std::coroutine_handle<OrchestrationPromise<T>>::from_promise(
            static_cast<OrchestrationPromise<T>&>(*this));
    }
};

template <class T>
class OrchestrationPromise final : public PromiseOf<T> {
public:
    using PromiseOf<T>::PromiseOf;

    template <class U = T>
        requires std::convertible_to<U, T>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }
    /// The value is never taken: the engine ends this code where it stands.
    void return_value(ContinueAsNew&& next) const { next.take_effect(); }
    T take() {
        this->rethrow_if_failed();
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
};

template <>
class OrchestrationPromise<void> final : public PromiseOf<void> {
public:
    using PromiseOf<void>::PromiseOf;

    void return_void() const noexcept {}
    void take() const { rethrow_if_failed(); }
};

}  // namespace detail

/// The coroutine type of orchestrations and of their helpers: a lazy, move-only task that takes an
/// OrchestrationContext as its first parameter.
///
/// An orchestration is registered and started as an instance. Awaited from another orchestration
/// (`co_await reserve_all(ctx, items)`) it is a *helper*: a plain call inside the same run.
/// Dropping a helper before it is done destroys it where it stands, and so cancels its open work.
///
/// With g++ 12: give a helper no argument that is made in place and is an aggregate, a lambda with
/// a capture that has a destructor, a braced list or a `?:` of class type. `co_await ship(ctx,
/// Order{...})` destroys the order twice, and no library can see it; write `auto shipping =
/// ship(ctx, Order{...});` and then `co_await std::move(shipping)`. coro-lint finds such statements
/// in the files of a compile_commands.json; see "With g++ 12" in docs/guides/orchestrations.md.
template <class T>
class [[nodiscard(
    "belay: a helper does nothing until it is awaited: write co_await")]] Orchestration
    : public detail::Bounded<Orchestration<T>> {
public:
    using Value = T;
    using promise_type = detail::OrchestrationPromise<T>;

    explicit Orchestration(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
    Orchestration(Orchestration&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)) {}
    Orchestration& operator=(Orchestration&& other) noexcept {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~Orchestration() { destroy(); }

    // The protocol of detail::Durable.
    void start(detail::Scope& scope) {
        if (!handle_) {
            throw std::logic_error(
                "belay: this helper is used up: it was awaited already, or moved");
        }
        promise_type& promise = handle_.promise();
        promise.enter(scope);
        promise.engine().loop().push(promise.resumable());
    }
    [[nodiscard]] detail::Completion& completion() noexcept { return handle_.promise(); }
    T take() { return handle_.promise().take(); }

private:
    void destroy() noexcept {
        if (handle_) {
            const detail::Frame frame = handle_.promise().resumable().frame();
            frame.destroy();
        }
        handle_ = nullptr;
    }

    std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <class T>
inline constexpr bool kIsContext = std::is_same_v<T, OrchestrationContext>;

/// Refuses state of a lambda or an object: it is a hidden input that replay cannot reproduce, and
/// it may be gone when the coroutine resumes. Checked in the body of a function template, which
/// compilers read last: inside a lambda its type is incomplete.
template <class Self>
void check_self() noexcept {
    static_assert(std::is_empty_v<std::remove_cvref_t<Self>>,
                  "belay: an orchestration must not be a lambda with captures or a member of an "
                  "object with data: pass what it needs as parameters");
}

/// A coroutine's parameters live in its frame; references in them dangle once the caller goes on.
template <class... Args>
struct CoroutineParameters {
    static_assert(sizeof...(Args) == 0 && sizeof...(Args) != 0,
                  "belay: an orchestration or helper takes a belay::OrchestrationContext, by value "
                  "and not const, as its first parameter");
    static constexpr bool kOk = false;
};
template <class... Rest>
struct CoroutineParameters<OrchestrationContext, Rest...> {
    static_assert((!std::is_reference_v<Rest> && ...),
                  "belay: an orchestration's parameters must be values: a reference may dangle by "
                  "the time the coroutine runs");
    static_assert(
        (!kIsView<Rest> && ...),
        "belay: an orchestration's parameters must own their data: write std::string, not "
        "std::string_view or a pointer");
};
template <class Self, class... Rest>
    requires(!kIsContext<Self> && std::is_lvalue_reference_v<Self>)
struct CoroutineParameters<Self, OrchestrationContext, Rest...>
    : CoroutineParameters<OrchestrationContext, Rest...> {
    using Checked = std::integral_constant<void (*)() noexcept, &check_self<Self>>;
};

}  // namespace detail

}  // namespace belay

/// Checks the parameters of every orchestration and helper where it is defined.
template <class T, class... Args>
struct std::coroutine_traits<belay::Orchestration<T>, Args...>
    : private belay::detail::CoroutineParameters<Args...> {
    static_assert(std::is_void_v<T> || (!std::is_reference_v<T> && !belay::detail::kIsView<T>),
                  "belay: an orchestration returns a value that owns its data: write std::string, "
                  "not std::string_view, a pointer or a reference");
    using promise_type = belay::detail::OrchestrationPromise<T>;
};
