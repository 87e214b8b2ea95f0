// The replay engine: history in, decisions out. No I/O, no clock, no thread, no randomness.
#pragma once

#include "base/rare.hpp"
#include "model/event.hpp"
#include "replay/random_stream.hpp"
#include <belay/detail/engine.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::replay {

/// Which execution this is.
struct Identity {
    InstanceName name;
    ExecutionNo execution = 1;
    std::string definition;
    std::string version;
    /// Drawn afresh by whoever makes the execution. What counts is the one that the code saw first,
    /// which is recorded.
    model::RandomSeeded seed{};
    /// Those that its run was started with. The code may decide by them, so whoever replays a run
    /// must have them: they are stored with the run, not in its history.
    Headers headers{};
};

/// Not before now, for a deadline that has passed; and a time that no clock reaches, rather than
/// one that wraps around.
[[nodiscard]] Timestamp due_at(Timestamp now, Millis delay) noexcept;

/// Throws what code is to see of an error: LimitExceeded, or std::invalid_argument for the rest.
void require(const Result<void>& fine);
/// For a name that is too long, or is none at all.
void require_name(std::string_view what, const std::string& name, std::size_t most);

/// One execution of an orchestration, with its live coroutine.
///
/// It is fed inputs one at a time; after each the code runs until it waits, and what it decided is
/// recorded behind the input. Replaying recorded events feeds their inputs and demands that the
/// decisions come out the same. So an execution can be dropped at any time and made again from its
/// history, and one that was kept needs only the events it lacks.
///
/// Not thread-safe: one thread at a time. Destroying it has no effect on the run.
class Execution final : private detail::Engine {
public:
    /// `log` may be null, and outlives it otherwise.
    Execution(OrchestrationHandler handler,
              Identity identity,
              const Limits& limits,
              const LogSink* log = nullptr);
    ~Execution();

    /// Replays recorded events that follow `position()`. On `nondeterminism` (code and history
    /// disagree; the message shows both) the execution must not be used any further.
    [[nodiscard]] Result<void> replay(const std::vector<model::Event>& events);
    /// When they disagree: whether code from before or after the deploy of a patch may agree. So it
    /// is when history has a mark, also of a retired patch, that this code does not make, or this
    /// code asked for one that history does not have.
    [[nodiscard]] bool patch_in_doubt() const noexcept { return patch_in_doubt_; }

    /// Before a turn begins, or a cancel is applied: a message that will be applied in it, and
    /// stays where it is until then. Code that asks for what has come (`try_receive`) gets it
    /// before: it came before the turn, and code that looks once more before it ends must not miss
    /// it.
    /// They are applied in the order in which they were announced.
    void announce(const NewMessage& message);
    /// Whether the code got an announced message before it was applied.
    [[nodiscard]] bool took_early(const NewMessage& message) const noexcept;
    /// Begins a turn at the time that the code will see. The first turn of an execution also gives
    /// it its input. After the end nothing has an effect any more. `canceled`: `apply_cancel`
    /// follows in this turn, and the execution does not end before it.
    void begin_turn(Timestamp at, const Payload& input, bool canceled = false);
    /// Applies one message. False: its target is not open any more, and it leaves no trace.
    bool apply(const NewMessage& message);
    /// Applies a recorded cancel, once.
    void apply_cancel(const CancelRecord& record);
    /// Fires the timers that this turn has set and that are due at `at`: an attempt that is tried
    /// again at once, say, needs no turn of its own. Those that the code sets then wait for the
    /// next turn, so that every turn ends.
    void fire_due(Timestamp at);

    /// Events recorded since the last call, in order: what the turn adds to history.
    [[nodiscard]] std::vector<model::Event> take_recorded();

    /// Whether this is the given link of its chain.
    [[nodiscard]] bool is(ExecutionNo execution) const noexcept {
        return identity_.execution == execution;
    }
    /// Which version of the code it runs.
    const std::string& version() const noexcept override { return identity_.version; }
    /// The number of the last event, recorded ones included.
    [[nodiscard]] EventNo position() const noexcept { return position_; }
    /// The outcome, once the execution has ended.
    [[nodiscard]] const base::Rare<Outcome>& outcome() const noexcept { return outcome_; }
    /// The next execution's input, once this one has continued as new.
    [[nodiscard]] const std::optional<Payload>& continued() const noexcept { return continued_; }
    /// The version that the code named for it; empty: none.
    [[nodiscard]] const std::string& next_version() const noexcept { return next_version_; }
    [[nodiscard]] bool finished() const noexcept { return outcome_.has_value() || continued_; }
    [[nodiscard]] bool cancel_seen() const noexcept { return cancel_.has_value(); }
    /// How long beyond the usual deadline open shields ask a canceled run to be waited for.
    [[nodiscard]] Millis longest_shield() const noexcept;
    /// The kind of a command of this execution; none if there is no such command.
    [[nodiscard]] std::optional<detail::OperationKind> kind_of(CommandNo command) const noexcept;
    /// Whether a command awaits its answer.
    [[nodiscard]] bool is_open(CommandNo command) const noexcept {
        return open_operation(command) != nullptr;
    }
    /// Whether a command is a child that goes on when nobody waits for it any more.
    [[nodiscard]] bool goes_on_alone(CommandNo command) const noexcept {
        return std::binary_search(alone_.begin(), alone_.end(), command);
    }
    [[nodiscard]] std::size_t open_commands() const noexcept { return open_count_; }
    /// Messages that no code has taken yet, whether a wait has them or none.
    [[nodiscard]] std::size_t untaken_messages() const noexcept {
        return received_count_ + handed_over_.size();
    }
    /// How many more it can be given, if the code takes none of them.
    [[nodiscard]] std::size_t message_room() const noexcept {
        const std::size_t most = limits_.buffered_messages;
        return most - std::min(most, untaken_messages());
    }

private:
    using Channel = std::pair<MessageKind, std::string>;
    using Received = std::map<Channel, std::map<std::uint64_t, Payload>>;

    // What the code asks for: detail::Engine.
    std::shared_ptr<detail::Operation> schedule(detail::OperationSpec spec, bool shielded) override;
    void drop(detail::Operation& operation) noexcept override;
    void received(const detail::Operation& operation) noexcept override;
    void add_rollback(detail::OperationSpec spec) override;
    void continue_as_new(Payload input, std::string version) override;
    void set_custom_status(Payload status) override;
    void refuse_if_canceled(bool shielded) override;
    void open_shield(Millis extend) noexcept override;
    void close_shield(Millis extend) noexcept override;
    bool stop_here() noexcept override;
    std::uint64_t random_bits() override;
    std::optional<Payload> try_take(MessageKind kind, const std::string& name) override;
    std::size_t depth(MessageKind kind, const std::string& name) override;
    void start_detached(detail::OperationSpec spec, bool shielded) override;
    void set_value(const std::string& key, Payload value) override;
    const Payload* value(const std::string& key) const noexcept override;
    void clear_value(const std::string& key) override;
    void clear_values() override;
    bool patched(const std::string& name) override;
    void retire_patch(const std::string& name) override;
    void log(LogLevel level, std::string_view message) noexcept override;
    const InstanceName& name() const noexcept override { return identity_.name; }
    ExecutionNo execution() const noexcept override { return identity_.execution; }
    const std::string& definition() const noexcept override { return identity_.definition; }
    const Headers& headers() const noexcept override { return identity_.headers; }
    Timestamp now() const noexcept override { return now_; }
    bool replaying() const noexcept override { return replaying_; }
    bool cancel_requested() const noexcept override { return cancel_.has_value(); }
    const Limits& limits() const noexcept override { return limits_; }

    // Inputs.
    void feed(const model::Event& input);
    void on(const model::ExecutionStarted& event);
    void on(const model::TurnStarted& event) {
        // The store's clock may be set back between two turns; time never goes back for the code.
        now_ = std::max(now_, event.at);
        cancel_follows_ = cancel_follows_ || event.canceled;
    }
    void on(const model::CommandCompleted& event);
    void on(const model::CommandFailed& event);
    void on(const model::MessageReceived& event);
    void on(const model::CancelRequested& event);
    [[nodiscard]] bool can_take(const model::Event& input) const;
    [[nodiscard]] detail::Operation* open_operation(CommandNo command) const noexcept;
    /// While recorded events are replayed: what history has next, or that many behind it.
    [[nodiscard]] const model::Event* in_history(std::size_t ahead) const noexcept {
        if (!replaying_) return nullptr;
        const std::size_t at = replayed_at_ + recorded_.size() + ahead;
        return at < replayed_->size() ? &(*replayed_)[at] : nullptr;
    }
    /// How many retired patches it has next, which the code may have forgotten.
    [[nodiscard]] std::size_t retired_ahead() const noexcept {
        std::size_t ahead = 0;
        while (std::get_if<model::PatchRetired>(in_history(ahead)) != nullptr) ++ahead;
        return ahead;
    }
    /// What it has behind them, if it is of this kind.
    template <class Wanted>
    [[nodiscard]] const Wanted* next_in_history() const noexcept {
        return std::get_if<Wanted>(in_history(retired_ahead()));
    }
    /// True if it is marked now, as `fresh` or as history has it.
    bool mark(model::Event fresh, const std::string& name);
    [[nodiscard]] const model::Event* mark_in_history(const std::string& name) const noexcept;
    /// Takes over the retired patches that history has before `next` of the code (null: before the
    /// next input), which has forgotten them.
    void pass_retired(const model::Event* next);

    // Decisions.
    void record(model::Event event);
    void record_scheduled(const detail::OperationSpec& spec,
                          CommandNo command,
                          bool shielded,
                          const detail::Retrying* retrying);
    void begin_wait(const detail::OperationSpec& spec,
                    const std::shared_ptr<detail::Operation>& operation);
    void deliver(const Channel& channel, std::uint64_t arrival, Payload payload);
    bool take_early(MessageKind kind, const std::string& name);
    void hand_over(const std::shared_ptr<detail::Operation>& operation,
                   const Channel& channel,
                   std::uint64_t arrival,
                   Payload payload);
    void keep(const Channel& channel, std::uint64_t arrival, Payload payload);
    [[nodiscard]] std::pair<std::uint64_t, Payload> take_first(Received::iterator from);
    void keep_all_handed_over();
    void close(detail::Operation& operation) noexcept;
    void close_command(CommandNo command) noexcept;
    [[nodiscard]] std::string child_id(const detail::OperationSpec& spec,
                                       CommandNo command,
                                       std::uint32_t attempt) const;
    [[nodiscard]] CommandNo next_command() const noexcept {
        return static_cast<CommandNo>(operations_.size() + 1);
    }
    CommandNo add_command(const std::shared_ptr<detail::Operation>& operation,
                          detail::OperationKind kind);
    std::shared_ptr<detail::Operation> add_operation(detail::OperationSpec spec, bool shielded);

    // Trying again.
    void begin_attempt(const std::shared_ptr<detail::Operation>& operation);
    void bound_attempt(const std::shared_ptr<detail::Operation>& operation);
    void unbound_attempt(detail::Operation& operation) noexcept;
    void attempt_failed(const std::shared_ptr<detail::Operation>& operation, Failure failure);
    void attempt_timed_out(const std::shared_ptr<detail::Operation>& operation);
    void wait_for_attempt(const std::shared_ptr<detail::Operation>& operation, Millis delay);
    void go_on(const std::shared_ptr<detail::Operation>& operation);

    void check_limits(const detail::OperationSpec& spec) const;
    void check_names(const detail::OperationSpec& spec) const;
    void check_labels(const Labels& labels) const;
    void check_payload(const std::string& what, const Payload& payload) const;
    void check_room() const;
    void count_refusal();
    [[nodiscard]] Error mismatch(EventNo at,
                                 const model::Event* in_history,
                                 const model::Event* from_code);
    [[nodiscard]] Payload unpack_input(const Payload& packed);
    [[nodiscard]] Payload pack_input(Payload input) const;

    // The end.
    void run();
    void run_code();
    [[nodiscard]] bool must_stop();
    void end_code();
    void cancel_self(const std::string& reason);
    void continue_or_fail();
    void end_code_by_force(std::string why);
    [[nodiscard]] Failure failure_of_current_exception() const;
    void go_on_with_rollbacks();
    void drop_leftovers() noexcept;
    void end();
    [[nodiscard]] Outcome final_outcome() const;
    void kill_code() noexcept;

    OrchestrationHandler handler_;
    Identity identity_;
    Limits limits_;

    std::unique_ptr<detail::Root> root_;
    // Command n is at n - 1. Only open operations are kept; kinds are kept of all.
    std::vector<std::shared_ptr<detail::Operation>> operations_;
    std::vector<detail::OperationKind> kinds_;
    std::vector<CommandNo> alone_;  // Children with ParentClose::abandon, in order.
    std::size_t open_count_ = 0;
    // Messages that came before they were asked for, by number of arrival: one that is put back
    // takes its old place.
    Received received_;
    std::size_t received_count_ = 0;
    std::uint64_t arrivals_ = 0;
    /// Whose message it is, as long as no code has taken it.
    struct HandedOver {
        std::shared_ptr<detail::Operation> operation;
        Channel channel;
        std::uint64_t arrival = 0;
    };
    std::map<CommandNo, HandedOver> handed_over_;
    // By command number: first asked, first served.
    std::map<Channel, std::map<CommandNo, std::shared_ptr<detail::Operation>>> waiting_;
    std::map<CommandNo, Channel> wait_channels_;
    std::vector<detail::OperationSpec> rollbacks_;
    std::shared_ptr<detail::Operation> rollback_;  // The one under way ...
    std::string rollback_name_;                    // ... and its activity.
    std::vector<Millis> shields_;

    struct Announced {
        const NewMessage* message;
        bool is_taken = false;
    };
    base::Rare<std::deque<Announced>> announced_;  // During a turn.

    EventNo position_ = 0;
    std::vector<model::Event> recorded_;
    Timestamp now_{};
    bool replaying_ = false;
    const std::vector<model::Event>* replayed_ = nullptr;  // While replaying ...
    std::size_t replayed_at_ = 0;                          // ... the input that is being fed.
    std::optional<RandomStream> random_;
    std::map<std::string, Payload, std::less<>> values_;
    std::size_t values_bytes_ = 0;
    std::map<std::string, bool, std::less<>> patches_;  // Which way each went.
    bool patch_in_doubt_ = false;
    const LogSink* log_;
    bool cancel_follows_ = false;
    std::optional<CancelRecord> cancel_;
    std::uint32_t refusals_ = 0;  // How often code was refused what it asked for.
    std::string stop_why_;  // Set when the code must be ended: a limit that it does not honour.
    std::optional<Payload> continuing_;  // Asked for; takes effect when the code has stopped.
    std::string next_version_;

    // How the code itself ended, before rollbacks.
    bool code_ended_ = false;
    Payload output_;
    base::Rare<Failure> failure_;
    base::Rare<CancelRecord> self_cancel_;
    std::vector<std::string> cleanup_failures_;

    base::Rare<Outcome> outcome_;
    std::optional<Payload> continued_;
};

}  // namespace belay::replay
