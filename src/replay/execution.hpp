// The replay engine: history in, decisions out. No I/O, no clock, no thread, no randomness.
//
// An execution routes each input to the machine that keeps what it changes, runs the code, and
// routes what the code asks for to the machines. Each has a file and a table of its transitions:
//
//   journal        the events that are recorded, and that a replay must match
//   turn_clock     the time that the code sees
//   commands       numbers and kinds of commands, and which are open
//   scheduler      opens and closes commands
//   attempts       retried operations
//   inbox          messages, and waits for them
//   key_values     key-values
//   patches        which way each patch goes
//   seeded_random  random numbers
//   cancellation   the cancel and the shields
//   rollback       compensations
//   ending         how the code ended, and the outcome
//   forced_stop    ends code that does not honour a limit
//   run_log        log lines
#pragma once

#include "base/boxed_optional.hpp"
#include "replay/attempts.hpp"
#include "replay/cancellation.hpp"
#include "replay/commands.hpp"
#include "replay/ending.hpp"
#include "replay/forced_stop.hpp"
#include "replay/identity.hpp"
#include "replay/inbox.hpp"
#include "replay/journal.hpp"
#include "replay/key_values.hpp"
#include "replay/patches.hpp"
#include "replay/rollback.hpp"
#include "replay/run_log.hpp"
#include "replay/scheduler.hpp"
#include "replay/seeded_random.hpp"
#include "replay/turn_clock.hpp"
#include <belay/detail/engine.hpp>
#include <belay/limits.hpp>
#include <belay/registry.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::replay {

/// One execution of an orchestration, with its live coroutine.
///
/// It is fed inputs one at a time. After each input the code runs until it waits, and its decisions
/// are recorded behind the input. Replaying recorded events feeds their inputs and requires the
/// same decisions. So an execution can be dropped at any time and made again from its history. An
/// execution that was kept needs only the events it lacks.
///
/// Not thread-safe: one thread at a time. Destroying it has no effect on the run.
class Execution final : private detail::Engine {
public:
    /// `log` may be null. Otherwise it outlives the execution.
    Execution(OrchestrationHandler handler,
              Identity identity,
              const Limits& limits,
              const LogSink* log = nullptr);
    ~Execution();

    /// Replays recorded events that follow `position()`. After `nondeterminism` (code and history
    /// disagree; the message shows both) the execution must not be used any more.
    [[nodiscard]] Result<void> replay(const std::vector<model::Event>& events);
    /// For a replay that disagrees: true if code from before or after the deploy of a patch may
    /// agree. This is so if history has a mark, also of a retired patch, that this code does not
    /// make, or if this code asked for one that history does not have.
    [[nodiscard]] bool patch_in_doubt() const noexcept { return patches_.in_doubt(); }

    /// Announces a message before a turn begins or a cancel is applied. The message will be applied
    /// in that turn, and stays where it is until then. Code that asks for messages (`try_receive`)
    /// gets it earlier: it came before the turn, and code that looks once more before it ends must
    /// not miss it. Messages are applied in the order in which they were announced.
    void announce(const NewMessage& message) { inbox_.announce(message); }
    /// True if the code got an announced message before it was applied.
    [[nodiscard]] bool took_early(const NewMessage& message) const noexcept {
        return inbox_.took_early(message);
    }
    /// Begins a turn at the time that the code will see. The first turn of an execution also gives
    /// it its input. Does nothing after the end. `canceled`: `apply_cancel` follows in this turn,
    /// and the execution does not end before it.
    void begin_turn(Timestamp at, const Payload& input, bool canceled = false);
    /// Applies one message. Returns false if its target is not open any more: the message leaves no
    /// trace.
    bool apply(const NewMessage& message);
    /// Applies a recorded cancel, once.
    void apply_cancel(const CancelRecord& record);
    /// Fires the timers that this turn has set and that are due at `at`. For example, an attempt
    /// that is retried at once needs no turn of its own. Timers that the code sets then wait for
    /// the next turn, so every turn ends.
    void fire_due(Timestamp at);

    /// Returns the events recorded since the last call, in order: the turn's addition to history.
    [[nodiscard]] std::vector<model::Event> take_recorded();

    /// True if this is the given link of its chain.
    [[nodiscard]] bool is(ExecutionNo execution) const noexcept {
        return identity_.execution == execution;
    }
    /// The name of its run.
    const InstanceName& name() const noexcept override { return identity_.name; }
    const std::string& definition() const noexcept override { return identity_.definition; }
    /// The version of the code that it runs.
    const std::string& version() const noexcept override { return identity_.version; }
    /// The number of the last event, recorded ones included.
    [[nodiscard]] EventNo position() const noexcept { return journal_.position(); }
    /// The outcome, once the execution has ended.
    [[nodiscard]] const base::BoxedOptional<Outcome>& outcome() const noexcept {
        return ending_.outcome();
    }
    /// The next execution's input, once this one has continued as new.
    [[nodiscard]] const std::optional<Payload>& continued() const noexcept {
        return ending_.continued();
    }
    /// The version that the code named for the next execution. Empty if none.
    [[nodiscard]] const std::string& next_version() const noexcept {
        return ending_.next_version();
    }
    [[nodiscard]] bool finished() const noexcept { return ending_.is_finished(); }
    [[nodiscard]] bool cancel_seen() const noexcept { return cancellation_.is_requested(); }
    /// The time beyond the usual deadline for which open shields ask a canceled run to be waited
    /// for.
    [[nodiscard]] Millis longest_shield() const noexcept { return cancellation_.longest_shield(); }
    /// True if a cancel may end the run without this code: it says so, no shield is open, and no
    /// compensation is registered.
    [[nodiscard]] bool nothing_to_clean_up() const noexcept {
        return cancellation_.nothing_to_clean_up() && rollback_.is_empty();
    }
    /// The kind of a command of this execution; none if there is no such command.
    [[nodiscard]] std::optional<detail::OperationKind> kind_of(CommandNo command) const noexcept {
        return commands_.kind_of(command);
    }
    /// True if a command awaits its answer.
    [[nodiscard]] bool is_open(CommandNo command) const noexcept {
        return commands_.is_open(command);
    }
    /// True if a command is a child that goes on when the code drops it.
    [[nodiscard]] bool is_abandoned(CommandNo command) const noexcept {
        return commands_.is_abandoned(command);
    }
    [[nodiscard]] std::size_t open_commands() const noexcept { return commands_.open_count(); }
    /// Returns how many more messages it can be given if the code takes none of them.
    [[nodiscard]] std::size_t message_room() const noexcept { return inbox_.room(); }

private:
    // Requests of the code: detail::Engine. They have no effect when the engine is dead.
    std::shared_ptr<detail::Operation> schedule(detail::OperationSpec spec, bool shielded) override;
    void drop(detail::Operation& operation) noexcept override;
    void received(const detail::Operation& operation) noexcept override;
    void add_rollback(detail::OperationSpec spec) override;
    void continue_as_new(Payload input, std::string version) override;
    void set_custom_status(Payload status) override;
    const Payload* custom_status() const noexcept override {
        return custom_status_ ? &*custom_status_ : nullptr;
    }
    void refuse_if_canceled(bool shielded) override;
    void open_shield(Millis extend) noexcept override;
    void close_shield(Millis extend) noexcept override;
    void set_clean(bool nothing) noexcept override {
        cancellation_.set_nothing_to_clean_up(nothing);
    }
    bool stop_here() noexcept override;
    std::uint64_t random_bits() override;
    std::optional<Payload> try_take(MessageKind kind, const std::string& name) override;
    std::size_t depth(MessageKind kind, const std::string& name) override;
    std::shared_ptr<detail::Completion> arrival(MessageKind kind, const std::string& name) override;
    void start_detached(detail::OperationSpec spec, bool shielded) override;
    void set_value(const std::string& key, Payload value) override;
    const Payload* value(const std::string& key) const noexcept override;
    void clear_value(const std::string& key) override;
    void clear_values() override;
    bool patched(const std::string& name) override;
    void retire_patch(const std::string& name) override;
    void log(LogLevel level, std::string_view message) noexcept override;
    ExecutionNo execution() const noexcept override { return identity_.execution; }
    const Headers& headers() const noexcept override { return identity_.headers; }
    Timestamp now() const noexcept override { return clock_.now(); }
    bool replaying() const noexcept override { return journal_.replaying(); }
    bool cancel_requested() const noexcept override { return cancellation_.is_requested(); }
    const Limits& limits() const noexcept override { return limits_; }

    // Inputs.
    [[nodiscard]] bool can_take(const model::Event& input) const;
    void feed(const model::Event& input);
    void on(const model::ExecutionStarted& event);
    void on(const model::TurnStarted& event);
    void on(const model::CommandCompleted& event);
    void on(const model::CommandFailed& event);
    void on(const model::MessageReceived& event);
    void on(const model::CancelRequested& event);
    [[nodiscard]] Error mismatch(const Journal::Difference& difference);

    // Running the code, and its end.
    void run();
    void run_code();
    void end_code_if_over();
    void end_completed_code();
    void continue_or_fail();
    void roll_back_and_end();
    void kill_code() noexcept;
    [[nodiscard]] Payload unpack_input(const Payload& packed);
    [[nodiscard]] Payload pack_input(Payload input) const;

    OrchestrationHandler handler_;
    Identity identity_;
    Limits limits_;
    std::unique_ptr<detail::Root> root_;
    base::BoxedOptional<Payload> custom_status_;

    // Each machine uses only machines that stand before it.
    TurnClock clock_;
    Journal journal_{limits_};
    Commands commands_;
    SeededRandom random_{identity_.seed, journal_};
    Attempts attempts_{identity_, limits_, clock_, journal_, commands_, random_};
    Inbox inbox_{limits_, journal_, commands_};
    Scheduler scheduler_{*this, identity_, limits_, clock_, journal_, commands_, attempts_, inbox_};
    KeyValues key_values_{limits_, journal_};
    Patches patches_{limits_, journal_};
    RunLog log_;
    Cancellation cancellation_;
    ForcedStop stop_{limits_};
    Rollback rollback_{limits_, scheduler_};
    Ending ending_{identity_, limits_, clock_, cancellation_, journal_};
};

}  // namespace belay::replay
