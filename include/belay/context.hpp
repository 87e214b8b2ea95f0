// The context of an orchestration's code.
#pragma once

#include <belay/activity.hpp>
#include <belay/combine.hpp>
#include <belay/future.hpp>
#include <belay/logger.hpp>
#include <belay/random_numbers.hpp>
#include <belay/within.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace belay {

template <class T>
class Orchestration;

namespace detail {

class PromiseBase;

/// The type in which select or join holds an argument: a future by reference is borrowed, all else
/// is owned.
template <class D>
struct BranchOf {
    using Type = std::remove_cvref_t<D>;
    static constexpr bool kDurable = Durable<Owner<Type>>;
    static_assert(
        kDurable,
        "belay: only durable work can be a branch of select or join: calls, timers, waits, "
        "futures, helpers, other selects and joins. Put other asynchronous work into an "
        "activity");
    static constexpr bool kConst = std::is_const_v<std::remove_reference_t<D>>;
    static_assert(
        !kDurable || !kConst,
        "belay: select and join use their branches up, so this must not be const: declare "
        "it without const");
    static_assert(!kDurable || kConst || !std::is_lvalue_reference_v<D>,
                  "belay: pass this to select or join with std::move; only a future may be passed "
                  "by reference");
};
template <class T>
struct BranchOf<Future<T>&> {
    using Type = Borrowed<T>;
};
template <class D>
using Branch = typename BranchOf<D>::Type;

template <class T>
inline constexpr bool kIsHandle = false;
template <class Signature>
inline constexpr bool kIsHandle<Activity<Signature>> = true;
template <class Signature>
inline constexpr bool kIsHandle<Definition<Signature>> = true;
template <class Handle, class Options>
inline constexpr bool kIsHandle<WithOptions<Handle, Options>> = true;

template <class T>
inline constexpr bool kIsActivity = false;
template <class Signature>
inline constexpr bool kIsActivity<Activity<Signature>> = true;

/// Made by `ctx.continue_as_new`. Awaiting it never resumes.
class [[nodiscard(
    "belay: this does nothing until it is returned or awaited: write co_return or "
    "co_await")]] ContinueAsNew {
public:
    ContinueAsNew(Engine* engine, Payload input) : engine_(engine), input_(std::move(input)) {}
    /// Selects this version of the code instead of the newest.
    ContinueAsNew& version(std::string version) & {
        version_ = std::move(version);
        return *this;
    }
    ContinueAsNew&& version(std::string version) && {
        version_ = std::move(version);
        return std::move(*this);
    }
    void take_effect() { engine_->continue_as_new(std::move(input_), std::move(version_)); }

private:
    Engine* engine_;
    Payload input_;
    std::string version_;
};

}  // namespace detail

/// A scope in which work still runs after a cancel: cleanup, compensation. Work scheduled while a
/// shield is open survives a cancel and can be awaited anywhere; helpers awaited under it are under
/// it too. Ends with its C++ scope. A canceled run is waited for until its deadline only.
class [[nodiscard("belay: a shield ends with its scope: give it a name")]] Shield {
public:
    Shield(detail::Engine& engine, std::shared_ptr<detail::Scope> scope, Millis extend) noexcept
        : engine_(&engine), scope_(std::move(scope)), extend_(extend) {
        ++scope_->shields;
        engine_->open_shield(extend_);
    }
    Shield(const Shield&) = delete;
    Shield& operator=(const Shield&) = delete;
    ~Shield() {
        --scope_->shields;
        engine_->close_shield(extend_);
    }

private:
    detail::Engine* engine_;
    std::shared_ptr<detail::Scope> scope_;
    Millis extend_;
};

/// Handed to every orchestration and helper as its first parameter, by value. Not for other
/// threads. Nothing here blocks. Only `co_await`, `start`, `select` and `join` schedule work.
///
/// It belongs to the coroutine it was handed to. Any call on a copy throws std::logic_error once
/// that coroutine is gone (a helper returned the copy, or stored it somewhere).
///
/// After a cancel, everything that schedules work (calls, timers, waits, children,
/// `start_detached`) throws Canceled and schedules nothing, unless it is shielded. Unshielded work
/// that was scheduled before and is not finished throws Canceled where it is awaited. Functions
/// that only record something go on as before: custom status, key-values, `try_receive`, patches,
/// random numbers, `on_rollback`, logging.
///
/// Throws LimitExceeded beyond Limits. Throws std::invalid_argument for an invalid name, id or key
/// (see check_name) and for an input that has Payload::flags. Calls throw where they are scheduled,
/// everything else at once. Neither error is recorded, and both can be caught; an uncaught one ends
/// the run as failed. Lookups and clears with an invalid name find nothing instead (`value`,
/// `clear_value`, `try_wait`, `try_receive`, `queue_depth`).
class OrchestrationContext {
public:
    explicit OrchestrationContext(std::shared_ptr<detail::Scope> scope) noexcept
        : scope_(std::move(scope)) {}

    /// Calls an activity, with options if it is given `with` some. Awaiting it throws
    /// OperationFailed if the activity failed, and DecodeError if its result is no R.
    template <class R, class... Params, class... Args>
    Call<R> call(const Activity<R(Params...)>& activity, Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        return Call<R>(&engine(), spec_of<Params...>(activity, args...));
    }
    template <class R, class... Params, class... Args>
    Call<R> call(const WithOptions<Activity<R(Params...)>, CallOptions>& activity,
                 Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        detail::OperationSpec spec = spec_of<Params...>(activity.handle(), args...);
        apply(activity.options(), spec);
        return Call<R>(&engine(), std::move(spec));
    }

    /// Runs another orchestration as a child: an instance of its own, canceled with this one unless
    /// its options say otherwise. Throws OperationFailed if it failed, was canceled by someone
    /// else, or its id is in use; DecodeError if its result is no R.
    template <class R, class... Params, class... Args>
    Call<R> call(const Definition<R(Params...)>& definition, Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        return Call<R>(&engine(), spec_of<Params...>(definition, args...));
    }
    template <class R, class... Params, class... Args>
    Call<R> call(const WithOptions<Definition<R(Params...)>, ChildOptions>& definition,
                 Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        detail::OperationSpec spec = spec_of<Params...>(definition.handle(), args...);
        spec.child_id = definition.options().id_;
        spec.terms = std::make_unique<detail::OperationTerms>(definition.options().terms_);
        return Call<R>(&engine(), std::move(spec));
    }

    template <class Other, class... Args>
        requires(!detail::kIsHandle<Other>)
    Call<void> call(const Other& /*other*/, Args&&... /*args*/) const {
        static_assert(
            detail::kNever<Other>,
            "belay: call takes the handle of an activity or orchestration: declare it once, "
            "as belay::Activity<Result(Parameters...)> or belay::Definition<...>, and pass "
            "that");
        return timer(Millis(0));
    }

    /// Like `call`, with a failure as a value: see TryResult. Throws DecodeError if the result
    /// cannot be decoded, because that is no failure of the callee.
    template <class Handle, class... Args>
    TryCall<typename Handle::Result> try_call(const Handle& handle, Args&&... args) const {
        return TryCall<typename Handle::Result>(call(handle, std::forward<Args>(args)...));
    }

    /// Ready when `delay` has passed since this turn began; never earlier. A negative delay counts
    /// as zero: `timer(deadline - now())` is due at once if the deadline has passed.
    Call<void> timer(Millis delay) const {
        detail::OperationSpec spec;
        spec.kind = detail::OperationKind::timer;
        spec.delay = delay;
        return Call<void>(&engine(), std::move(spec));
    }

    /// Starts another orchestration as a run of its own, under an id of your choice (without '/',
    /// which is reserved for children). It is not canceled with this one, and nobody waits for it.
    /// Recorded with this turn, so it is started once, however often the turn is taken. Starts
    /// nothing if a run of that id exists; this code is not told. `definition` may be given `with`
    /// a version and labels.
    template <class R, class... Params, class... Args>
    void start_detached(const Definition<R(Params...)>& definition,
                        std::string id,
                        Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        detail::OperationSpec spec = spec_of<Params...>(definition, args...);
        spec.child_id = std::move(id);
        engine().start_detached(std::move(spec), scope_->shielded());
    }
    template <class R, class... Params, class... Args>
    void start_detached(const WithOptions<Definition<R(Params...)>, ChildOptions>& definition,
                        std::string id,
                        Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        const ChildOptions& options = definition.options();
        if (!options.id_.empty() || options.terms_.retry || options.terms_.part ||
            options.terms_.parent_close != ParentClose::cancel) {
            throw std::invalid_argument(
                "belay: a run on its own has a version, labels and a document; start_detached is "
                "given its id, and there is nobody who tries it again or ends before it");
        }
        detail::OperationSpec spec = spec_of<Params...>(definition.handle(), args...);
        spec.child_id = std::move(id);
        spec.terms = std::make_unique<detail::OperationTerms>(options.terms_);
        engine().start_detached(std::move(spec), scope_->shielded());
    }

    /// Waits for the next event raised under this name. An early event is kept until it is asked
    /// for. An event that went to a branch or future that was dropped before it was awaited is kept
    /// again. Throws DecodeError if it is no T; it counts as received all the same.
    template <class T>
    Call<T> wait(std::string event) const {
        return receive_from<T>(MessageKind::event_raised, std::move(event));
    }
    /// Waits for the next message enqueued under this name, first in first out. Throws DecodeError
    /// if it is no T; it counts as received all the same.
    template <class T>
    Call<T> receive(std::string queue) const {
        return receive_from<T>(MessageKind::queue_message, std::move(queue));
    }

    /// The same without waiting: returns an event under this name that no wait has got; none if
    /// there is none (`void` is `std::monostate`). Sees the events that had come when this turn
    /// began, except those for which a wait is open, which goes first. Every replay sees the same.
    /// Throws DecodeError if it is no T; it counts as received all the same.
    template <class T>
    [[nodiscard]] std::optional<detail::NonVoid<T>> try_wait(const std::string& event) const {
        return try_receive_from<T>(MessageKind::event_raised, event);
    }
    /// The same of a queue.
    template <class T>
    [[nodiscard]] std::optional<detail::NonVoid<T>> try_receive(const std::string& queue) const {
        return try_receive_from<T>(MessageKind::queue_message, queue);
    }
    /// Returns the number of messages of a queue that have come and that no wait has got.
    /// `try_receive` gives exactly this many until the code waits. They are kept when this
    /// execution continues as new, and count towards Limits::carried_bytes.
    [[nodiscard]] std::size_t queue_depth(const std::string& queue) const {
        return engine().depth(MessageKind::queue_message, queue);
    }

    /// For a run that was started because another one failed (StartOptions::on_fail,
    /// ChildOptions::on_fail): returns the failure of that run, once. Returns none later, and in
    /// every other run.
    [[nodiscard]] std::optional<Failure> take_failure() const;

    /// Schedules a call now and returns its future.
    template <class T>
    Future<T> start(Call<T> call) const {
        (void)engine();  // The call may come from elsewhere, and this context be of no more use.
        return detail::Scheduling<T>(std::move(call)).into_future(*scope_);
    }

    /// Waits for the first of these to finish: a Select. Branches are calls, futures, helpers, or
    /// other selects and joins.
    template <class... Ds>
        requires(sizeof...(Ds) > 0)
    auto select(Ds&&... branches) const {
        return Select<detail::Branch<Ds>...>(detail::Branch<Ds>(std::forward<Ds>(branches))...);
    }
    template <class D>
    SelectMany<D> select(std::vector<D>&& branches) const {
        if (branches.empty()) throw std::invalid_argument("belay: select of nothing never ends");
        return SelectMany<D>(std::move(branches));
    }
    template <class D>
    SelectMany<D> select(std::vector<D>& branches) const {
        static_assert(detail::kNever<D>,
                      "belay: select uses its branches up: pass std::move(branches)");
        return SelectMany<D>(std::move(branches));
    }

    /// Waits for all of these: a Join.
    template <class... Ds>
        requires(sizeof...(Ds) > 0)
    auto join(Ds&&... branches) const {
        return Join<detail::Branch<Ds>...>(detail::Branch<Ds>(std::forward<Ds>(branches))...);
    }
    template <class D>
    JoinMany<D> join(std::vector<D>&& branches) const {
        return JoinMany<D>(std::move(branches));
    }
    template <class D>
    JoinMany<D> join(std::vector<D>& branches) const {
        static_assert(detail::kNever<D>,
                      "belay: join uses its branches up: pass std::move(branches)");
        return JoinMany<D>(std::move(branches));
    }

    /// Opens a shield until the end of the C++ scope. `extend` asks for more than the usual
    /// deadline, counted from the cancel and up to a limit. A shield can be opened after a cancel
    /// too: otherwise nothing could be cleaned up. Call `throw_if_canceled` between two shields to
    /// let a cancel end the run there.
    Shield shield(Millis extend = Millis(0)) const { return Shield(engine(), scope_, extend); }
    /// Throws Canceled if this run is being canceled, as scheduling work does. Does nothing under a
    /// shield.
    void throw_if_canceled() const { engine().refuse_if_canceled(scope_->shielded()); }

    /// While this holds, a cancel ends the run in its own commit and this code does not see it. Not
    /// under a shield, with a compensation, or while the result of an activity or child waits.
    void nothing_to_clean_up(bool nothing = true) const { engine().set_clean(nothing); }

    /// Registers a compensation: an activity that runs, under a shield and in reverse order of
    /// registration, if this execution fails or is canceled. A compensation that fails is recorded
    /// and the next one runs; give it a RetryPolicy, with options, if it can fail. Continuing as
    /// new is a success: the next execution begins with no compensations.
    template <class R, class... Params, class... Args>
    void on_rollback(const Activity<R(Params...)>& activity, Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        engine().add_rollback(spec_of<Params...>(activity, args...));
    }
    template <class R, class... Params, class... Args>
    void on_rollback(const WithOptions<Activity<R(Params...)>, CallOptions>& activity,
                     Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        detail::OperationSpec spec = spec_of<Params...>(activity.handle(), args...);
        apply(activity.options(), spec);
        engine().add_rollback(std::move(spec));
    }

    /// Ends this execution and begins the next one of the same run with fresh history. Return it,
    /// `co_return ctx.continue_as_new(Self, n)`, or await it, which does not return either. An
    /// `Orchestration<void>` must await it, because it cannot `co_return` anything. Open work is
    /// canceled; messages not yet received and key-values are kept. The next execution runs the
    /// newest version that is registered where this turn is taken, or the one that `.version(...)`
    /// of the result names.
    template <class R, class... Params, class... Args>
    detail::ContinueAsNew continue_as_new(const Definition<R(Params...)>& self,
                                          Args&&... args) const {
        detail::Arguments<Params...>::template check<Args...>();
        if (self.name() != definition()) {
            throw std::invalid_argument("belay: a run of '" + definition() +
                                        "' cannot continue as '" + std::string(self.name()) + "'");
        }
        return detail::ContinueAsNew(&engine(), encode<Params...>(args...));
    }

    /// Sets the run's own description of its state, which clients see from the commit of this turn
    /// on: text, or any value with a codec. Throws LimitExceeded beyond
    /// Limits::custom_status_bytes.
    template <class T>
    void set_custom_status(const T& status) const {
        engine().set_custom_status(detail::encode_message(status));
    }
    /// Returns the status that this execution has set last; none if it has set none. Throws
    /// DecodeError if it is no T.
    template <class T>
    [[nodiscard]] std::optional<T> custom_status() const {
        detail::check_result<T>();
        const Payload* const status = engine().custom_status();
        if (status == nullptr) return std::nullopt;
        return Codec<T>::decode(*status);
    }

    // Key-values: small facts about the run that it keeps across its executions and that clients
    // can read at any time (Client::value). Every change is recorded. Limits bounds their number
    // and size; more throw LimitExceeded.

    /// Sets a value; replaces the one before, whatever its type was.
    template <class T>
    void set_value(const std::string& key, const T& value) const {
        detail::check_result<T>();
        engine().set_value(key, Codec<T>::encode(value));
    }
    void set_value(const std::string& key, const char* text) const {
        set_value(key, std::string(text));
    }
    /// Returns a value; none if it is not set. Throws DecodeError if it is no T.
    template <class T>
    [[nodiscard]] std::optional<T> value(const std::string& key) const {
        detail::check_result<T>();
        const Payload* const found = engine().value(key);
        if (found == nullptr) return std::nullopt;
        return Codec<T>::decode(*found);
    }
    /// Clears a value. No error if it is not set.
    void clear_value(const std::string& key) const { engine().clear_value(key); }
    /// Clears all of them. No error if there are none.
    void clear_values() const { engine().clear_values(); }

    /// Returns true if this execution should take the path that a change of the code brought. True
    /// for executions that come here for the first time, and from then on; false for those that
    /// passed here before the change, as their history shows. See docs/guides/versioning.md.
    ///
    ///     if (ctx.patched("fraud-check")) co_await ctx.call(CheckFraud, order);
    [[nodiscard]] bool patched(const std::string& name) const { return engine().patched(name); }
    /// Replaces `patched` when the old path is removed from the code. It records a mark for code
    /// that still calls `patched`; code without the patch ignores the mark. Remove it once no
    /// execution is left that `patched` has marked. Runs that have its mark go on.
    void retire_patch(const std::string& name) const { engine().retire_patch(name); }

    /// The log, for people: silent on replay.
    [[nodiscard]] Logger log() const { return Logger(scope_); }

    /// Random numbers of this execution, the same on every replay. They cost no round trip, and are
    /// not for secrets.
    [[nodiscard]] RandomNumbers random() const { return RandomNumbers(scope_); }
    /// Returns a fresh UUID (version 4) from them: "0b0dc6f5-7a1e-4a6a-9d3c-5b1f0e2c7a11".
    [[nodiscard]] std::string new_uuid() const { return random().uuid(); }

    /// The time when this turn began: the same on every replay. It never goes back within an
    /// execution, even if the store's clock is set back.
    [[nodiscard]] Timestamp now() const { return engine().now(); }
    /// The id of this run; it stays over all its executions.
    [[nodiscard]] const std::string& instance_id() const { return engine().name().id; }
    /// The number of this execution in its continue-as-new chain, from 1.
    [[nodiscard]] ExecutionNo execution() const { return engine().execution(); }
    /// The name under which its code is registered.
    [[nodiscard]] const std::string& definition() const { return engine().definition(); }
    /// The version of its code that this execution runs, from its first turn to its last.
    [[nodiscard]] const std::string& version() const { return engine().version(); }
    /// The headers that it was started with (StartOptions::header). A child, or a run that another
    /// has started, has those of the run that called or started it. They never change, and stay
    /// over all executions.
    [[nodiscard]] const Headers& headers() const { return engine().headers(); }
    /// Returns true while recorded history is being replayed. Use it only for logging; never branch
    /// on it.
    [[nodiscard]] bool replaying() const { return engine().replaying(); }
    /// Returns true if this run is being canceled, from the point where the code sees the cancel;
    /// every replay turns true at the same point. Useful to code that catches Canceled; other code
    /// is told by the exception.
    [[nodiscard]] bool cancel_requested() const { return engine().cancel_requested(); }

private:
    friend class detail::PromiseBase;

    [[nodiscard]] detail::Engine& engine() const { return detail::engine_of(*scope_); }

    template <class... Params, class Handle, class... Args>
    [[nodiscard]] static detail::OperationSpec spec_of(const Handle& handle, const Args&... args) {
        detail::OperationSpec spec;
        spec.kind = detail::kIsActivity<Handle> ? detail::OperationKind::activity
                                                : detail::OperationKind::child;
        spec.name = handle.name();
        spec.input = encode<Params...>(args...);
        return spec;
    }
    static void apply(const CallOptions& options, detail::OperationSpec& spec) {
        spec.queue = options.queue_;
        spec.terms = std::make_unique<detail::OperationTerms>(options.terms_);
    }

    template <class... Params, class... Args>
    [[nodiscard]] static Payload encode(const Args&... args) {
        if constexpr (sizeof...(Params) == sizeof...(Args)) {
            return detail::encode_arguments<Params...>(detail::as_parameter<Params>(args)...);
        } else {
            return {};  // Unreachable: the check has failed to compile.
        }
    }

    template <class T>
    [[nodiscard]] std::optional<detail::NonVoid<T>> try_receive_from(
        MessageKind channel, const std::string& name) const {
        detail::check_result<T>();
        const std::optional<Payload> taken = engine().try_take(channel, name);
        if (!taken) return std::nullopt;
        if constexpr (std::is_void_v<T>) {
            return std::monostate();
        } else {
            return Codec<T>::decode(*taken);
        }
    }

    template <class T>
    Call<T> receive_from(MessageKind channel, std::string name) const {
        detail::check_result<T>();
        detail::OperationSpec spec;
        spec.kind = detail::OperationKind::wait;
        spec.channel = channel;
        spec.name = std::move(name);
        return Call<T>(&engine(), std::move(spec));
    }

    std::shared_ptr<detail::Scope> scope_;
};

}  // namespace belay
