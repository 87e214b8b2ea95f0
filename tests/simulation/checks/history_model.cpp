#include "simulation/checks/history_model.hpp"

#include "simulation/program/calls.hpp"
#include "simulation/program/program.hpp"
#include "simulation/world/large.hpp"

#include <algorithm>
#include <utility>

namespace belay::sim {

void HistoryModel::read(const model::Event& event, Timestamp latest) {
    latest_ = latest;
    expect(!outcome_ && !continued_, "nothing follows the end of an execution", [&] {
        return model::describe(event);
    });
    std::visit([this](const auto& one) { on(one); }, event);
    just_received_.reset();
    if (const auto* const received = std::get_if<model::MessageReceived>(&event)) {
        just_received_.emplace(received->channel, received->name);
    }
}

bool HistoryModel::shielded_work_open() const {
    return std::any_of(commands_.begin(), commands_.end(), [](const CommandState& one) {
        return one.open && one.shielded;
    });
}

bool HistoryModel::only_waits(Timestamp soon) const {
    bool any = false;
    for (const CommandState& one : commands_) {
        if (!one.open) continue;
        if (one.kind == CommandKind::timer && one.due_at > soon) continue;
        if (one.kind != CommandKind::wait && one.kind != CommandKind::child) return false;
        any = true;
    }
    return any;
}

CommandState* HistoryModel::close(CommandNo command, const char* invariant) {
    const bool open = is_open(command);
    expect(open, invariant, [&] { return "command " + std::to_string(command) + " is not open"; });
    if (!open) return nullptr;
    commands_[command - 1].open = false;
    return &commands_[command - 1];
}

void HistoryModel::schedule(CommandNo command, CommandState state) {
    expect(command == commands_.size() + 1, "commands are numbered in order", [&] {
        return "command " + std::to_string(command) + " after " + std::to_string(commands_.size());
    });
    expect(!canceled_ || state.shielded,
           "a canceled run schedules nothing but under a shield",
           [&] { return "command " + std::to_string(command); });
    commands_.push_back(std::move(state));
}

void HistoryModel::on(const model::ExecutionStarted& /*event*/) {
    expect(!started_, "an execution starts once", "a second start");
    started_ = true;
}

void HistoryModel::on(const model::TurnStarted& event) {
    expect(event.at <= latest_, "a turn has the time of its claim", "a turn from the future");
    turn_at_ = event.at;
    code_time_ = std::max(code_time_, event.at);
}

void HistoryModel::on(const model::CommandCompleted& event) {
    const CommandState* const command = close(event.command, "at most one completion per command");
    if (command == nullptr) return;
    if (command->kind != CommandKind::timer) return;
    expect(turn_at_ >= command->due_at,
           "a timer never fires early",
           "timer " + std::to_string(event.command) + " fired " +
               std::to_string((command->due_at - turn_at_).count()) + " ms before it was due");
}

void HistoryModel::on(const model::CommandFailed& event) {
    const CommandState* const command = close(event.command, "at most one completion per command");
    expect(command == nullptr || command->kind == CommandKind::activity ||
               command->kind == CommandKind::child,
           "only activities and children fail",
           "command " + std::to_string(event.command));
    if (command == nullptr) return;
    const bool for_good = command->kind == CommandKind::activity
                              ? is_final(command->name, event.failure)
                              : is_final_of_child(command->name, event.failure);
    if (!for_good) allow_retry(*command);
}

/// Each attempt after the first needs one before it that ended, and not for good. Children do not
/// say which one that was: those of the same code and input are taken to be attempts at the same.
void HistoryModel::check_retry(const CommandState& command, std::uint32_t attempt) {
    if (attempt <= 1) return;
    std::size_t& left = may_retry_[command.retries];
    expect(left > 0, "what failed for good is not tried again", [&] {
        return "attempt " + std::to_string(attempt) + " at " + command.name;
    });
    if (left > 0) --left;
}

/// First asked, first served. A message goes to another wait if the first was let go of, and that
/// leaves no event. The model takes that other wait to be open, which is never stricter than the
/// true store.
void HistoryModel::on(const model::MessageReceived& event) {
    const std::pair<MessageKind, std::string> channel(event.channel, event.name);
    for (CommandState& one : commands_) {
        if (!one.open || one.kind != CommandKind::wait || one.channel != channel) continue;
        one.open = false;
        return;
    }
    ++kept_[channel];
}

void HistoryModel::on(const model::CancelRequested& /*event*/) {
    expect(!canceled_, "a cancel is recorded once", "a second cancel");
    canceled_ = true;
}

void HistoryModel::on(const model::ActivityScheduled& event) {
    CommandState state;
    state.kind = CommandKind::activity;
    state.shielded = event.shielded;
    state.bounded = event.terms.schedule_to_start || event.terms.start_to_close ||
                    event.terms.heartbeat_timeout;
    state.name = event.name;
    state.input = event.input;
    state.queue = event.queue;
    spoiled_ |= event.input.bytes.starts_with(kSpoiled);
    sound_ |= event.input.bytes.starts_with(kSound);
    const CommandNo first = event.terms.first != 0 ? event.terms.first : event.command;
    state.retries = "#" + std::to_string(first);
    check_retry(state, event.terms.attempt);
    schedule(event.command, std::move(state));
}

void HistoryModel::on(const model::TimerScheduled& event) {
    CommandState state;
    state.kind = CommandKind::timer;
    state.shielded = event.shielded;
    state.due_at = event.due_at;
    expect(
        event.due_at >= code_time_, "a timer never fires early", "a timer due before it was set");
    schedule(event.command, std::move(state));
}

void HistoryModel::on(const model::ChildScheduled& event) {
    CommandState state;
    state.kind = CommandKind::child;
    state.shielded = event.shielded;
    state.child_id = event.id;
    state.name = event.definition;
    state.retries = event.definition + " " + event.input.bytes;
    check_retry(state, event.terms.attempt);
    schedule(event.command, std::move(state));
}

void HistoryModel::on(const model::WaitScheduled& event) {
    CommandState state;
    state.kind = CommandKind::wait;
    state.shielded = event.shielded;
    state.channel = {event.channel, event.name};
    const auto kept = kept_.find(state.channel);
    if (kept != kept_.end() && kept->second > 0) {
        --kept->second;
        state.open = false;
    }
    schedule(event.command, std::move(state));
}

void HistoryModel::on(const model::CommandCanceled& event) {
    const CommandState* const command = close(event.command, "only what is open is canceled");
    if (command == nullptr || command->kind != CommandKind::activity) return;
    // Let go of because its time was over, it counts as failed so.
    if (!is_final(command->name, Failure{.kind = FailureKind::timeout})) allow_retry(*command);
}

void HistoryModel::on(const model::CustomStatusSet& event) {
    custom_ = event.status;
    note_way(event.status.bytes);
    if (event.status.bytes.starts_with(kAt)) lines_.push_back(code_time_);
}

void HistoryModel::on(const model::ExecutionEnded& event) {
    expect(!canceled_ || event.outcome.status == Status::canceled,
           "an accepted cancel ends in canceled",
           "history ends " + std::string(to_string(event.outcome.status)));
    outcome_ = event.outcome;
}

void HistoryModel::on(const model::ExecutionContinued& /*event*/) {
    expect(!canceled_, "an accepted cancel ends in canceled", "a canceled run continues as new");
    continued_ = true;
}

void HistoryModel::on(const model::RandomSeeded& /*event*/) {
    expect(!seeded_, "random numbers are seeded once", "a second seed");
    seeded_ = true;
}

/// Not a violation when none is kept here: a message that a wait had got, and that was let go of,
/// is kept again without an event.
void HistoryModel::on(const model::MessageTaken& event) {
    const auto kept = kept_.find({event.channel, event.name});
    if (kept != kept_.end() && kept->second > 0) --kept->second;
}

/// Programs count them up: code that begins again from 1 has lost something.
void HistoryModel::on(const model::KeyValueSet& event) {
    const auto before = values_.find(event.key);
    const std::int64_t count = before == values_.end() ? 0 : counted(event.key, before->second);
    expect(event.value == counting_value(event.key, count + 1),
           "code reads the key-values that were set before",
           event.key);
    values_[event.key] = event.value;
}

/// An execution that goes one way at a patch goes the same way when it comes by again, at any
/// worker.
void HistoryModel::note_way(const std::string& status) {
    const bool is_new = status.starts_with(kNewWay);
    if (!is_new && !status.starts_with(kOldWay)) return;
    const std::string name = status.substr(std::string_view(is_new ? kNewWay : kOldWay).size());
    const auto [first, fresh] = ways_.try_emplace(name, is_new);
    expect(first->second == is_new, "an execution gets one answer at a patch", name);
}

bool HistoryModel::is_new_way_unmarked(const std::string& status) const {
    if (!status.starts_with(kNewWay)) return false;
    const std::string name = status.substr(std::string_view(kNewWay).size());
    return !patches_.contains(name) && !retired_.contains(name);
}

bool HistoryModel::fits(CodeAge age) const {
    if (age == CodeAge::broken) return !sound_;
    const bool forgets = age == CodeAge::before_patches || age == CodeAge::patches_removed;
    if (spoiled_ || (forgets && !patches_.empty())) return false;
    return std::all_of(ways_.begin(), ways_.end(), [&](const auto& way) {
        const auto& [patch, is_new] = way;
        switch (age) {
            case CodeAge::before_patches: return !is_new;
            case CodeAge::patches_retired:
            case CodeAge::patches_removed: return is_new;
            default: return is_new == (patches_.contains(patch) || retired_.contains(patch));
        }
    });
}

void HistoryModel::on(const model::PatchMarked& event) {
    expect(!ways_.contains(event.name), "a patch is marked before it is taken", event.name);
    expect(patches_.insert(event.name).second && !retired_.contains(event.name),
           "a patch is marked once",
           event.name);
}

void HistoryModel::on(const model::PatchRetired& event) {
    expect(!ways_.contains(event.name), "a patch is retired before it is taken", event.name);
    expect(retired_.insert(event.name).second && !patches_.contains(event.name),
           "a patch is retired once",
           event.name);
}

}  // namespace belay::sim
