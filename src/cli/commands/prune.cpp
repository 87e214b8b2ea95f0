#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/text.hpp"

namespace belay::cli {

namespace {

PruneOptions prune_options(Context& context, const Arguments& arguments) {
    PruneOptions options;
    const auto keep = number_option(arguments, "keep-last");
    const auto older = duration_option(arguments, "older-than");
    const auto before = time_option(arguments, "ended-before");
    if (older && before) {
        throw usage_problem("--older-than and --ended-before say the same in two ways");
    }
    if (!keep && !older && !before) {
        throw usage_problem("nothing says which executions are old",
                            "say --keep-last N, --older-than DURATION or --ended-before TIME; "
                            "--keep-last 1 keeps the current one only");
    }
    if (keep) options.keep_last(*keep);
    if (older) options.completed_before(context.store().now() - *older);
    if (before) options.completed_before(*before);
    return options.include_running(arguments.has("include-running"));
}

Exit print_pruned(Context& context, const PruneResult& result) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("instances", result.instances)
            .field("executions", result.executions)
            .field("events", result.events)
            .close_object();
        context.print(document);
    } else {
        context.print_line("pruned " + counted(result.executions, "execution") + " with " +
                           counted(result.events, "event") + " of " +
                           counted(result.instances, "instance"));
    }
    return Exit::ok;
}

Exit run_prune(Context& context, const Arguments& arguments) {
    const bool all = arguments.has("all");
    if (all != arguments.operands().empty()) {
        throw usage_problem("say which instance to prune, or --all for those of the namespace");
    }
    const PruneOptions options = prune_options(context, arguments);
    if (!all) {
        const InstanceName name = context.name(arguments.operand(0));
        (void)must(context.client().inspect(name));
        context.confirm(arguments, "Remove old executions of '" + safe(name.id) + "' for good?");
        return print_pruned(context, must(context.client().prune_executions(name, options)));
    }
    context.confirm(
        arguments,
        "Remove old executions of all instances of '" + safe(context.space()) + "' for good?");
    InstanceFilter filter;
    filter.space(context.space());
    if (const auto limit = number_option(arguments, "limit")) filter.limit(*limit);
    return print_pruned(context, must(context.client().prune_executions_bulk(filter, options)));
}

}  // namespace

Command prune_command() {
    return {
        .name = "prune",
        .summary = "Remove old executions of instances that continue as new",
        .details =
            "The current execution always stays, and the instance with it. What is said "
            "must all be true of an execution that goes.",
        .operands = {{.name = "ID", .help = "the instance's id", .required = false}},
        .options = {{.name = "all", .help = "of all instances of the namespace"},
                    {.name = "keep-last", .value = "N", .help = "not the last so many"},
                    {.name = "older-than", .value = "DURATION", .help = "ended so long ago"},
                    {.name = "ended-before", .value = "TIME", .help = "ended before this"},
                    {.name = "include-running",
                     .help = "with --all: also of instances that have not ended"},
                    {.name = "limit",
                     .value = "N",
                     .help = "with --all: at most so many instances; else a thousand"},
                    yes_option()},
        .examples = {{"belay prune meter-1 --keep-last 10", ""},
                     {"belay prune --all --older-than 30d --include-running --yes", ""}},
        .run = run_prune,
    };
}

}  // namespace belay::cli
