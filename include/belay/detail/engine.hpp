// The replay engine, as the coroutine types of the public API need it.
#pragma once

#include <belay/call_options.hpp>
#include <belay/detail/completion.hpp>
#include <belay/detail/run_loop.hpp>
#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/log.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::detail {

class Engine;

enum class OperationKind : std::uint8_t { activity, timer, child, wait };

/// A command as the code describes it, before it is scheduled.
struct OperationSpec {
    OperationKind kind = OperationKind::activity;
    std::string name;      ///< Activity, definition, event or queue.
    std::string queue;     ///< For an activity.
    std::string child_id;  ///< Under the parent's; empty: made from the command's number.
    MessageKind channel = MessageKind::event_raised;  ///< For a wait.
    Payload input;
    Millis delay{0};                ///< For a timer.
    bool failure_is_value = false;  ///< Its failure does not throw: see TryCall.
    std::unique_ptr<OperationTerms> terms{};
};

/// An operation that is retried: the spec of each attempt, and its state. Between two attempts its
/// operation is a timer.
struct Retrying {
    explicit Retrying(OperationSpec what) : spec(std::move(what)) {}
    [[nodiscard]] const RetryPolicy& policy() const noexcept { return *spec.terms->retry; }

    OperationSpec spec;
    std::uint32_t attempts = 0;           ///< Begun so far.
    CommandNo first = 0;                  ///< The command of the first attempt.
    std::optional<Timestamp> deadline{};  ///< For all attempts.
    Failure last{};                       ///< The failure of the attempt before.
    CommandNo timeout = 0;                ///< The timer that bounds the current attempt; 0: none.
};

/// One scheduled command, or several in turn if it is retried. Shared by the engine, which
/// completes it, and its Future.
class Operation final : public Completion {
public:
    enum class State : std::uint8_t { open, completed, failed, canceled };

    Operation(Engine* engine, CommandNo number, const OperationSpec& spec, bool shielded)
        : engine_(engine),
          number_(number),
          kind_(spec.kind),
          shielded_(shielded),
          failure_is_value_(spec.failure_is_value) {}

    [[nodiscard]] Engine* engine() const noexcept { return engine_; }
    [[nodiscard]] CommandNo number() const noexcept { return number_; }
    [[nodiscard]] OperationKind kind() const noexcept { return kind_; }
    [[nodiscard]] bool shielded() const noexcept { return shielded_; }
    [[nodiscard]] State state() const noexcept { return state_; }
    /// Returns null unless it is retried.
    [[nodiscard]] Retrying* retrying() const noexcept { return retrying_.get(); }
    void set_retrying(OperationSpec spec) {
        retrying_ = std::make_unique<Retrying>(std::move(spec));
    }
    /// Makes it this command from here on: the next attempt, or the wait for it.
    void become(CommandNo number, OperationKind kind) noexcept {
        number_ = number;
        kind_ = kind;
    }

    /// Returns the result; throws OperationFailed or Canceled.
    [[nodiscard]] Payload take();
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

    void complete(Payload result);
    void fail(Failure failure);
    void cancel(std::string reason);
    /// True if somebody awaits it through a reference to its future.
    [[nodiscard]] bool lent() const noexcept { return lent_; }
    void lend() noexcept { lent_ = true; }
    void take_back() noexcept;
    /// Called when the future that owned it is gone. Open work is canceled, and a message that
    /// nobody took is put back. If it is ready and lent, its awaiter may still take it.
    void disown() noexcept;
    /// Called when the code gives up open work and keeps its future, which then throws Canceled.
    void give_up();
    [[nodiscard]] bool taken() const noexcept { return taken_; }
    /// Called when the engine is done with it (or gone): its future does nothing any more.
    void detach() noexcept { engine_ = nullptr; }
    /// Cancels it without telling anybody, because the code dropped it. Returns the result that
    /// nobody took.
    Payload drop() noexcept {
        state_ = State::canceled;
        detach();
        return std::move(result_);
    }

private:
    Engine* engine_;
    CommandNo number_;
    OperationKind kind_;
    bool shielded_;
    bool failure_is_value_;
    bool lent_ = false;
    bool disowned_ = false;
    bool taken_ = false;
    State state_ = State::open;
    Payload result_;
    Failure failure_;
    std::unique_ptr<Retrying> retrying_;
};

/// The place of a coroutine: its shields and its depth. Shared by its promise and the copies of its
/// context, which may be kept longer. Its parent is the scope of the coroutine that awaits it,
/// which owns it and so outlives it; its maker does not matter.
struct Scope {
    explicit Scope(Engine* of) noexcept : engine(of) {}

    Engine* engine;  ///< Null once the coroutine is gone.
    const Scope* parent = nullptr;
    std::uint32_t shields = 0;
    std::uint32_t depth = 0;

    [[nodiscard]] bool shielded() const noexcept {
        for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
            if (scope->shields > 0) return true;
        }
        return false;
    }
};

/// Returns the engine of a coroutine that has not ended; throws std::logic_error if it has.
[[nodiscard]] Engine& engine_of(const Scope& scope);

/// The descriptions of calls that are not scheduled yet. The engine owns them, so that a Call needs
/// no destructor: g++ 12 runs the destructor of a choice twice in `co_await (c ? call : other)`
/// (GCC PR 98401; GCC 13 frees us).
class Drafts {
public:
    using Place = std::list<OperationSpec>::iterator;

    [[nodiscard]] Place keep(OperationSpec spec) {
        return specs_.insert(specs_.end(), std::move(spec));
    }
    [[nodiscard]] OperationSpec take(Place place) {
        OperationSpec spec = std::move(*place);
        specs_.erase(place);
        return spec;
    }

private:
    std::list<OperationSpec> specs_;
};

/// One execution of one orchestration, seen from its code.
///
/// A dead engine (evicted, shut down, refused) ignores every call, so that destroying its
/// coroutines has no effect on the run.
class Engine {
public:
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    [[nodiscard]] RunLoop& loop() noexcept { return loop_; }
    [[nodiscard]] Drafts& drafts() noexcept { return drafts_; }
    [[nodiscard]] bool dead() const noexcept { return dead_; }

    /// Schedules a command. Throws Canceled if the run is canceled and `shielded` is not set,
    /// LimitExceeded, and std::invalid_argument for a command that can never be scheduled (an
    /// invalid name). Returns null if the engine is dead.
    [[nodiscard]] virtual std::shared_ptr<Operation> schedule(OperationSpec spec,
                                                              bool shielded) = 0;
    /// Drops an operation that the code no longer wants. If it is open it is canceled. A message it
    /// was given and that nobody took goes to the next wait for one, or back to its place in the
    /// buffer.
    virtual void drop(Operation& operation) noexcept = 0;
    /// Called when the code has taken the message that `operation` was given.
    virtual void received(const Operation& operation) noexcept = 0;
    virtual void add_rollback(OperationSpec spec) = 0;
    /// `version`: for the next execution's code; empty: the newest.
    virtual void continue_as_new(Payload input, std::string version) = 0;
    virtual void set_custom_status(Payload status) = 0;
    /// Returns the status that this execution has set last; null if none.
    [[nodiscard]] virtual const Payload* custom_status() const noexcept = 0;
    virtual void refuse_if_canceled(bool shielded) = 0;
    virtual void open_shield(Millis extend) noexcept = 0;
    virtual void close_shield(Millis extend) noexcept = 0;
    virtual void set_clean(bool nothing) noexcept = 0;
    /// Called before each await. Returns true if this coroutine must not go on (it ignores a
    /// cancel).
    [[nodiscard]] virtual bool stop_here() noexcept = 0;

    /// Returns the next 64 bits of this execution's own random numbers.
    [[nodiscard]] virtual std::uint64_t random_bits() = 0;
    /// Takes the first message that came through this channel and that nobody has asked for;
    /// returns none if there is none.
    [[nodiscard]] virtual std::optional<Payload> try_take(MessageKind channel,
                                                          const std::string& name) = 0;
    /// Returns the number of such messages.
    [[nodiscard]] virtual std::size_t depth(MessageKind channel, const std::string& name) = 0;
    /// Returns a completion that is ready once a message has come through this channel and nobody
    /// waits for it. Records nothing. The code then takes it with `try_take`.
    [[nodiscard]] virtual std::shared_ptr<Completion> arrival(MessageKind channel,
                                                              const std::string& name) = 0;
    /// Starts a run of its own, with the definition and id of the spec. Throws as `schedule`.
    virtual void start_detached(OperationSpec spec, bool shielded) = 0;
    virtual void set_value(const std::string& key, Payload value) = 0;
    /// Returns null if there is none.
    [[nodiscard]] virtual const Payload* value(const std::string& key) const noexcept = 0;
    virtual void clear_value(const std::string& key) = 0;
    virtual void clear_values() = 0;
    [[nodiscard]] virtual bool patched(const std::string& name) = 0;
    virtual void retire_patch(const std::string& name) = 0;
    virtual void log(LogLevel level, std::string_view message) noexcept = 0;

    [[nodiscard]] virtual const InstanceName& name() const noexcept = 0;
    [[nodiscard]] virtual ExecutionNo execution() const noexcept = 0;
    [[nodiscard]] virtual const std::string& definition() const noexcept = 0;
    [[nodiscard]] virtual const std::string& version() const noexcept = 0;
    [[nodiscard]] virtual const Headers& headers() const noexcept = 0;
    [[nodiscard]] virtual Timestamp now() const noexcept = 0;
    [[nodiscard]] virtual bool replaying() const noexcept = 0;
    [[nodiscard]] virtual bool cancel_requested() const noexcept = 0;
    [[nodiscard]] virtual const Limits& limits() const noexcept = 0;

protected:
    ~Engine() { root_scope_->engine = nullptr; }

    RunLoop loop_;
    Drafts drafts_;
    std::shared_ptr<Scope> root_scope_ = std::make_shared<Scope>(this);
    bool dead_ = false;
};

}  // namespace belay::detail
