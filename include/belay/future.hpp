// Calls and futures: durable work before it is scheduled, and durable work in progress.
#pragma once

#include <belay/codec.hpp>
#include <belay/detail/engine.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace belay {

class OrchestrationContext;
template <class D>
class Within;

namespace detail {

/// For messages about overloads that must not be chosen.
template <class... T>
inline constexpr bool kNever = false;

/// The owner of anything that can be awaited in an orchestration: it can be started, becomes ready,
/// and gives a value. `start` is called once, at its final place in memory, with the scope of the
/// coroutine that awaits it; it throws if the thing cannot be awaited.
template <class D>
concept Durable = requires(D& durable, Scope& scope) {
    typename D::Value;
    durable.start(scope);
    { durable.completion() } -> std::same_as<Completion&>;
    durable.take();
};

/// The type that owns awaited work of type D until it is done or given up.
template <class D>
struct OwnerOf {
    using Type = D;
};
template <class D>
using Owner = typename OwnerOf<D>::Type;

template <class T>
class Borrowed;
template <class T>
class Scheduling;
template <class T>
class TryScheduling;

inline constexpr const char* kCallIsUsedUp =
    "belay: this call is used up: it was awaited already, or moved";

/// The base of everything that can be awaited once, except futures.
template <class Self>
class Bounded {
public:
    /// Waits no longer than `limit`: a Within. A limit that is not positive is over at once.
    Within<Self> within(Millis limit) &&;
    template <class D = Self>
    Within<D> within(Millis limit) & {
        static_assert(kNever<D>,
                      "belay: within uses it up: write std::move(x).within(limit), or make it in "
                      "the same statement");
        return std::move(*this).within(limit);
    }

private:
    friend Self;
    Bounded() = default;
    Bounded(Bounded&&) noexcept = default;
    Bounded& operator=(Bounded&&) noexcept = default;
    ~Bounded() = default;
};

/// A pointer that is empty after it was moved from.
template <class T>
class Link {
public:
    explicit Link(T* target) noexcept : target_(target) {}
    Link(Link&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
    Link& operator=(Link&& other) noexcept {
        target_ = std::exchange(other.target_, nullptr);
        return *this;
    }
    ~Link() = default;

    [[nodiscard]] T* get() const noexcept { return target_; }
    T* operator->() const noexcept { return target_; }
    explicit operator bool() const noexcept { return target_ != nullptr; }

private:
    T* target_;
};

}  // namespace detail

/// Durable work in progress. Its destruction before it is done cancels it: the activity is stopped,
/// the timer or wait removed, the child canceled. A message that it was given and that nobody took
/// is not lost: the next wait for one gets it, before any that came later.
///
/// Await it (`co_await std::move(future)` or `co_await future`), or pass it to `select` or `join`,
/// which own it if it is moved in, and borrow it by reference. Awaited once. Not thread-safe;
/// belongs to its orchestration.
template <class T>
class [[nodiscard(
    "belay: a future that is dropped cancels its work: keep it, or await it")]] Future {
public:
    using Value = T;

    explicit Future(std::shared_ptr<detail::Operation> operation) noexcept
        : operation_(std::move(operation)) {}
    Future(Future&& other) noexcept = default;
    Future& operator=(Future&& other) noexcept {
        if (this != &other) {
            drop();
            operation_ = std::move(other.operation_);
        }
        return *this;
    }
    ~Future() { drop(); }

    /// True if it has finished in any way, and is not awaited yet: awaiting it will not wait.
    [[nodiscard]] bool ready() const noexcept {
        return operation_ && operation_->ready() && !operation_->taken();
    }

    /// Gives the work up: the activity is asked to stop, the timer or wait is removed, the child is
    /// canceled (or goes on by itself, with ParentClose::abandon). Awaiting the future throws
    /// Canceled from then on. Does nothing if the work has finished: its result can be awaited.
    void cancel() {
        if (operation_) operation_->give_up();
    }

    /// Waits no longer than `limit`: a Within. `std::move(future).within(limit)` cancels the work
    /// when the time is over. `future.within(limit)` leaves it going; the future can be awaited
    /// again.
    Within<Future> within(Millis limit) &&;
    Within<detail::Borrowed<T>> within(Millis limit) &;

    // The protocol of detail::Durable.
    void start(detail::Scope& /*scope*/) const {
        if (!operation_ || operation_->taken()) {
            throw std::logic_error("belay: this future is empty: it was awaited already, or moved");
        }
        if (operation_->awaited() || operation_->lent()) {
            throw std::logic_error("belay: this future is being awaited elsewhere already");
        }
    }
    [[nodiscard]] detail::Completion& completion() const {
        BELAY_ASSERT(operation_ != nullptr);  // `start` has seen to that.
        return *operation_;
    }
    T take() {
        const std::shared_ptr<detail::Operation> operation = std::move(operation_);
        return detail::decode_result<T>(operation->take());
    }

private:
    template <class U>
    friend class detail::Borrowed;

    void drop() noexcept {
        if (operation_) operation_->disown();
        operation_.reset();
    }

    std::shared_ptr<detail::Operation> operation_;
};

/// Durable work before it is scheduled. It is scheduled when it is awaited, by `ctx.start(call)`,
/// or by `select` and `join` in the order of their parameters. Building one schedules nothing,
/// because compilers differ in the order in which they evaluate arguments.
///
/// It is used once, by the orchestration whose context made it, and not after that has ended. After
/// a cancel it throws Canceled where it is scheduled, unless it is shielded.
template <class T>
class [[nodiscard(
    "belay: a call does nothing until it is awaited or started: write co_await")]] Call
    : public detail::Bounded<Call<T>> {
public:
    using Value = T;

    Call(detail::Engine* engine, detail::OperationSpec spec)
        : engine_(engine), draft_(engine->drafts().keep(std::move(spec))) {}

    /// The queue whose workers may run this activity.
    Call& queue(std::string name) & {
        if (spec().kind != detail::OperationKind::activity) {
            throw std::invalid_argument("belay: only the call of an activity has a queue");
        }
        spec().queue = std::move(name);
        return *this;
    }
    Call&& queue(std::string name) && { return std::move(queue(std::move(name))); }
    /// Makes the child's id `<parent's id>/<name>` instead of one from its number. An invalid name
    /// is refused where the call is scheduled: see ChildOptions::id.
    Call& id(std::string name) & {
        if (spec().kind != detail::OperationKind::child) {
            throw std::invalid_argument("belay: only the call of an orchestration has an id");
        }
        spec().child_id = std::move(name);
        return *this;
    }
    Call&& id(std::string name) && { return std::move(id(std::move(name))); }

private:
    template <class U>
    friend class TryCall;
    template <class U>
    friend class detail::Scheduling;

    [[nodiscard]] detail::OperationSpec& spec() const {
        if (!engine_) throw std::logic_error(detail::kCallIsUsedUp);
        return *draft_;
    }

    // No destructor: see detail::Drafts.
    detail::Link<detail::Engine> engine_;
    detail::Drafts::Place draft_;
};

namespace detail {

/// A call that is awaited. Owns its description, and then its work.
template <class T>
class Scheduling {
public:
    using Value = T;

    Scheduling(Engine* engine, OperationSpec spec) : engine_(engine), spec_(std::move(spec)) {}
    explicit Scheduling(Call<T>&& call) : engine_(std::move(call.engine_)) {
        if (engine_) spec_ = engine_->drafts().take(call.draft_);
    }

    void start(Scope& scope) {
        if (!engine_) throw std::logic_error(kCallIsUsedUp);
        started_.emplace(engine_->schedule(std::move(spec_), scope.shielded()));
    }
    [[nodiscard]] Completion& completion() { return started_->completion(); }
    T take() { return started_->take(); }

    /// Returns the work in progress. The call is used up.
    [[nodiscard]] Future<T> into_future(Scope& scope) && {
        start(scope);
        return std::move(*started_);
    }

private:
    Link<Engine> engine_;
    OperationSpec spec_;
    std::optional<Future<T>> started_;
};

}  // namespace detail

/// The result of `try_call`: a value, or the failure. A cancel of the run still throws Canceled.
template <class T>
class [[nodiscard("belay: this may hold a failure: look at it")]] TryResult {
public:
    /// The type of the value: `void` is `std::monostate`.
    using Held = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    /// Made by awaiting `try_call`.
    explicit TryResult(Held value) : state_(std::in_place_index<0>, std::move(value)) {}
    explicit TryResult(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

    /// True if there is a value. False if there is a failure.
    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    /// As `ok`.
    explicit operator bool() const noexcept { return ok(); }
    /// Returns the value; throws OperationFailed if there is none.
    [[nodiscard]] const Held& value() const& {
        throw_if_failed();
        return std::get<0>(state_);
    }
    [[nodiscard]] Held value() && {
        throw_if_failed();
        return std::get<0>(std::move(state_));
    }
    /// Returns the failure; throws std::bad_variant_access if there is none.
    [[nodiscard]] const Failure& failure() const& { return std::get<1>(state_); }
    [[nodiscard]] Failure failure() && { return std::get<1>(std::move(state_)); }

private:
    void throw_if_failed() const {
        if (!ok()) throw OperationFailed(std::get<1>(state_));
    }

    std::variant<Held, Failure> state_;
};

/// A call whose failure is a value and not an exception (`co_await` is not allowed in a `catch`).
template <class T>
class [[nodiscard("belay: a call does nothing until it is awaited: write co_await")]] TryCall
    : public detail::Bounded<TryCall<T>> {
public:
    using Value = TryResult<T>;

    /// Made by `ctx.try_call`.
    explicit TryCall(Call<T> call) : call_(std::move(call)) {
        call_.spec().failure_is_value = true;
    }

    /// As in Call.
    TryCall& queue(std::string name) & {
        call_.queue(std::move(name));
        return *this;
    }
    TryCall&& queue(std::string name) && { return std::move(queue(std::move(name))); }
    /// As in Call.
    TryCall& id(std::string name) & {
        call_.id(std::move(name));
        return *this;
    }
    TryCall&& id(std::string name) && { return std::move(id(std::move(name))); }

private:
    template <class U>
    friend class detail::TryScheduling;

    Call<T> call_;
};

namespace detail {

/// The same for `try_call`.
template <class T>
class TryScheduling {
public:
    using Value = TryResult<T>;

    explicit TryScheduling(TryCall<T>&& call) : call_(std::move(call.call_)) {}

    void start(Scope& scope) { call_.start(scope); }
    [[nodiscard]] Completion& completion() { return call_.completion(); }
    TryResult<T> take() {
        try {
            if constexpr (std::is_void_v<T>) {
                call_.take();
                return TryResult<T>(std::monostate());
            } else {
                return TryResult<T>(call_.take());
            }
        } catch (const OperationFailed& failed) {
            return TryResult<T>(failed.failure());
        }
    }

private:
    Scheduling<T> call_;
};

template <class T>
struct OwnerOf<Call<T>> {
    using Type = Scheduling<T>;
};
template <class T>
struct OwnerOf<TryCall<T>> {
    using Type = TryScheduling<T>;
};

/// A future that someone else owns, as a branch of a select or join or in an await. Dropping it
/// leaves the future as it was.
template <class T>
class Borrowed {
public:
    using Value = T;
    explicit Borrowed(Future<T>& future) noexcept : future_(&future) {}
    Borrowed(Borrowed&& other) noexcept = default;
    ~Borrowed() { give_back(); }
    /// From here on only the operation matters: the future may be moved meanwhile.
    void start(Scope& scope) {
        if (operation_) return;
        future_->start(scope);
        operation_ = future_->operation_;
        operation_->lend();
    }
    [[nodiscard]] Completion& completion() { return *operation_; }
    T take() {
        const Payload result = operation_->take();  // First: what is given back untaken is lost.
        give_back();
        return decode_result<T>(result);
    }

private:
    void give_back() noexcept {
        if (!operation_) return;
        operation_->forget_waiter();
        operation_->take_back();
        operation_.reset();
    }

    Future<T>* future_;
    std::shared_ptr<Operation> operation_;  // Set while it is lent to this.
};

}  // namespace detail

}  // namespace belay
