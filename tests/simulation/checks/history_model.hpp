// The history of one execution, read independently of the engine.
#pragma once

#include "model/event.hpp"
#include "simulation/process/code_age.hpp"
#include "simulation/world/report.hpp"
#include <belay/store/listing.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace belay::sim {

enum class CommandKind : std::uint8_t { activity, timer, child, wait };

struct CommandState {
    CommandKind kind = CommandKind::activity;
    bool shielded = false;
    bool open = true;
    Timestamp due_at{};    ///< For a timer.
    bool bounded = false;  ///< For an activity: its time may be over.
    std::string child_id;  ///< For a child.
    std::string name;      ///< For an activity; for a child its definition.
    Payload input;         ///< For an activity.
    std::string queue;     ///< For an activity.
    std::string retries;   ///< For an activity or a child: the same for all its attempts.
    std::pair<MessageKind, std::string> channel;  ///< For a wait.
};

/// Follows a history event by event and reports impossible ones: a completion of a command that is
/// not open, a timer before its time, a decision after the end.
class HistoryModel {
public:
    HistoryModel(Violations& violations, std::string subject)
        : violations_(&violations), subject_(std::move(subject)) {}

    /// `latest`: the latest time that the store's clock had shown when the event was written.
    void read(const model::Event& event, Timestamp latest);

    [[nodiscard]] const std::vector<CommandState>& commands() const noexcept { return commands_; }
    [[nodiscard]] const std::optional<Outcome>& outcome() const noexcept { return outcome_; }
    [[nodiscard]] bool continued() const noexcept { return continued_; }
    [[nodiscard]] bool canceled() const noexcept { return canceled_; }
    [[nodiscard]] const std::optional<Payload>& custom_status() const noexcept { return custom_; }
    [[nodiscard]] bool is_open(CommandNo command) const {
        return command >= 1 && command <= commands_.size() && commands_[command - 1].open;
    }
    /// True if the last event was a message of that channel. Code is not woken by one that nobody
    /// waits for: if it takes it next, it has asked before.
    [[nodiscard]] bool just_received(MessageKind kind, const std::string& name) const {
        return just_received_ && just_received_->first == kind && just_received_->second == name;
    }
    /// True if something is open that a cancel waits for.
    [[nodiscard]] bool shielded_work_open() const;
    /// True if only children, waits for messages that have not come, and timers that are due after
    /// `soon` are open.
    [[nodiscard]] bool only_waits(Timestamp soon) const;
    /// Takes over, for the next execution, what `before` kept for it.
    void continue_from(const HistoryModel& before) {
        kept_ = before.kept_;
        values_ = before.values_;
    }
    /// Runs on their own that its code has started.
    [[nodiscard]] const std::vector<std::string>& detached() const noexcept { return detached_; }
    /// The times at which its code logged its lines, as it sees the time.
    [[nodiscard]] const std::vector<Timestamp>& lines() const noexcept { return lines_; }
    [[nodiscard]] const std::map<std::string, Payload>& values() const noexcept { return values_; }
    /// True if this status says that the new way was gone at a patch without a mark.
    [[nodiscard]] bool is_new_way_unmarked(const std::string& status) const;
    /// True if broken code had a hand in it: no other makes it.
    [[nodiscard]] bool spoiled() const noexcept { return spoiled_; }
    /// True if code of that time makes this history.
    [[nodiscard]] bool fits(CodeAge age) const;

private:
    void on(const model::ExecutionStarted& event);
    void on(const model::TurnStarted& event);
    void on(const model::CommandCompleted& event);
    void on(const model::CommandFailed& event);
    void on(const model::MessageReceived& event);
    void on(const model::CancelRequested& event);
    void on(const model::ActivityScheduled& event);
    void on(const model::TimerScheduled& event);
    void on(const model::ChildScheduled& event);
    void on(const model::WaitScheduled& event);
    void on(const model::CommandCanceled& event);
    void on(const model::CustomStatusSet& event);
    void on(const model::ExecutionEnded& event);
    void on(const model::ExecutionContinued& event);
    void on(const model::RandomSeeded& event);
    void on(const model::MessageTaken& event);
    void on(const model::KeyValueSet& event);
    void on(const model::KeyValueCleared& event) { values_.erase(event.key); }
    void on(const model::KeyValuesCleared& /*event*/) { values_.clear(); }
    void on(const model::PatchMarked& event);
    void on(const model::PatchRetired& event);
    void on(const model::NextVersionChosen& /*event*/) {}
    void on(const model::DetachedStarted& event) { detached_.push_back(event.id); }

    void note_way(const std::string& status);
    void schedule(CommandNo command, CommandState state);
    /// Another attempt may follow one that has ended.
    void allow_retry(const CommandState& command) { ++may_retry_[command.retries]; }
    /// `attempt`: the number of this one.
    void check_retry(const CommandState& command, std::uint32_t attempt);
    CommandState* close(CommandNo command, const char* invariant);
    template <class Detail>
    void expect(bool holds, const char* invariant, Detail&& detail) {
        violations_->expect(holds, invariant, [&] {
            if constexpr (std::is_invocable_v<Detail&>) {
                return subject_ + ": " + detail();
            } else {
                return subject_ + ": " + detail;
            }
        });
    }

    Violations* violations_;
    std::string subject_;
    std::vector<CommandState> commands_;
    std::map<std::pair<MessageKind, std::string>, std::size_t> kept_;  ///< Came before it was asked
                                                                       ///< for.
    std::optional<std::pair<MessageKind, std::string>> just_received_;
    Timestamp latest_{};
    Timestamp turn_at_{};    ///< By the store's clock, which may be set back between two turns.
    Timestamp code_time_{};  ///< As the code sees it, for which time never goes back.
    bool started_ = false;
    bool seeded_ = false;
    std::map<std::string, std::size_t> may_retry_;  ///< The number of retries, by
                                                    ///< CommandState::retries.
    std::set<std::string> patches_;                 ///< Patches that are marked,
    std::set<std::string> retired_;                 ///< and that were retired there.
    std::map<std::string, bool> ways_;              ///< True if the new one was gone, by patch.
    bool spoiled_ = false;                          ///< Broken code called something,
    bool sound_ = false;                            ///< and other code what it should have called.
    std::vector<std::string> detached_;
    std::vector<Timestamp> lines_;
    std::map<std::string, Payload> values_;
    bool canceled_ = false;
    bool continued_ = false;
    std::optional<Outcome> outcome_;
    std::optional<Payload> custom_;
};

}  // namespace belay::sim
