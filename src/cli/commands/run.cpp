#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/follow.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/run_start.hpp"

#include <utility>
#include <vector>

namespace belay::cli {

namespace {

RunWish wish_of(Context& context, const Pipeline& pipeline, const Arguments& arguments) {
    RunWish wish;
    wish.is_new = arguments.has("new");
    wish.join = arguments.value_or("join", "");
    wish.id = arguments.value_or("id", "");
    const bool has_params = arguments.has("param") || arguments.has("params");
    if (!wish.join.empty() && (wish.is_new || !wish.id.empty() || has_params)) {
        throw usage_problem("--join goes on with a run as it is",
                            "leave out --new, --id, --param and --params");
    }
    if (wish.join.empty()) {
        wish.params = given_params(context,
                                   pipeline.bundle.main_flow(),
                                   arguments.values("param"),
                                   arguments.value_or("params", ""));
    }
    return wish;
}

Exit run_run(Context& context, const Arguments& arguments) {
    FollowOptions options = follow_options_of(context, arguments);
    const Pipeline pipeline = require_pipeline(context, arguments.operand(0));
    const RunWish wish = wish_of(context, pipeline, arguments);
    use_store_of(context, pipeline);
    options.directory = pipeline.folder;
    options.file = pipeline.path;
    (void)context.store(Opening::create);
    const ChosenFlowRun chosen = choose_run(context, pipeline, wish);
    return follow(context, chosen, options);
}

}  // namespace

Command run_command() {
    std::vector<Option> options{
        {.name = "param",
         .value = "NAME=VALUE",
         .help = "a param of the flow; a list or a map as JSON",
         .repeats = true,
         .letter = 'p'},
        {.name = "params",
         .value = "FILE",
         .help = "params from a file: an object of JSON",
         .file = true},
        {.name = "new", .help = "start another run, also while one is under way"},
        {.name = "join",
         .value = "ID",
         .help = "go on with this run, whatever its params",
         .instance = true},
        {.name = "id",
         .value = "ID",
         .help = "the id of the run. Default: NAME-1, NAME-2 and so on"}};
    const std::vector<Option> follows = follow_words();
    options.insert(options.end(), follows.begin(), follows.end());
    return {
        .name = "run",
        .summary = "Run a flow from a file, and go on with it after a crash",
        .details =
            "Starts a run of the flow, works on it in this process and shows it until its end. "
            "Killed in any way, the same command goes on where it was: it joins the run that is "
            "under way with the same params. After the end it starts a new one. Without a named "
            "store the runs are kept in .belay/NAME.db beside the file. Ctrl-C cancels the run, "
            "twice leaves at once. Programs run in the folder of the file. Flows that it starts "
            "are read from NAME.yaml, NAME.yml or "
            "NAME.json beside the file. Exits with 0 if the run completed or was skipped, with 1 "
            "if it failed, with 8 if it was canceled, with 6 if its time was over, with 9 if the "
            "file has mistakes, with 4 if a run with other params is under way, with 10 if it "
            "left before the end.",
        .operands = {{.name = "FILE", .help = "the definition, in YAML or JSON", .file = true}},
        .options = std::move(options),
        .examples = {{"belay run build.yaml", ""},
                     {"belay run backup.yaml -p keep=3 -p 'hosts=[\"db1\"]'", "params"},
                     {"belay run build.yaml --json > changes.jsonl", "for a script"}},
        .run = run_run,
    };
}

}  // namespace belay::cli
