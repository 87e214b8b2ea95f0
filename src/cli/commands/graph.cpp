#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/live_view.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/run_reader.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "graph/svg.hpp"

#include <filesystem>

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
    if (step.attempt != 0) out.field("attempt", step.attempt).field("attempts", step.attempts);
    if (!step.why.empty()) out.field("why", step.why);
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
    if (!view.id.empty()) out.field("run", view.id).field("status", to_string(view.status));
    out.key("lists").open_array();
    for (const ListView& list : view.lists) {
        out.open_object().field("name", list.name).key("steps").open_array();
        for (std::size_t i = 0; i < list.steps.size(); ++i) write_step(out, list, i);
        out.close_array().close_object();
    }
    out.close_array().close_object();
    context.print(out);
}

Exit run_graph(Context& context, const Arguments& arguments) {
    const std::string& what = arguments.operand(0);
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
                     .file = true}},
        .examples = {{"belay graph build.yaml", ""},
                     {"belay graph backup-7", "a run, with the state of each step"},
                     {"belay graph build.yaml --svg build.svg", ""}},
        .run = run_graph,
    };
}

}  // namespace belay::cli
