#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/filter.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

namespace {

CancelOptions cancel_options(Context& context, const Arguments& arguments) {
    return CancelOptions()
        .by(arguments.value_or("by", context.user()))
        .reason(arguments.value_or("reason", ""))
        .request_id(arguments.value_or("request-id", ""));
}

Exit print_canceled(Context& context, const CancelResult& result) {
    const InstanceBrief& instance = result.instance;
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        write_brief(document, instance);
        document.field("changed", result.changed).close_object();
        context.print(document);
        return Exit::ok;
    }
    std::string line = safe(instance.name.id) + " is " + std::string(to_string(instance.status));
    if (!result.changed) {
        line += is_terminal(instance.status) ? "; it had ended before"
                                             : "; it had been canceled before";
    }
    context.print_line(line);
    return Exit::ok;
}

// ---- Many instances ----------------------------------------------------------------------------

bool means_many(const Arguments& arguments) {
    return arguments.has("all") || arguments.has("tree") || arguments.has("key") ||
           has_any(arguments, filter_options_but_ends());
}

InstanceFilter active_filter_of(Context& context, const Arguments& arguments) {
    for (const std::string& status : arguments.values("status")) {
        if (status == "pending" || status == "running" || status == "canceling") continue;
        throw usage_problem("only what has not ended can be canceled, not what is " + status,
                            "say --status pending or --status running, or no status");
    }
    InstanceFilter filter = filter_but_ends_of(context, arguments);
    return filter.limit(number_option(arguments, "limit").value_or(UINT32_MAX));
}

CancelTargets targets_of(const InstanceFilter& filter, const Arguments& arguments) {
    CancelTargets targets(filter);
    if (auto id = arguments.value("tree")) targets.tree(std::move(*id));
    if (auto key = arguments.value("key")) {
        targets.key(std::move(*key), arguments.value("definition"), arguments.value("owner"));
    }
    return targets;
}

std::string what_remains(const CancelManyResult& result) {
    constexpr std::size_t kMostShown = 10;
    std::string text = result.more ? "more than " : "";
    text += std::to_string(result.remaining.size()) + " more match and were left: ";
    for (std::size_t i = 0; i < std::min(result.remaining.size(), kMostShown); ++i) {
        text += (i == 0 ? "" : ", ") + safe(result.remaining[i]);
    }
    return text + (result.remaining.size() > kMostShown ? ", ..." : "");
}

std::string line_of(const CancelManyResult& result, bool preview) {
    std::string text = counted(result.canceled, "instance") +
                       (preview ? " would be canceled, " : " canceled, ") +
                       std::to_string(result.already_ending) + " ending already";
    if (result.not_found > 0) text += ", " + std::to_string(result.not_found) + " not found";
    return text;
}

Before counts_of(const CancelManyResult& result) {
    return {{"matched", result.matched},
            {"canceled", result.canceled},
            {"already_ending", result.already_ending},
            {"not_found", result.not_found}};
}

Exit print_canceled_many(Context& context, const CancelManyResult& result, bool preview) {
    if (!context.json()) {
        context.print_line(line_of(result, preview));
        if (!result.remaining.empty()) context.print_line(what_remains(result));
        return Exit::ok;
    }
    JsonWriter document;
    document.open_object().field("preview", preview);
    for (const auto& [what, count] : counts_of(result)) document.field(what, count);
    document.key("remaining").open_array();
    for (const std::string& id : result.remaining) document.text(id);
    document.close_array().field("more", result.more).close_object();
    context.print(document);
    return Exit::ok;
}

/// Runs between two signs of progress: as many as share a commit, so that the canceled runs are
/// known if it fails.
constexpr std::uint32_t kCanceledAtOnce = Policy().bulk_batch;

/// Adds the results of runs, in the place of what the preview said of them.
void add_counts(CancelManyResult& sum, const CancelManyResult& more) {
    sum.matched += more.matched;
    sum.canceled += more.canceled;
    sum.already_ending += more.already_ending;
    sum.not_found += more.not_found;
}

/// Cancels exactly the runs that were found. The question was not about runs that started while it
/// waited.
CancelManyResult cancel_found(Context& context,
                              CancelManyResult found,
                              const InstanceFilter& filter,
                              const CancelOptions& options) {
    const std::vector<ChosenRun> chosen = std::exchange(found.chosen, {});
    CancelManyResult sum = std::move(found);
    sum.matched -= chosen.size();
    sum.canceled = 0;
    Progress progress(context.terminal());
    for (std::size_t at = 0; at < chosen.size(); at += kCanceledAtOnce) {
        const std::size_t end = std::min<std::size_t>(at + kCanceledAtOnce, chosen.size());
        CancelTargets piece{InstanceFilter(filter).limit(kCanceledAtOnce)};
        piece.runs({chosen.begin() + static_cast<std::ptrdiff_t>(at),
                    chosen.begin() + static_cast<std::ptrdiff_t>(end)});
        const auto canceled = context.client().cancel_bulk(piece, options);
        if (!canceled) {
            throw stopped_problem(
                canceled.error(), sum.canceled == 0 ? "" : line_of(sum, false), counts_of(sum));
        }
        add_counts(sum, *canceled);
        progress.say("canceled " + std::to_string(sum.canceled) + ", looked at " +
                     std::to_string(end) + " of " + std::to_string(chosen.size()));
    }
    return sum;
}

Exit cancel_many(Context& context, const Arguments& arguments, const CancelOptions& options) {
    if (arguments.has("request-id")) {
        throw usage_problem("a --request-id is for one instance",
                            "leave it out: a repeat cancels nothing twice");
    }
    const InstanceFilter filter = active_filter_of(context, arguments);
    CancelManyResult found =
        must(context.client().preview_cancel_bulk(targets_of(filter, arguments)));
    if (arguments.has("preview")) return print_canceled_many(context, found, true);
    if (found.canceled > 0) {
        context.confirm(arguments, "Cancel " + counted(found.canceled, "instance") + "?");
    }
    return print_canceled_many(
        context, cancel_found(context, std::move(found), filter, options), false);
}

Exit run_cancel(Context& context, const Arguments& arguments) {
    const bool many = means_many(arguments);
    if (many != arguments.operands().empty()) {
        throw usage_problem(many ? "name an instance, or say which match, but not both"
                                 : "nothing says what to cancel",
                            "give an id, or a filter such as --status running --definition "
                            "Import; --all for all of the namespace");
    }
    CancelOptions options = cancel_options(context, arguments);
    if (const auto deadline = duration_option(arguments, "deadline")) options.deadline(*deadline);
    if (many) return cancel_many(context, arguments, options);
    for (const char* of_many : {"limit", "preview"}) {
        if (!arguments.has(of_many)) continue;
        throw usage_problem("--" + std::string(of_many) + " is for many instances, not for one");
    }
    return print_canceled(
        context, must(context.client().cancel(context.name(arguments.operand(0)), options)));
}

Exit run_terminate(Context& context, const Arguments& arguments) {
    const InstanceName name = context.name(arguments.operand(0));
    const InstanceInfo info = must(context.client().inspect(name));
    if (!is_terminal(info.status)) {
        context.confirm(arguments, "End '" + safe(name.id) + "' at once, without its cleanup?");
    }
    return print_canceled(
        context, must(context.client().terminate(name, cancel_options(context, arguments))));
}

std::vector<Option> cancel_command_options() {
    return {{.name = "reason",
             .value = "TEXT",
             .help = "why; kept with the instance",
             .may_be_empty = true},
            {.name = "by", .value = "NAME", .help = "who asks for it; else $USER"},
            request_id_option()};
}

}  // namespace

Command cancel_command() {
    std::vector<Option> options = cancel_command_options();
    options.push_back({.name = "deadline",
                       .value = "DURATION",
                       .help = "how long its cleanup may take; else 10m"});
    for (Option& option : std::vector<Option>{
             {.name = "all", .help = "everything of the namespace that has not ended"},
             {.name = "tree", .value = "ID", .help = "this instance and all below it"},
             {.name = "key", .value = "KEY", .help = "what was started with this idempotency key"},
             {.name = "preview", .help = "of many: only say how many would be canceled"},
             {.name = "limit", .value = "N", .help = "of many: at most so many"},
             yes_option()}) {
        options.push_back(std::move(option));
    }
    const std::vector<Option> filters = filter_options_but_ends();
    options.insert(options.end(), filters.begin(), filters.end());
    return {
        .name = "cancel",
        .summary = "Ask instances to end; their cleanup runs",
        .details =
            "What it runs is stopped at once, in whatever process of this machine. It is no "
            "error if it has ended or been canceled before: the answer says so. Of many, those "
            "that match and have not ended are canceled, after their number was shown; those that "
            "start meanwhile are not. A repeat goes on with what a limit left.",
        .operands = {{.name = "ID", .help = "the instance's id", .required = false}},
        .options = std::move(options),
        .examples = {{"belay cancel order-9 --reason 'wrong size'", ""},
                     {"belay cancel --status running --definition Import --preview", ""},
                     {"belay cancel --label city=Ulm --limit 100 --yes", ""},
                     {"belay cancel --tree order-9 --yes", ""}},
        .run = run_cancel,
    };
}

Command terminate_command() {
    std::vector<Option> options = cancel_command_options();
    options.push_back(yes_option());
    return {
        .name = "terminate",
        .summary = "End an instance at once, without cleanup",
        .details =
            "For what a cancel cannot end. None of its code runs any more: nothing that it "
            "has done is undone.",
        .operands = {id_operand()},
        .options = std::move(options),
        .examples = {{"belay terminate order-9 --reason 'stuck' --yes", ""}},
        .run = run_terminate,
    };
}

}  // namespace belay::cli
