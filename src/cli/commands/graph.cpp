#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/live_view.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/run_reader.hpp"
#include "cli/instance_view.hpp"
#include "cli/output_file.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "graph/svg.hpp"
#include <belay/flow/states.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace belay::cli {

namespace {

bool is_file(const Context& context, const std::string& name) {
    const std::filesystem::path path(name);
    std::error_code ignored;
    return std::filesystem::is_regular_file(
        path.is_absolute() ? path : context.environment().directory / path, ignored);
}

RunView view_of_file(Context& context, const std::string& path) {
    const Pipeline pipeline = require_pipeline(context, path);
    RunView view;
    view.flow = pipeline.bundle.main;
    view.lists = lists_of(pipeline.bundle.main_flow());
    return view;
}

RunView view_of_run(Context& context, const std::string& id) {
    const InstanceInfo info = or_throw(context.client().inspect(context.name(id)));
    RunReader reader(context, info, bundle_of(context, info));
    return reader.read();
}

/// All lists in one picture: the steps of the others have the name of their list before theirs.
graph::Graph picture_of(const RunView& view) {
    graph::Graph whole;
    whole.title = view.flow + (view.id.empty() ? "" : "  " + view.id);
    for (const ListView& list : view.lists) {
        graph::Graph part = graph_of(list, {});
        const std::size_t from = whole.nodes.size();
        for (graph::Node& node : part.nodes) {
            if (list.name != "steps") node.title = list.name + ": " + node.title;
            whole.nodes.push_back(std::move(node));
        }
        for (const graph::Edge& edge : part.edges) {
            whole.edges.push_back({edge.from + from, edge.to + from, edge.soft});
        }
    }
    return whole;
}

void write_step(JsonWriter& out, const ListView& list, std::size_t at) {
    const StepView& step = list.steps[at];
    out.open_object().field("id", step.id).field("kind", step.kind);
    if (step.state != graph::State::none) out.field("state", to_string(step.state));
    write_work(out, step);
    if (!step.child.empty()) out.field("child", step.child);
    if (step.count) {
        out.key("items").open_object();
        out.field("ended", step.count->ended)
            .field("failed", step.count->failed)
            .field("all", step.count->all);
        out.close_object();
    }
    for (const bool soft : {false, true}) {
        out.key(soft ? "after" : "needs").open_array();
        for (const graph::Edge& edge : list.edges) {
            if (edge.to == at && edge.soft == soft) out.text(list.steps[edge.from].id);
        }
        out.close_array();
    }
    out.close_object();
}

void print_json(Context& context, const RunView& view) {
    JsonWriter out;
    out.open_object().field("flow", view.flow);
    if (!view.id.empty()) {
        out.field("run", view.id).field("status", to_string(view.status));
        write_time(out, "created_at", view.created_at);
        write_time(out, "ended_at", view.ended_at);
        write_early_end(out, view.ended_by, view.ended_why);
    }
    out.key("lists").open_array();
    for (const ListView& list : view.lists) {
        out.open_object().field("name", list.name).key("steps").open_array();
        for (std::size_t i = 0; i < list.steps.size(); ++i) write_step(out, list, i);
        out.close_array().close_object();
    }
    out.close_array().close_object();
    context.print(out);
}

// ---- Items -------------------------------------------------------------------------------------

std::string wait_text(const FlowWait& wait, Timestamp now) {
    const std::string until = wait.until ? " until " + clock_time(*wait.until, now) : "";
    switch (wait.what) {
        case FlowWait::What::event: return "for event " + safe(wait.event) + until;
        case FlowWait::What::approval: return "for a person" + until;
        case FlowWait::What::retry: return "for its next attempt" + until;
        case FlowWait::What::time: break;
    }
    return "sleeps" + until;
}

/// As `belay graph --json` shows a step.
WorkView work_of(const FlowItemState& item) {
    WorkView work;
    work.attempt = item.attempt;
    work.attempts = item.attempts;
    work.began_at = item.began_at;
    work.ended_at = item.ended_at;
    work.canceled_at = item.canceled_at;
    work.worker = item.worker;
    work.why = item.cause;
    if (!item.waits) return work;
    WaitView wait;
    wait.what = static_cast<WaitView::What>(item.waits->what);
    wait.event = item.waits->event;
    wait.prompt = item.waits->prompt;
    wait.until = item.waits->until;
    work.waits = std::move(wait);
    return work;
}

void print_items_json(Context& context, const FlowStepState& step) {
    for (const FlowItemState& item : step.items) {
        JsonWriter line;
        line.open_object().field("step", step.id).field("item", item.item);
        line.field("state", to_string(item.state));
        write_work(line, work_of(item));
        if (!item.child.empty()) line.field("child", item.child);
        line.close_object();
        context.print(line);
    }
}

std::string remark_of(const FlowItemState& item, Timestamp now) {
    std::string remark = item.waits ? wait_text(*item.waits, now) : "";
    if (!item.cause.empty()) remark += (remark.empty() ? "" : ": ") + safe(item.cause);
    return remark;
}

void print_items(Context& context, const FlowStepState& step) {
    if (context.json()) return print_items_json(context, step);
    const Timestamp now = context.store_now();
    const auto time = [&](const std::optional<Timestamp>& at) {
        return at ? clock_time(*at, now) : std::string();
    };
    Table table({{.title = "ITEM", .right = true},
                 {.title = "STATE"},
                 {.title = "BEGAN"},
                 {.title = "ENDED"},
                 {.title = "ATTEMPT", .right = true},
                 {.title = "WORKER", .least = 8},
                 remark_column("REMARK")});
    for (const FlowItemState& item : step.items) {
        table.add({std::to_string(item.item),
                   std::string(to_string(item.state)),
                   time(item.began_at),
                   time(item.ended_at),
                   std::to_string(item.attempt),
                   item.worker,
                   remark_of(item, now)});
    }
    context.print(table.render(context.terminal()));
}

Exit run_items(Context& context, const std::string& id, const std::string& which) {
    const FlowStates states = or_throw(flow_states(context.client(), context.name(id)));
    const auto step = std::ranges::find(states.steps, which, &FlowStepState::id);
    if (step == states.steps.end()) {
        throw Problem(Exit::not_found,
                      "the flow " + safe(states.flow) + " has no step '" + safe(which) + "'",
                      "'belay graph ID' shows its steps");
    }
    print_items(context, *step);
    return Exit::ok;
}

Exit run_graph(Context& context, const Arguments& arguments) {
    const std::string& what = arguments.operand(0);
    if (const auto step = arguments.value("items")) return run_items(context, what, *step);
    const RunView view =
        is_file(context, what) ? view_of_file(context, what) : view_of_run(context, what);
    if (const auto path = arguments.value("svg")) {
        const std::string picture = svg_of(picture_of(view));
        if (*path == "-") {
            context.print(picture);
        } else {
            write_file(*path, picture);
        }
        return Exit::ok;
    }
    if (context.json()) {
        print_json(context, view);
        return Exit::ok;
    }
    const Terminal& terminal = context.terminal();
    // Nothing is cut where nobody looks.
    const std::size_t width = terminal.out_is_terminal ? terminal.width : 10'000;
    if (!view.id.empty()) {
        context.print_line(safe(view.flow) + "  " + safe(view.id) + "  " +
                           std::string(to_string(view.status)));
        const std::string early = early_end_text(view.ended_by, view.ended_why);
        if (!early.empty()) context.print_line(early);
    }
    for (const std::string& line : graph_lines(view, terminal, width, context.now())) {
        context.print_line(line);
    }
    return Exit::ok;
}

}  // namespace

Command graph_command() {
    return {
        .name = "graph",
        .summary = "Draw the graph of a flow, or of a run with its states",
        .operands = {{.name = "FILE|ID",
                      .help = "a file with a definition, or the id of a run",
                      .file = true}},
        .options = {{.name = "svg",
                     .value = "OUT",
                     .help = "write a picture into this file, or to the standard output for -",
                     .file = true},
                    {.name = "items",
                     .value = "STEP",
                     .help = "of a run: list the items of this step, which is a map"}},
        .examples = {{"belay graph build.yaml", ""},
                     {"belay graph backup-7", "a run, with the state of each step"},
                     {"belay graph backup-7 --json", "with times, attempts, workers and waits"},
                     {"belay graph backup-7 --items dump", "every item of the step dump"},
                     {"belay graph build.yaml --svg build.svg", ""}},
        .run = run_graph,
    };
}

}  // namespace belay::cli
