#include "flow/interpreter/plan.hpp"
#include "flow/run_record.hpp"
#include <belay/flow/states.hpp>
#include <belay/shown_status.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace belay {

namespace {

using flow::FlowPicture;
using flow::ListName;
using flow::ListPicture;

FlowWait wait_of(const flow::StepWait& wait) {
    FlowWait made;
    switch (wait.what) {
        case flow::StepWait::What::time: made.what = FlowWait::What::time; break;
        case flow::StepWait::What::event: made.what = FlowWait::What::event; break;
        case flow::StepWait::What::approval: made.what = FlowWait::What::approval; break;
        case flow::StepWait::What::retry: made.what = FlowWait::What::retry; break;
    }
    made.event = wait.event;
    made.prompt = wait.prompt;
    made.until = wait.until;
    return made;
}

FlowWorkState state_of(flow::StepStatus status) noexcept {
    switch (status) {
        case flow::StepStatus::pending: return FlowWorkState::pending;
        case flow::StepStatus::queued: return FlowWorkState::queued;
        case flow::StepStatus::started: return FlowWorkState::started;
        case flow::StepStatus::waiting: return FlowWorkState::waiting;
        case flow::StepStatus::canceling: return FlowWorkState::canceling;
        case flow::StepStatus::completed: return FlowWorkState::completed;
        case flow::StepStatus::failed: return FlowWorkState::failed;
        case flow::StepStatus::skipped: return FlowWorkState::skipped;
        case flow::StepStatus::canceled: break;
    }
    return FlowWorkState::canceled;
}

void fill(FlowWork& work, const flow::Progress& progress, std::uint32_t attempts) {
    work.state = state_of(progress.status);
    work.began_at = progress.began_at;
    work.ended_at = progress.ended_at;
    work.canceled_at = progress.canceled_at;
    work.attempt = progress.attempts;
    work.attempts = attempts;
    work.worker = progress.worker;
    work.child = progress.child;
    if (progress.waits) work.waits = wait_of(*progress.waits);
    work.failure = progress.failure;
    work.cause = progress.failure ? progress.failure->message : progress.reason;
    work.kept_from = progress.from;
}

void add_list(const flow::Definition& definition,
              const ListPicture& list,
              std::vector<FlowStepState>& steps) {
    const std::vector<flow::Step>& defined = flow::steps_of(definition, list.name);
    for (std::size_t i = 0; i < list.steps.size() && i < defined.size(); ++i) {
        const flow::StepPicture& picture = list.steps[i];
        const std::uint32_t attempts = defined[i].retry.attempts;
        FlowStepState step;
        // Each item of a map has its own attempts.
        fill(step, picture, picture.count ? 1 : attempts);
        step.list = to_string(list.name);
        step.id = picture.id;
        step.kind = picture.kind;
        step.count = picture.count;
        for (const flow::ItemPicture& one : picture.items) {
            FlowItemState item;
            fill(item, one, attempts);
            item.item = one.item;
            step.items.push_back(std::move(item));
        }
        steps.push_back(std::move(step));
    }
}

/// Returns the run for the failure; none if it has not begun, or is gone.
Result<std::optional<flow::DrawnRun>> draw_on_fail(Client& client,
                                                   const InstanceInfo& info,
                                                   const flow::Bundle& bundle) {
    std::optional<flow::DrawnRun> none;
    if (info.status != Status::failed || !info.on_fail) return none;
    const InstanceName name{info.name.space, on_fail_id(info.name.id)};
    const auto found = client.inspect(InstanceAddress(name, *info.on_fail));
    if (!found && found.error().code() == Errc::not_found) return none;
    if (!found) return found.error();
    auto drawn = flow::draw_run(client, *found, bundle);
    if (!drawn) return drawn.error();
    return std::optional<flow::DrawnRun>(std::move(*drawn));
}

std::string_view control_status(Status status) noexcept {
    switch (status) {
        case Status::pending: return "PENDING";
        case Status::canceling: return "CANCEL_REQUESTED";
        case Status::completed:
        case Status::skipped: return "SUCCESS";
        case Status::failed: return "FAILED";
        case Status::canceled: return "ABORTED";
        default: return "RUNNING";
    }
}

}  // namespace

std::string_view to_string(FlowWorkState state) noexcept {
    static constexpr std::array<std::string_view, 9> kNames{"pending",
                                                            "queued",
                                                            "started",
                                                            "waiting",
                                                            "canceling",
                                                            "completed",
                                                            "failed",
                                                            "skipped",
                                                            "canceled"};
    return kNames[static_cast<std::size_t>(state)];
}

Result<FlowStates> flow_states(Client& client, const InstanceAddress& run) {
    const auto info = client.inspect(run);
    if (!info) return info.error();
    const auto bundle = flow::bundle_of(client, *info);
    if (!bundle) return bundle.error();
    const auto drawn = flow::draw_run(client, *info, *bundle);
    if (!drawn) return drawn.error();
    const auto on_fail = draw_on_fail(client, *info, *bundle);
    if (!on_fail) return on_fail.error();
    FlowStates states;
    states.name = info->name;
    states.run = info->run;
    states.flow = info->definition;
    states.status = shown_status(*info);
    states.created_at = info->created_at;
    if (has_ended(*info)) states.ended_at = info->ended_at;
    states.cancel = info->cancel;
    states.ended_by = drawn->picture.ended_by;
    states.ended_why = drawn->picture.ended_why;
    for (const ListPicture& list : drawn->picture.lists) {
        const ListPicture* shown = &list;
        if (list.name == ListName::on_fail && *on_fail) {
            const auto& others = (*on_fail)->picture.lists;
            const auto other = std::ranges::find(others, ListName::on_fail, &ListPicture::name);
            if (other != others.end()) shown = &*other;
        }
        add_list(*drawn->definition, *shown, states.steps);
    }
    return states;
}

FlowControlView control_view(const FlowStates& states) {
    FlowControlView view;
    view.status = control_status(states.status);
    const bool aborts = states.status == Status::canceled || states.status == Status::canceling;
    if (aborts && states.cancel) {
        view.aborted_at = states.cancel->requested_at;
        view.aborted_by = states.cancel->by;
        view.abort_reason = states.cancel->reason;
    }
    for (const FlowStepState& step : states.steps) {
        if (step.list != to_string(ListName::steps)) continue;
        const bool is_left = step.state == FlowWorkState::canceled && !step.began_at;
        view.nodes.push_back({step.id, is_left ? "skipped" : std::string(to_string(step.state))});
    }
    return view;
}

}  // namespace belay
