#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/many.hpp"
#include "cli/filter.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <utility>

namespace belay::cli {

namespace {

/// Instances between two signs of progress: as many as share a commit, unless their chains are
/// long.
constexpr std::uint32_t kPrunedAtOnce = Policy().bulk_batch;

/// True if an option can match only instances that have not ended.
bool means_running(const Arguments& arguments) {
    if (arguments.has("held")) return true;
    const auto statuses = arguments.values("status");
    return std::any_of(statuses.begin(), statuses.end(), [](const std::string& status) {
        return status == "pending" || status == "running" || status == "canceling";
    });
}

/// Defines old executions, among those that had ended by `now`: later ones were not counted.
PruneOptions prune_options(const Arguments& arguments, Timestamp now) {
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
    Timestamp bound = now + Millis(1);
    if (older) bound = std::min(bound, now - *older);
    if (before) bound = std::min(bound, *before);
    return options.completed_before(bound).include_running(arguments.has("include-running") ||
                                                           means_running(arguments));
}

Before counts_of(const PruneResult& result) {
    return {{"instances", result.instances},
            {"executions", result.executions},
            {"events", result.events}};
}

std::string line_of(const PruneResult& result) {
    return "pruned " + counted(result.executions, "execution") + " with " +
           counted(result.events, "event") + " of " + counted(result.instances, "instance");
}

Exit print_pruned(Context& context, const PruneResult& result) {
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        for (const auto& [what, count] : counts_of(result)) document.field(what, count);
        document.close_object();
        context.print(document);
    } else {
        context.print_line(line_of(result));
    }
    return Exit::ok;
}

Exit print_preview(Context& context, const PrunePreview& found) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("instances", found.ids.size())
            .field("executions", found.executions)
            .close_object();
        context.print(document);
    } else {
        context.print_line(counted(found.executions, "execution") + " of " +
                           counted(found.ids.size(), "instance") + " would go");
    }
    return Exit::ok;
}

Exit prune_named(Context& context, const Arguments& arguments, PruneOptions options) {
    const InstanceName name = context.name(arguments.operand(0));
    (void)or_throw(context.client().inspect(name));
    options.include_running();
    const PrunePreview found = or_throw(context.client().preview_prune_bulk(
        InstanceFilter().space(name.space).ids({name.id}), options));
    if (arguments.has("dry-run")) return print_preview(context, found);
    if (found.executions > 0) {
        context.confirm(arguments,
                        "Remove " + counted(found.executions, "old execution") + " of '" +
                            safe(name.id) + "' for good?");
    }
    return print_pruned(context, or_throw(context.client().prune_executions(name, options)));
}

Exit prune_matching(Context& context, const Arguments& arguments, const PruneOptions& options) {
    InstanceFilter filter = filter_but_ends_of(context, arguments);
    filter.limit(number_option(arguments, "limit").value_or(UINT32_MAX));
    const PrunePreview found = or_throw(context.client().preview_prune_bulk(filter, options));
    if (arguments.has("dry-run")) return print_preview(context, found);
    if (found.executions > 0) {
        context.confirm(arguments,
                        "Remove " + counted(found.executions, "old execution") + " of " +
                            counted(found.ids.size(), "instance") + " for good?");
    }
    PruneResult sum;
    Progress progress(context.terminal());
    const std::vector<std::string>& ids = found.ids;
    for_each_piece(filter, ids, kPrunedAtOnce, [&](const InstanceFilter& piece, std::size_t seen) {
        const auto pruned = context.client().prune_executions_bulk(piece, options);
        if (!pruned) {
            throw stopped_problem(
                pruned.error(), sum.executions == 0 ? "" : line_of(sum), counts_of(sum));
        }
        sum.instances += pruned->instances;
        sum.executions += pruned->executions;
        sum.events += pruned->events;
        progress.say("pruned " + counted(sum.executions, "execution") + ", looked at " +
                     std::to_string(seen) + " of " + counted(found.ids.size(), "instance"));
    });
    return print_pruned(context, sum);
}

Exit run_prune(Context& context, const Arguments& arguments) {
    const bool many = arguments.has("all") || has_any(arguments, filter_options_but_ends());
    if (many != arguments.operands().empty()) {
        throw usage_problem(many ? "name an instance, or say which match, but not both"
                                 : "nothing says which instances to prune",
                            "give an id, or a filter such as --definition Meter; --all for all of "
                            "the namespace");
    }
    for (const char* of_many : {"limit", "include-running"}) {
        if (many || !arguments.has(of_many)) continue;
        throw usage_problem("--" + std::string(of_many) + " is for many instances, not for one",
                            "leave it out: of an instance that is named, running or not, all old "
                            "executions go");
    }
    const PruneOptions options = prune_options(arguments, context.store_now());
    return many ? prune_matching(context, arguments, options)
                : prune_named(context, arguments, options);
}

}  // namespace

Command prune_command() {
    std::vector<Option> options{
        {.name = "all", .help = "executions of all instances of the namespace"},
        {.name = "keep-last", .value = "N", .help = "keep the last N executions of each instance"},
        {.name = "older-than",
         .value = "DURATION",
         .help = "executions that ended at least this long ago"},
        {.name = "ended-before", .value = "TIME", .help = "executions that ended before this time"},
        {.name = "include-running",
         .help = "with a filter: executions of instances that have not ended too"},
        {.name = "dry-run", .help = "only print how many would be removed"},
        {.name = "limit", .value = "N", .help = "with a filter: at most N instances"},
        yes_option()};
    const std::vector<Option> filters = filter_options_but_ends();
    options.insert(options.end(), filters.begin(), filters.end());
    return {
        .name = "prune",
        .summary = "Remove old executions of instances that continue as new",
        .details =
            "The current execution always stays, and the instance with it. Removes an execution if "
            "all "
            "options are true for it and for its instance. Shows first how many there are, and "
            "asks.",
        .operands =
            {{.name = "ID", .help = "the id of the instance", .required = false, .instance = true}},
        .options = std::move(options),
        .examples = {{"belay prune meter-1 --keep-last 10", ""},
                     {"belay prune --definition Meter --keep-last 10 --include-running --dry-run",
                      ""},
                     {"belay prune --all --older-than 30d --include-running --yes", ""}},
        .run = run_prune,
    };
}

}  // namespace belay::cli
