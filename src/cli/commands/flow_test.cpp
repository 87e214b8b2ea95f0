// Tests of flows: belay flow test.
#include "cli/commands/flow_commands.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include "flow/definition/limits.hpp"
#include "flow/definition/reading.hpp"
#include "flow/testing/case_run.hpp"
#include "flow/testing/read_cases.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace belay::cli {

namespace {

struct TestFile {
    std::string path;
    flow::FlowCases cases;
    flow::Bundle bundle;
};

Problem mistakes_in(const std::vector<PlacedProblem>& problems) {
    std::string text = counted(problems.size(), "mistake") + " in the test file and its flow:";
    for (const PlacedProblem& placed : problems) text += "\n" + problem_lines(placed);
    return Problem(Exit::invalid, text);
}

/// Returns the path of the flow that a test file names.
std::string flow_path(const std::string& path, const std::string& flow) {
    const std::filesystem::path named(flow);
    if (named.is_absolute()) return named.string();
    return (std::filesystem::path(path).parent_path() / named).string();
}

TestFile require_test_file(Context& context, const std::string& path) {
    TestFile file;
    file.path = path;
    flow::ReadCases cases = flow::read_cases(read_content(context, path, flow::kMostSource));
    file.cases = std::move(cases.file);
    std::vector<PlacedProblem> problems;
    if (!file.cases.flow.empty()) {
        PipelineRead read = read_pipeline(context, flow_path(path, file.cases.flow));
        problems = std::move(read.problems);
        if (read.pipeline) {
            file.bundle = std::move(read.pipeline->bundle);
            const flow::Problems wrong = flow::check_cases(file.cases, file.bundle);
            cases.problems.insert(cases.problems.end(), wrong.begin(), wrong.end());
        }
    }
    flow::sort_problems(cases.problems);
    for (const flow::Problem& problem : cases.problems) problems.push_back({path, problem});
    if (!problems.empty()) throw mistakes_in(problems);
    return file;
}

void print_result(Context& context,
                  const TestFile& file,
                  const flow::FlowCase& one,
                  const flow::CaseResult& result) {
    const bool good = result.differences.empty();
    if (context.json()) {
        JsonWriter line;
        line.open_object().field("file", file.path).field("case", one.name).field("passed", good);
        line.field("status", to_string(result.status)).field("took_ms", result.took.count());
        line.key("differences").open_array();
        for (const flow::CaseDifference& difference : result.differences) {
            line.open_object().field("line", difference.place.line);
            line.field("column", difference.place.column).field("message", difference.text);
            line.close_object();
        }
        line.close_array().close_object();
        context.print(line);
        return;
    }
    context.print_line((good ? "passed  " : "FAILED  ") + safe(one.name));
    for (const flow::CaseDifference& difference : result.differences) {
        flow::Problem problem;
        problem.place = difference.place;
        problem.message = difference.text;
        context.print_line("    " + safe_lines(problem_lines(PlacedProblem{file.path, problem})));
    }
}

Exit run_flow_test(Context& context, const Arguments& arguments) {
    const auto wanted = arguments.values("case");
    std::vector<TestFile> files;
    files.reserve(arguments.operands().size());
    for (const std::string& path : arguments.operands()) {
        files.push_back(require_test_file(context, path));
    }
    std::size_t passed = 0;
    std::size_t failed = 0;
    for (const TestFile& file : files) {
        for (const flow::FlowCase& one : file.cases.cases) {
            const bool is_wanted =
                wanted.empty() || std::ranges::find(wanted, one.name) != wanted.end();
            if (!is_wanted) continue;
            const flow::CaseResult result = flow::run_case(file.bundle, one);
            ++(result.differences.empty() ? passed : failed);
            print_result(context, file, one, result);
        }
    }
    if (passed + failed == 0) throw Problem(Exit::not_found, "there is no such case");
    if (!context.json()) {
        context.print_line(std::to_string(passed) + " passed, " + std::to_string(failed) +
                           " failed");
    }
    return failed == 0 ? Exit::ok : Exit::failed;
}

}  // namespace

Command flow_test_command() {
    return {
        .name = "test",
        .summary = "Test flows: steps give results of their cases, and no time passes",
        .details =
            "A test file names a flow and has cases: params, results or failures of steps, events "
            "and answers, and the end that is expected. Nothing is run, sent or kept. Sleeps, "
            "retries and timeouts take no time. Exits with 1 if a case fails, with 9 if a file "
            "has mistakes. See docs/guides/flows.md for the form of a test file.",
        .operands = {{.name = "FILE",
                      .help = "test files, in YAML or JSON",
                      .repeats = true,
                      .file = true}},
        .options = {{.name = "case",
                     .value = "NAME",
                     .help = "run only this case; may be repeated",
                     .repeats = true}},
        .examples = {{"belay flow test backup.test.yaml", ""},
                     {"belay flow test flows/*.test.yaml --json", "for a script"}},
        .run = run_flow_test,
    };
}

}  // namespace belay::cli
