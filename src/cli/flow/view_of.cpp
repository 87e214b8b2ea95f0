#include "cli/flow/view_of.hpp"

#include "cli/values.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace belay::cli {

namespace {

using flow::ListName;
using graph::State;

using ByCommand = std::map<CommandNo, const Awaited*>;

State state_of(flow::StepStatus status) noexcept {
    switch (status) {
        case flow::StepStatus::pending: return State::pending;
        case flow::StepStatus::queued: return State::queued;
        case flow::StepStatus::started: return State::started;
        case flow::StepStatus::waiting: return State::waiting;
        case flow::StepStatus::canceling: return State::canceling;
        case flow::StepStatus::completed: return State::completed;
        case flow::StepStatus::failed: return State::failed;
        case flow::StepStatus::skipped: return State::skipped;
        case flow::StepStatus::canceled: break;
    }
    return State::canceled;
}

WaitView wait_of(const flow::StepWait& wait) {
    WaitView view;
    switch (wait.what) {
        case flow::StepWait::What::time: view.what = WaitView::What::time; break;
        case flow::StepWait::What::event: view.what = WaitView::What::event; break;
        case flow::StepWait::What::approval: view.what = WaitView::What::approval; break;
        case flow::StepWait::What::retry: view.what = WaitView::What::retry; break;
    }
    view.event = wait.event;
    view.prompt = wait.prompt;
    view.until = wait.until;
    return view;
}

/// Returns the last line of a running program: the member "line" of its progress.
std::string line_in(const Payload& progress) {
    const Result<json::Value> read = json::parse(progress.bytes);
    if (!read || read->kind != json::Kind::object) return {};
    for (std::size_t i = 0; i < read->names.size(); ++i) {
        const bool is_line = read->names[i] == "line" && read->items[i].kind == json::Kind::text;
        if (is_line) return read->items[i].text;
    }
    return {};
}

std::string why_of(const flow::Progress& progress) {
    if (progress.failure) return progress.failure->message;
    return progress.reason;
}

void fill(WorkView& view,
          const flow::Progress& progress,
          std::uint32_t attempts,
          const ByCommand& awaits) {
    view.state = state_of(progress.status);
    view.attempt = progress.attempts;
    view.attempts = attempts;
    view.began_at = progress.began_at;
    view.ended_at = progress.ended_at;
    view.canceled_at = progress.canceled_at;
    view.worker = progress.worker;
    view.why = why_of(progress);
    if (progress.waits) view.waits = wait_of(*progress.waits);
    if (progress.command == 0) return;
    const auto found = awaits.find(progress.command);
    if (found == awaits.end()) return;
    if (found->second->progress) view.line = line_in(*found->second->progress);
    if (found->second->state == AwaitedState::no_code) {
        view.why = "no worker has the activity " + found->second->name;
    }
}

bool is_failed(const flow::Progress& progress) {
    return progress.status == flow::StepStatus::failed;
}

StepView step_view(const flow::Step& step,
                   const flow::StepPicture& picture,
                   const ByCommand& awaits) {
    StepView view;
    fill(view, picture, step.retry.attempts, awaits);
    view.id = step.id;
    view.kind = flow::kind_of(step.action);
    view.child = picture.child;
    if (!picture.count) return view;
    view.attempts = 1;
    graph::Items count{.all = *picture.count};
    for (const flow::ItemPicture& item : picture.items) {
        if (flow::has_ended(item.status)) ++count.ended;
        if (is_failed(item)) ++count.failed;
        ItemView one;
        fill(one, item, step.retry.attempts, awaits);
        one.item = item.item;
        view.items.push_back(std::move(one));
    }
    view.count = count;
    return view;
}

std::vector<graph::Edge> edges_of(const std::vector<flow::Step>& steps) {
    std::vector<graph::Edge> edges;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (const std::size_t from : steps[i].needs) edges.push_back({from, i, false});
        for (const std::size_t from : steps[i].after) edges.push_back({from, i, true});
    }
    return edges;
}

}  // namespace

std::vector<ListView> lists_of(const flow::Definition& definition,
                               const flow::FlowPicture& picture,
                               const std::vector<Awaited>& awaits) {
    ByCommand by_command;
    for (const Awaited& awaited : awaits) by_command.emplace(awaited.command, &awaited);
    std::vector<ListView> lists;
    for (const flow::ListPicture& drawn : picture.lists) {
        const std::vector<flow::Step>& steps = flow::steps_of(definition, drawn.name);
        ListView list;
        list.name = to_string(drawn.name);
        list.edges = edges_of(steps);
        for (std::size_t i = 0; i < steps.size() && i < drawn.steps.size(); ++i) {
            list.steps.push_back(step_view(steps[i], drawn.steps[i], by_command));
        }
        lists.push_back(std::move(list));
    }
    return lists;
}

std::vector<ListView> lists_of(const flow::Definition& definition) {
    std::vector<ListView> lists;
    for (const ListName name : flow::kListNames) {
        const std::vector<flow::Step>& steps = flow::steps_of(definition, name);
        if (steps.empty()) continue;
        ListView list;
        list.name = to_string(name);
        list.edges = edges_of(steps);
        for (const flow::Step& step : steps) {
            StepView view;
            view.id = step.id;
            view.kind = flow::kind_of(step.action);
            view.state = State::none;
            list.steps.push_back(std::move(view));
        }
        lists.push_back(std::move(list));
    }
    return lists;
}

ChunkCount count_items(const flow::FlowPicture& child, const std::string& step) {
    ChunkCount count;
    const flow::StepPicture* const drawn = flow::find_step(child, step);
    if (drawn == nullptr) return count;
    for (const flow::ItemPicture& item : drawn->items) {
        if (flow::has_ended(item.status)) ++count.ended;
        if (is_failed(item)) ++count.failed;
    }
    return count;
}

graph::Graph graph_of(const ListView& list, const std::string& title) {
    graph::Graph graph;
    graph.title = title;
    for (const StepView& step : list.steps) {
        graph.nodes.push_back(graph::Node{.title = step.id,
                                          .kind = step.kind,
                                          .state = step.state,
                                          .note = step.why,
                                          .items = step.count});
    }
    graph.edges = list.edges;
    return graph;
}

}  // namespace belay::cli
