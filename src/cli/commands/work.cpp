#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/apply_schedules.hpp"
#include "cli/flow/flow_worker.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/stop_signals.hpp"
#include "cli/text.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay::cli {

namespace {

/// A signal is seen so late at most.
constexpr Millis kSignalDelay{100};

std::vector<Pipeline> pipelines_of(Context& context, const Arguments& arguments) {
    std::vector<Pipeline> pipelines;
    pipelines.reserve(arguments.operands().size());
    for (const std::string& path : arguments.operands()) {
        pipelines.push_back(require_pipeline(context, path));
    }
    if (pipelines.empty() || context.has_store()) return pipelines;
    if (pipelines.size() > 1) {
        throw usage_problem("several files need a store that they share",
                            "say --store sqlite:PATH");
    }
    use_store_of(context, pipelines.front());
    return pipelines;
}

FlowWorkerOptions worker_options(Context& context,
                                 const Arguments& arguments,
                                 const std::vector<Pipeline>& pipelines) {
    FlowWorkerOptions options;
    options.name = "belay work";
    options.workers = number_option(arguments, "workers");
    if (options.workers && (*options.workers == 0 || *options.workers > 1'000)) {
        throw usage_problem("--workers is a number from 1 to 1000");
    }
    // Runs of a store execute whatever they were started with. A file that is named is trusted.
    options.programs = arguments.has("allow-exec") || !pipelines.empty();
    options.directory = arguments.value_or(
        "directory",
        pipelines.empty() ? context.environment().directory : pipelines.front().folder);
    options.schedules = true;
    return options;
}

void note(Context& context, const char* what, const std::string& text) {
    if (context.json()) {
        JsonWriter line;
        line.open_object().field("event", what).field("text", text).close_object();
        context.print(line);
    } else {
        context.print_line(safe(text));
    }
    context.terminal().out.flush();
}

/// Waits until the process is told to stop. Prints warnings meanwhile.
void wait_for_the_end(Context& context, FlowWorker& worker, Bell& bell) {
    while (!StopSignals::terminated() && StopSignals::interrupts() == 0) {
        (void)bell.wait(kSignalDelay);
        (void)worker.feed().take();  // Nobody looks at them here: they are kept with their runs.
        for (const std::string& warning : worker.feed().take_warnings()) {
            note(context, "warning", warning);
        }
    }
}

Exit run_work(Context& context, const Arguments& arguments) {
    const std::vector<Pipeline> pipelines = pipelines_of(context, arguments);
    const FlowWorkerOptions options = worker_options(context, arguments, pipelines);
    (void)context.store(pipelines.empty() && !arguments.has("create") ? Opening::existing
                                                                      : Opening::create);
    for (const Pipeline& pipeline : pipelines) {
        print_applied(context, apply_schedules(context, pipeline, context.user()));
    }
    const StopSignals signals;
    const auto bell = std::make_shared<Bell>();
    FlowWorker worker(context, options, bell);
    note(context,
         "working",
         options.programs ? "works on flows and schedules; programs run in " + options.directory
                          : "works on flows and schedules, but runs no programs: see --allow-exec");
    wait_for_the_end(context, worker, *bell);
    worker.stop();
    note(context, "stopped", "stopped; what was under way goes on with the next worker");
    return Exit::ok;
}

}  // namespace

Command work_command() {
    return {
        .name = "work",
        .summary = "Work on flows and schedules until told to stop",
        .details =
            "Runs the flows of a store and keeps its schedules, until Ctrl-C or SIGTERM. Any "
            "number of them may work on one store. With files, adds or updates the schedules that "
            "they have, as 'belay schedules apply' does, and runs their programs in the folder of "
            "the first one. Without a file, runs programs only with --allow-exec: a run executes "
            "whatever it was started with. Without a named store it is .belay/NAME.db beside the "
            "file, else the only one in the folder .belay here. Killed in any way, each tick still "
            "starts one run, and runs under way go on with the next worker.",
        .operands = {{.name = "FILE",
                      .help = "definitions, in YAML or JSON",
                      .required = false,
                      .repeats = true,
                      .file = true}},
        .options = {{.name = "allow-exec", .help = "run programs, also without a file"},
                    {.name = "directory",
                     .value = "DIR",
                     .help = "run programs in this folder. Default: that of the first file, else "
                             "the current one",
                     .file = true},
                    {.name = "workers",
                     .value = "N",
                     .help = "run at most N steps at once. Default: 64"},
                    {.name = "create", .help = "create the file of the store if there is none"}},
        .examples = {{"belay work backup.yaml", "keep its schedules, and run what they start"},
                     {"belay work --store sqlite:/var/lib/flows.db --allow-exec", "a service"}},
        .run = run_work,
    };
}

}  // namespace belay::cli
