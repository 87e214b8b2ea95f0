#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/filter.hpp"
#include "cli/text.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

constexpr std::uint32_t kListedAtOnce = 1'000;
/// So many between two signs of progress.
constexpr std::size_t kDeletedAtOnce = 500;

void add_counts(DeleteCounts& sum, const DeleteCounts& more) {
    sum.instances += more.instances;
    sum.executions += more.executions;
    sum.events += more.events;
    sum.messages += more.messages;
}

Exit print_deleted(Context& context, const DeleteCounts& counts) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("instances", counts.instances)
            .field("executions", counts.executions)
            .field("events", counts.events)
            .field("messages", counts.messages)
            .close_object();
        context.print(document);
    } else {
        context.print_line("deleted " + counted(counts.instances, "instance") + " with " +
                           counted(counts.executions, "execution") + ", " +
                           counted(counts.events, "event") + " and " +
                           counted(counts.messages, "message"));
    }
    return Exit::ok;
}

/// What would go, in a question.
std::string question_about(Context& context, const std::vector<std::string>& ids, bool force) {
    std::size_t below = 0;
    for (const std::string& id : ids) {
        below += must(context.client().get_instance_tree(context.name(id))).size() - 1;
    }
    std::string text = ids.size() == 1 ? "Delete '" + safe(ids.front()) + "'"
                                       : "Delete " + counted(ids.size(), "instance");
    if (below > 0) text += " and " + counted(below, "instance") + " below";
    return text + (force ? " for good, running or not?" : " for good?");
}

Exit delete_named(Context& context, const Arguments& arguments) {
    const bool force = arguments.has("force");
    const std::vector<std::string>& ids = arguments.operands();
    const auto request = arguments.value("request-id");
    if (request && ids.size() > 1) {
        throw usage_problem("a --request-id is for one deletion; delete one instance at a time");
    }
    if (arguments.has("dry-run") || arguments.has("limit")) {
        throw usage_problem("--dry-run and --limit are for filters",
                            "'belay tree ID' shows what would go with an instance");
    }
    // Not looked at when nobody is asked: a repeated request finds nothing there any more.
    if (!arguments.has("yes")) context.confirm(arguments, question_about(context, ids, force));
    DeleteCounts sum;
    for (const std::string& id : ids) {
        add_counts(
            sum,
            must(context.client().delete_instance(context.name(id), force, request.value_or(""))));
    }
    return print_deleted(context, sum);
}

/// The roots that match and have ended.
std::vector<std::string> matching_ids(Context& context, const Arguments& arguments) {
    ListOptions options = filter_of(context, arguments);
    options.roots_only();
    if (!arguments.has("status")) {
        for (const Status status :
             {Status::completed, Status::failed, Status::canceled, Status::skipped}) {
            options.status(status);
        }
    }
    for (const std::string& status : arguments.values("status")) {
        if (status == "pending" || status == "running" || status == "canceling") {
            throw usage_problem("by a filter only what has ended is deleted, not what is " + status,
                                "cancel it first, or delete it by its id with --force");
        }
    }
    const std::size_t limit = number_option(arguments, "limit").value_or(UINT32_MAX);
    std::vector<std::string> ids;
    Progress progress(context.terminal());
    std::string next;
    do {
        options.page_size(kListedAtOnce);
        options.after(next);
        const InstancePage page = must(context.client().list(options));
        for (const ListedInstance& listed : page.instances) {
            if (ids.size() < limit) ids.push_back(listed.instance.name.id);
        }
        next = page.next;
        progress.say("found " + std::to_string(ids.size()));
    } while (!next.empty() && ids.size() < limit);
    return ids;
}

Exit delete_matching(Context& context, const Arguments& arguments) {
    if (arguments.has("force") || arguments.has("request-id")) {
        throw usage_problem("--force and --request-id are for instances that are named");
    }
    // What has ended by now: a namesake that is started and ends while the question waits is
    // another.
    const Timestamp listed_at = context.store().now();
    const std::vector<std::string> ids = matching_ids(context, arguments);
    if (arguments.has("dry-run")) {
        if (context.json()) {
            JsonWriter document;
            document.open_object().field("matching", ids.size()).close_object();
            context.print(document);
        } else {
            context.print_line(counted(ids.size(), "instance") +
                               " would go, with all that is below");
        }
        return Exit::ok;
    }
    if (!ids.empty()) {
        context.confirm(
            arguments,
            "Delete " + counted(ids.size(), "instance") + " with all that is below, for good?");
    }
    DeleteCounts sum;
    Progress progress(context.terminal());
    for (std::size_t at = 0; at < ids.size(); at += kDeletedAtOnce) {
        const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end =
            begin + static_cast<std::ptrdiff_t>(std::min(kDeletedAtOnce, ids.size() - at));
        InstanceFilter filter;
        filter.space(context.space())
            .ids({begin, end})
            .completed_before(listed_at + Millis(1))
            .limit(kDeletedAtOnce);
        add_counts(sum, must(context.client().delete_instance_bulk(filter)));
        progress.say("deleted " + std::to_string(sum.instances) + ", looked at " +
                     std::to_string(end - ids.begin()) + " of " + std::to_string(ids.size()));
    }
    return print_deleted(context, sum);
}

Exit run_delete(Context& context, const Arguments& arguments) {
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
        {.name = "force", .help = "also what runs: it is stopped, and no cleanup runs"},
        {.name = "all", .help = "everything of the namespace that has ended"},
        {.name = "dry-run", .help = "by a filter: only say how many would go"},
        {.name = "limit", .value = "N", .help = "by a filter: at most so many"},
        request_id_option(),
        yes_option()};
    const std::vector<Option> filters = filter_options();
    options.insert(options.end(), filters.begin(), filters.end());
    return {
        .name = "delete",
        .summary = "Delete instances with everything that belongs to them",
        .details =
            "By id: each with all below it, in one commit. By a filter: roots that have "
            "ended and match, after their number was shown; what is running below keeps "
            "one. Children go with their root only.",
        .operands =
            {{.name = "ID", .help = "the instances' ids", .required = false, .repeats = true}},
        .options = std::move(options),
        .examples = {{"belay delete order-9", ""},
                     {"belay delete --status completed --older-than 30d", ""},
                     {"belay delete --definition Import --yes --json", ""}},
        .run = run_delete,
    };
}

}  // namespace belay::cli
