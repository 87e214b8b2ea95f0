#include "cli/commands/all.hpp"
#include "cli/commands/flow_commands.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/text.hpp"

namespace belay::cli {

namespace {

void write_problem(JsonWriter& out, const PlacedProblem& placed) {
    out.open_object().field("file", placed.path);
    if (placed.problem.place != flow::kNoPlace) {
        out.field("line", placed.problem.place.line).field("column", placed.problem.place.column);
    }
    out.field("message", placed.problem.message);
    if (!placed.problem.advice.empty()) out.field("advice", placed.problem.advice);
    out.close_object();
}

void print_checked(Context& context, const std::string& path, const PipelineRead& read) {
    if (context.json()) {
        JsonWriter line;
        line.open_object().field("file", path).field("valid", read.problems.empty());
        if (read.pipeline) line.field("flow", read.pipeline->bundle.main);
        line.key("problems").open_array();
        for (const PlacedProblem& placed : read.problems) write_problem(line, placed);
        line.close_array().close_object();
        context.print(line);
        return;
    }
    for (const PlacedProblem& placed : read.problems) {
        context.print_line(safe_lines(problem_lines(placed)));
    }
    if (!read.pipeline) return;
    const flow::Definition& main = read.pipeline->bundle.main_flow();
    std::string line =
        safe(path) + ": flow " + main.name + ", " + counted(main.steps.size(), "step");
    const std::size_t others = read.pipeline->bundle.flows.size() - 1;
    if (others > 0) line += ", starts " + counted(others, "other flow");
    context.print_line(line);
}

Exit run_check(Context& context, const Arguments& arguments) {
    bool valid = true;
    std::string unreadable;
    for (const std::string& path : arguments.operands()) {
        try {
            const PipelineRead read = read_pipeline(context, path);
            print_checked(context, path, read);
            valid = valid && read.problems.empty();
        } catch (const Problem& problem) {
            unreadable += (unreadable.empty() ? "" : "\n") + std::string(problem.what());
        }
    }
    if (!unreadable.empty()) throw usage_problem(unreadable);
    return valid ? Exit::ok : Exit::invalid;
}

Command check_command() {
    return {
        .name = "check",
        .summary = "Check definitions of flows, and list all mistakes",
        .details =
            "Needs no store. A mistake is a line FILE:LINE:COLUMN: MESSAGE, with advice "
            "below it. The flows that a file starts are checked, too. Exits with 9 if there "
            "is a mistake.",
        .operands = {{.name = "FILE",
                      .help = "definitions, in YAML or JSON",
                      .repeats = true,
                      .file = true}},
        .examples = {{"belay flow check build.yaml", ""},
                     {"belay flow check flows/*.yaml --json", "for a script"}},
        .run = run_check,
    };
}

}  // namespace

Command flow_command() {
    return {
        .name = "flow",
        .summary = "Look after definitions of flows",
        .commands = {check_command(),
                     flow_test_command(),
                     flow_list_command(),
                     flow_show_command(),
                     flow_diff_command()},
    };
}

}  // namespace belay::cli
