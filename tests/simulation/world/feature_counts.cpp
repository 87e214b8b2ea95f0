// The observer's counts of features.
#include "simulation/checks/observer.hpp"
#include "simulation/world/large.hpp"

namespace belay::sim {

void Observer::count_large(const Part& part) {
    const auto count = [&](Feature feature, const Payload& payload) {
        if (payload.bytes.size() >= kLargeBytes) features_.add(feature);
    };
    if (const auto* start = std::get_if<Start>(&part)) {
        count(Feature::large_input, start->instance.input);
    }
    if (const auto* ack = std::get_if<AckActivity>(&part); ack != nullptr && ack->completion) {
        count(Feature::large_result, ack->completion->payload);
    }
    const auto* const turn = std::get_if<Turn>(&part);
    if (turn == nullptr) return;
    for (const NewActivity& one : turn->activities) count(Feature::large_argument, one.input);
    for (const NewChild& one : turn->children) count(Feature::large_input, one.instance.input);
    if (turn->custom_status) count(Feature::large_status, *turn->custom_status);
    for (const KeyValueChange& one : turn->key_values) {
        if (one.value) count(Feature::large_value, *one.value);
    }
    if (const auto* ends = std::get_if<Ends>(&turn->after)) {
        count(Feature::large_outcome, ends->outcome.output);
    }
    if (const auto* continues = std::get_if<ContinuesAsNew>(&turn->after)) {
        count(Feature::large_input, continues->input);
    }
}

/// The failure of an activity that is given up has the reason as its text. Only this count needs
/// it.
void Observer::count_timeout(const std::string& why) {
    if (why.starts_with("no worker began it")) features_.add(Feature::begun_too_late);
    if (why.starts_with("it did not end within")) features_.add(Feature::ended_too_late);
    if (why.starts_with("it gave no heartbeat")) features_.add(Feature::heartbeat_missed);
}

void Observer::count_failure(FailureKind kind) {
    features_.add(static_cast<Feature>(static_cast<std::size_t>(Feature::failed_by_application) +
                                       static_cast<std::size_t>(kind) - 1));
}

/// `before`: the history that it follows.
void Observer::count_event(const HistoryModel& before, const model::Event& event) {
    if (const auto* failed = std::get_if<model::CommandFailed>(&event)) {
        count_failure(failed->failure.kind);
        // A child fails with the failure of its own activity.
        const std::vector<CommandState>& commands = before.commands();
        const bool known = failed->command >= 1 && failed->command <= commands.size();
        if (known && commands[failed->command - 1].kind == CommandKind::activity &&
            failed->failure.kind == FailureKind::timeout) {
            count_timeout(failed->failure.message);
        }
    } else if (const auto* activity = std::get_if<model::ActivityScheduled>(&event)) {
        if (activity->terms.attempt > 1) features_.add(Feature::retried);
        if (!activity->terms.session.empty()) features_.add(Feature::session);
    } else if (const auto* child = std::get_if<model::ChildScheduled>(&event)) {
        const bool alone = child->terms.parent_close == ParentClose::abandon;
        features_.add(alone ? Feature::child_alone : Feature::child);
    } else if (const auto* message = std::get_if<model::MessageReceived>(&event)) {
        const bool raised = message->channel == MessageKind::event_raised;
        features_.add(raised ? Feature::event_received : Feature::message_received);
    } else if (const auto* taken = std::get_if<model::MessageTaken>(&event)) {
        const bool early = before.just_received(taken->channel, taken->name);
        features_.add(early ? Feature::taken_early : Feature::message_taken);
    } else if (const auto* status = std::get_if<model::CustomStatusSet>(&event)) {
        const bool unmarked = before.is_new_way_unmarked(status->status.bytes);
        features_.add(unmarked ? Feature::patch_removed : Feature::custom_status);
    } else if (std::holds_alternative<model::TimerScheduled>(event)) {
        features_.add(Feature::timer);
    } else if (std::holds_alternative<model::DetachedStarted>(event)) {
        features_.add(Feature::detached);
    } else if (std::holds_alternative<model::RandomSeeded>(event)) {
        features_.add(Feature::random_numbers);
    } else if (std::holds_alternative<model::KeyValueSet>(event)) {
        features_.add(Feature::value_set);
    } else if (std::holds_alternative<model::PatchMarked>(event)) {
        features_.add(Feature::patch_marked);
    } else if (std::holds_alternative<model::PatchRetired>(event)) {
        features_.add(Feature::patch_retired);
    } else if (std::holds_alternative<model::ExecutionContinued>(event)) {
        features_.add(Feature::continued);
    }
}

}  // namespace belay::sim
