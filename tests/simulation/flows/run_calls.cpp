// The activities of a run: those that its steps need, each once.
#include "expr/value_json.hpp"
#include "simulation/flows/generator.hpp"
#include "simulation/flows/run_check.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace belay::sim {

namespace {

using flow::ListName;
using flow::StepStatus;

std::string key_in(const Payload& input) {
    const auto value = expr::parse_json(input.bytes);
    return value ? text_in(*value, "key") : std::string();
}

}  // namespace

/// Each attempt at each step and item is scheduled once, in order. Nothing else is.
void RunCheck::check_calls() {
    for (const flow::ListPicture& list : picture_.lists) {
        if (list.began_at) add_calls(list);
    }
    std::map<std::pair<std::string, std::string>, std::uint32_t> scheduled;
    for (const model::Event& event : events_) {
        const auto* const activity = std::get_if<model::ActivityScheduled>(&event);
        if (activity == nullptr) continue;
        const std::string key = key_in(activity->input);
        std::uint32_t& attempts = scheduled[{activity->name, key}];
        ++attempts;
        expect(
            activity->terms.attempt == attempts,
            "each attempt at a step is scheduled once",
            activity->name + " for " + key + " attempt " + std::to_string(activity->terms.attempt));
    }
    for (const auto& [call, attempts] : calls_) {
        expect(scheduled[call] == attempts,
               "a step schedules what it needs",
               call.first + " for " + call.second + " was scheduled " +
                   std::to_string(scheduled[call]) + " times instead of " +
                   std::to_string(attempts));
    }
    for (const auto& [call, attempts] : scheduled) {
        expect(calls_.contains(call) || optional_calls_.contains(call),
               "nothing is scheduled that no step needs",
               call.first + " for " + call.second);
    }
}

void RunCheck::add_calls(const flow::ListPicture& list) {
    const std::vector<flow::Step>& steps = steps_of(list.name);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const flow::StepPicture& step = list.steps[i];
        if (!steps[i].map) add_calls(steps[i], step, step.id);
        for (const flow::ItemPicture& item : step.items) {
            add_calls(steps[i], item, step.id + "[" + std::to_string(item.item) + "]");
        }
    }
}

void RunCheck::add_calls(const flow::Step& step,
                         const flow::Progress& progress,
                         const std::string& place) {
    const std::string key = id() + "/" + place;
    const auto* const call = std::get_if<flow::Call>(&step.action);
    if (call != nullptr && progress.attempts > 0) {
        calls_[{call->activity, key}] = progress.attempts;
    }
    // It was under way, and did not end: an end of the run by its code cleans up.
    const bool waited = std::holds_alternative<flow::Sleep>(step.action) ||
                        std::holds_alternative<flow::Wait>(step.action);
    const bool was_under_way =
        is_canceled(progress) && progress.began_at && (waited || progress.attempts > 0);
    if (!was_under_way || !step.on_cancel) return;
    if (!ended_by_code()) {
        optional_calls_.emplace(kUndoActivity, key);
        return;
    }
    calls_[{kUndoActivity, key}] = 1;
    counts_.add(FlowFeature::on_cancel_of_step);
    if (run_.status != Status::canceled) counts_.add(FlowFeature::on_cancel_after_failure);
}

// ---- Counts ------------------------------------------------------------------------------------

void RunCheck::count_run(const Conclusion& conclusion, bool finally_ran) {
    switch (run_.status) {
        case Status::completed: counts_.add(FlowFeature::run_completed); break;
        case Status::failed: counts_.add(FlowFeature::run_failed); break;
        default: counts_.add(FlowFeature::run_canceled); break;
    }
    if (definition_.timeout && run_.status == Status::completed) {
        counts_.add(FlowFeature::timeout_kept);
    }
    if (run_.status == Status::canceled) {
        if (run_.outcome->cleanup == Cleanup::terminated) {
            counts_.add(FlowFeature::terminated);
        } else if (events_.empty()) {
            counts_.add(FlowFeature::canceled_before_it_began);
        } else {
            counts_.add(ended_by_code() ? FlowFeature::canceled_in_a_turn
                                        : FlowFeature::canceled_at_once);
        }
    }
    if (!finally_ran) return;
    switch (conclusion.status) {
        case Status::completed: counts_.add(FlowFeature::finally_after_success); break;
        case Status::failed: counts_.add(FlowFeature::finally_after_failure); break;
        default: counts_.add(FlowFeature::finally_after_cancel); break;
    }
}

void RunCheck::count_events() {
    std::map<std::string, std::uint64_t> received;
    for (const model::Event& event : events_) {
        if (const auto* const message = std::get_if<model::MessageReceived>(&event)) {
            if (message->name.starts_with(kSentEvent) && ++received[message->name] == 2) {
                counts_.add(FlowFeature::event_came_twice);
            }
        } else if (const auto* const wait = std::get_if<model::WaitScheduled>(&event)) {
            if (received.contains(wait->name)) counts_.add(FlowFeature::event_came_early);
        }
    }
}

}  // namespace belay::sim
