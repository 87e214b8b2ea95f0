#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/many.hpp"
#include "cli/filter.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace belay::cli {

namespace {

/// Instances between two signs of progress: as many as share a commit, so that the deleted ones are
/// known if it fails.
constexpr std::uint32_t kDeletedAtOnce = Policy().bulk_batch;

void add_counts(DeleteCounts& sum, const DeleteCounts& more) {
    sum.instances += more.instances;
    sum.executions += more.executions;
    sum.events += more.events;
    sum.messages += more.messages;
}

std::string why_they_stay(std::uint64_t count) {
    return counted(count, "more instance") +
           (count == 1 ? " matches and stays" : " match and stay") +
           ": something below has not ended";
}

Before counts_of(const DeleteCounts& counts) {
    return {{"instances", counts.instances},
            {"executions", counts.executions},
            {"events", counts.events},
            {"messages", counts.messages}};
}

std::string line_of(const DeleteCounts& counts) {
    return "deleted " + counted(counts.instances, "instance") + " with " +
           counted(counts.executions, "execution") + ", " + counted(counts.events, "event") +
           " and " + counted(counts.messages, "message");
}

/// `stay`: the number that matched the filter and were not to be deleted.
Exit print_deleted(Context& context,
                   const DeleteCounts& counts,
                   std::optional<std::uint64_t> stay = std::nullopt) {
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        for (const auto& [what, count] : counts_of(counts)) document.field(what, count);
        if (stay) document.field("stay", *stay);
        document.close_object();
        context.print(document);
    } else {
        context.print_line(line_of(counts));
        if (stay.value_or(0) > 0) context.print_line(why_they_stay(*stay));
    }
    return Exit::ok;
}

/// Asks about the instances that would go.
std::string question_about(Context& context, const std::vector<std::string>& ids, bool force) {
    std::size_t below = 0;
    for (const std::string& id : ids) {
        below += or_throw(context.client().get_instance_tree(context.name(id))).size() - 1;
    }
    std::string text = ids.size() == 1 ? "Delete '" + safe(ids.front()) + "'"
                                       : "Delete " + counted(ids.size(), "instance");
    if (below > 0) text += " and " + counted(below, "instance") + " below";
    return text + (force ? " for good, running or not?" : " for good?");
}

/// Each is a commit of its own: those deleted before the error are not there any more.
Problem stopped_at(const Error& error, const std::string& gone, const DeleteCounts& counts) {
    Problem problem = problem_of(error);
    if (gone.empty()) return problem;
    return Problem(problem.exit(),
                   std::string(problem.what()) + "; deleted before that: " + gone,
                   problem.advice(),
                   counts_of(counts));
}

std::string quoted(const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "'" : ", '") + safe(id) + "'";
    return text;
}

/// Exactly these, in one commit.
Exit delete_together(Context& context, const Arguments& arguments) {
    const bool force = arguments.has("force");
    const std::vector<std::string>& ids = arguments.operands();
    constexpr std::size_t kMostNamed = 10;
    const std::string which =
        ids.size() <= kMostNamed ? quoted(ids) : "these " + counted(ids.size(), "instance");
    context.confirm(arguments,
                    "Delete exactly " + which + " for good" + (force ? ", running or not?" : "?"));
    return print_deleted(context,
                         or_throw(context.client().delete_instances_atomic(
                             context.space(), ids, force, arguments.value_or("request-id", ""))));
}

Exit delete_named(Context& context, const Arguments& arguments) {
    const bool force = arguments.has("force");
    const std::vector<std::string>& ids = arguments.operands();
    const auto request = arguments.value("request-id");
    if (arguments.has("dry-run") || arguments.has("limit")) {
        throw usage_problem("--dry-run and --limit are for filters",
                            "'belay tree ID' shows what would go with an instance");
    }
    if (arguments.has("atomic")) return delete_together(context, arguments);
    if (request && ids.size() > 1) {
        throw usage_problem("a --request-id is for one deletion",
                            "delete one instance at a time, or all of them together: --atomic");
    }
    // Not looked at when nobody is asked: a repeated request finds nothing there any more.
    if (!arguments.has("yes")) context.confirm(arguments, question_about(context, ids, force));
    DeleteCounts sum;
    std::vector<std::string> gone;
    for (const std::string& id : ids) {
        const auto deleted =
            context.client().delete_instance(context.name(id), force, request.value_or(""));
        if (!deleted) throw stopped_at(deleted.error(), quoted(gone), sum);
        add_counts(sum, *deleted);
        gone.push_back(id);
    }
    return print_deleted(context, sum);
}

/// Throws a Problem if a status is one that roots that have ended never have.
void check_can_match(const Arguments& arguments) {
    for (const std::string& status : arguments.values("status")) {
        if (status == "pending" || status == "running" || status == "canceling") {
            throw usage_problem("by a filter only what has ended is deleted, not what is " + status,
                                "cancel it first, or delete it by its id with --force");
        }
    }
    if (arguments.has("held")) {
        throw usage_problem("by a filter only what has ended is deleted, and what is held has not",
                            "end it first with 'belay held fail', or delete it by its id with "
                            "--force");
    }
    if (arguments.has("parent")) {
        throw usage_problem("by a filter only roots are deleted, and what has a --parent is none",
                            "children go with their root: delete that by its id");
    }
}

/// Those that match and have ended by `now`: a namesake that is started and ends while a question
/// waits is another.
InstanceFilter ended_by(Context& context, const Arguments& arguments, Timestamp now) {
    check_can_match(arguments);
    InstanceFilter filter = filter_of(context, arguments);
    const Timestamp by_now = now + Millis(1);
    filter.ended_before(std::min(filter.match().ended.before.value_or(by_now), by_now));
    return filter;
}

Exit delete_matching(Context& context, const Arguments& arguments) {
    if (arguments.has("force") || arguments.has("atomic") || arguments.has("request-id")) {
        throw usage_problem("--force, --atomic and --request-id are for instances that are named");
    }
    InstanceFilter filter = ended_by(context, arguments, context.store_now());
    const DeletionPreview found = or_throw(context.client().preview_delete_bulk(
        filter.limit(number_option(arguments, "limit").value_or(UINT32_MAX))));
    const std::vector<std::string>& ids = found.ids;
    const std::string stays = found.still_needed == 0 ? "" : why_they_stay(found.still_needed);
    if (arguments.has("dry-run")) {
        if (context.json()) {
            JsonWriter document;
            document.open_object()
                .field("matching", ids.size() + found.still_needed)
                .field("would_go", ids.size())
                .field("stay", found.still_needed)
                .close_object();
            context.print(document);
        } else {
            context.print_line(counted(ids.size(), "instance") +
                               " would go, with all that is below");
            if (!stays.empty()) context.print_line(stays);
        }
        return Exit::ok;
    }
    if (!ids.empty()) {
        context.confirm(arguments,
                        "Delete " + counted(ids.size(), "instance") +
                            " with all that is below, for good?" +
                            (stays.empty() ? "" : " (" + stays + ".)"));
    }
    DeleteCounts sum;
    Progress progress(context.terminal());
    for_each_piece(filter, ids, kDeletedAtOnce, [&](const InstanceFilter& piece, std::size_t seen) {
        const auto deleted = context.client().delete_instance_bulk(piece);
        if (!deleted) {
            throw stopped_problem(
                deleted.error(), sum.instances == 0 ? "" : line_of(sum), counts_of(sum));
        }
        add_counts(sum, *deleted);
        progress.say("deleted " + std::to_string(sum.instances) + ", looked at " +
                     std::to_string(seen) + " of " + std::to_string(ids.size()));
    });
    return print_deleted(context, sum, found.still_needed);
}

Exit run_delete(Context& context, const Arguments& arguments) {
    if (arguments.has("cascade")) {
        if (arguments.has("atomic")) {
            throw usage_problem("--atomic deletes exactly the instances that are named",
                                "leave out --atomic: then all below them is deleted too");
        }
        context.terminal().err << "a deletion always takes all that is below: --cascade changes "
                                  "nothing\n";
    }
    const bool filtered = has_filter(arguments) || arguments.has("all");
    if (filtered != arguments.operands().empty()) {
        throw usage_problem(filtered ? "name instances, or say which match, but not both"
                                     : "nothing says what to delete",
                            "give ids, or a filter such as --status failed --older-than 30d; "
                            "--all for everything that has ended");
    }
    return filtered ? delete_matching(context, arguments) : delete_named(context, arguments);
}

}  // namespace

Command delete_command() {
    std::vector<Option> options{
        {.name = "force", .help = "delete instances that run too; none of their cleanup runs"},
        {.name = "atomic",
         .help = "with ids: delete exactly these or none, in one commit; name children before "
                 "their parents"},
        {.name = "cascade", .help = "delete all that is below too; a deletion always does that"},
        {.name = "all", .help = "all instances of the namespace that have ended"},
        {.name = "dry-run", .help = "with a filter: only print how many would be deleted"},
        {.name = "limit", .value = "N", .help = "with a filter: at most N"},
        request_id_option(),
        yes_option()};
    const std::vector<Option> filters = filter_options();
    options.insert(options.end(), filters.begin(), filters.end());
    return {
        .name = "delete",
        .summary = "Delete instances with everything that belongs to them",
        .details =
            "With ids: deletes each instance with all below it, in one commit. With a filter: "
            "shows how many roots match and have ended, and asks. A root stays if something below "
            "it has not ended. A child is only deleted with its root.",
        .operands = {ids_operand()},
        .options = std::move(options),
        .examples = {{"belay delete order-9", ""},
                     {"belay delete --atomic order-9/ship order-9", "a tree as it was seen"},
                     {"belay delete --status completed --older-than 30d", ""},
                     {"belay delete --definition Import --yes --json", ""}},
        .run = run_delete,
    };
}

}  // namespace belay::cli
