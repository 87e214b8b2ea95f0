#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/many.hpp"
#include "cli/filter.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include <belay/flow/cancel_step.hpp>

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

/// A definition is a filter, unless instances are named: then it is the one that they must have.
bool means_many(const Arguments& arguments) {
    if (arguments.has("tree") || arguments.has("key")) return true;
    return has_active_filter(arguments, arguments.operands().empty() ? "" : "definition");
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
    refuse_request_id(arguments);
    InstanceFilter filter = active_filter_of(context, arguments, "canceled");
    filter.limit(number_option(arguments, "limit").value_or(UINT32_MAX));
    CancelManyResult found =
        or_throw(context.client().preview_cancel_bulk(targets_of(filter, arguments)));
    if (arguments.has("dry-run")) return print_canceled_many(context, found, true);
    if (found.canceled > 0) {
        context.confirm(arguments, "Cancel " + counted(found.canceled, "instance") + "?");
    }
    return print_canceled_many(
        context, cancel_found(context, std::move(found), filter, options), false);
}

/// Throws a Problem unless there is either a filter or an id.
void check_targets(const Arguments& arguments, bool many, const char* verb) {
    if (many == arguments.operands().empty()) return;
    throw usage_problem(many ? "name instances, or say which match, but not both"
                             : "nothing says what to " + std::string(verb),
                        "give ids, or a filter such as --status running --definition Import; "
                        "--all for all of the namespace");
}

/// Cancels or terminates the instances that are named.
template <class End>
Exit end_named(Context& context, const std::vector<std::string>& ids, End end) {
    for_each_named(ids, [&](const std::string& id) {
        print_canceled(context, or_throw(end(context.name(id))));
    });
    return Exit::ok;
}

// ---- One step ----------------------------------------------------------------------------------

Exit cancel_one_step(Context& context, const Arguments& arguments, const std::string& step) {
    for (const char* const option : {"definition", "request-id", "deadline"}) {
        if (arguments.has(option)) {
            throw usage_problem("--" + std::string(option) + " is for instances, not for a step");
        }
    }
    if (arguments.operands().size() != 1) {
        throw usage_problem("--step needs exactly one instance");
    }
    const std::string& id = arguments.operand(0);
    const auto options = CancelStepOptions()
                             .by(arguments.value_or("by", context.user()))
                             .reason(arguments.value_or("reason", ""));
    const CancelStepResult result =
        or_throw(cancel_step(context.client(), context.name(id), step, options));
    if (context.json()) {
        JsonWriter document;
        document.open_object().field("id", id).field("step", step);
        document.field("state", result.state).field("changed", result.changed).close_object();
        context.print(document);
        return Exit::ok;
    }
    context.print_line(
        safe(step) + " of " + safe(id) +
        (result.changed ? " is being canceled" : " is " + result.state + "; it had ended before"));
    return Exit::ok;
}

Exit run_cancel(Context& context, const Arguments& arguments) {
    const bool many = means_many(arguments);
    check_targets(arguments, many, "cancel");
    CancelOptions options = cancel_options(context, arguments);
    if (const auto deadline = duration_option(arguments, "deadline")) options.deadline(*deadline);
    if (many && arguments.has("step")) throw usage_problem("--step needs exactly one instance");
    if (many) return cancel_many(context, arguments, options);
    refuse_options_of_many(arguments);
    if (const auto step = arguments.value("step")) {
        return cancel_one_step(context, arguments, *step);
    }
    if (auto definition = arguments.value("definition")) {
        options.definition(std::move(*definition));
    }
    const std::vector<std::string>& ids = arguments.operands();
    if (ids.size() > 1) {
        refuse_request_id(arguments);
        static_cast<void>(inspect_all(context, ids));
    }
    return end_named(context, ids, [&](const InstanceName& name) {
        return context.client().cancel(name, options);
    });
}

Exit run_terminate(Context& context, const Arguments& arguments) {
    const bool many = has_active_filter(arguments);
    check_targets(arguments, many, "terminate");
    const CancelOptions options = cancel_options(context, arguments);
    if (many) {
        const ManyWords words{"End ", " at once, without cleanup?", "terminated"};
        return change_active(context, arguments, words, [&](const InstanceName& name) {
            auto ended = context.client().terminate(name, options);
            return ended ? Result<bool>(ended->changed) : Result<bool>(ended.error());
        });
    }
    refuse_options_of_many(arguments);
    const std::vector<std::string>& ids = arguments.operands();
    if (ids.size() > 1) refuse_request_id(arguments);
    const std::vector<InstanceInfo> found = inspect_all(context, ids);
    const auto active = std::ranges::count_if(
        found, [](const InstanceInfo& info) { return !is_terminal(info.status); });
    if (active > 0) {
        const std::string which = ids.size() == 1
                                      ? "'" + safe(ids.front()) + "' at once, without its"
                                      : counted(static_cast<std::uint64_t>(active), "instance") +
                                            " at once, without their";
        context.confirm(arguments, "End " + which + " cleanup?");
    }
    return end_named(context, ids, [&](const InstanceName& name) {
        return context.client().terminate(name, options);
    });
}

std::vector<Option> cancel_command_options() {
    return {{.name = "reason",
             .value = "TEXT",
             .help = "the reason, kept with the instance",
             .may_be_empty = true},
            {.name = "by", .value = "NAME", .help = "the person who asks for it. Default: $USER"},
            request_id_option()};
}

}  // namespace

Command cancel_command() {
    std::vector<Option> options = cancel_command_options();
    options.push_back({.name = "deadline",
                       .value = "DURATION",
                       .help = "how long its cleanup may take. Default: 10m"});
    options.push_back({.name = "step",
                       .value = "STEP",
                       .help = "a flow: only this step; STEP[3] is an item of a map, STEP/INNER a "
                               "step of the flow that STEP starts"});
    options.push_back({.name = "tree",
                       .value = "ID",
                       .help = "this instance and all below it",
                       .instance = true});
    options.push_back({.name = "key",
                       .value = "KEY",
                       .help = "the run that was started with this idempotency key"});
    const std::vector<Option> filters = active_filter_options();
    options.insert(options.end(), filters.begin(), filters.end());
    return {
        .name = "cancel",
        .summary = "Ask instances to end; their cleanup runs",
        .details =
            "Stops the handlers of each instance at once, in every process of this machine. It is "
            "no error if an instance has ended or been canceled before: the answer says so. With "
            "a filter, the command shows how many instances match and have not ended, and asks. "
            "It cancels exactly those. A repeat goes on with those that --limit left. With named "
            "instances, --definition is the one that they must have: another one's is not found. "
            "With --step, only that step of a flow ends, and counts as failed with kind canceled.",
        .operands = {ids_operand()},
        .options = std::move(options),
        .examples = {{"belay cancel order-9 --reason 'wrong size'", ""},
                     {"belay cancel order-9 order-10", ""},
                     {"belay cancel --status running --definition Import --dry-run", ""},
                     {"belay cancel --label city=Ulm --limit 100 --yes", ""},
                     {"belay cancel --tree order-9 --yes", ""},
                     {"belay cancel backup-7 --step 'dump[17]'", "one item of a map"}},
        .run = run_cancel,
    };
}

Command terminate_command() {
    std::vector<Option> options = cancel_command_options();
    const std::vector<Option> filters = active_filter_options();
    options.insert(options.end(), filters.begin(), filters.end());
    return {
        .name = "terminate",
        .summary = "End instances at once, without cleanup",
        .details =
            "Ends what a cancel cannot end. None of its code runs any more, so nothing that it "
            "has done is undone. With a filter, the command shows how many instances match and "
            "have not ended, and asks.",
        .operands = {ids_operand()},
        .options = std::move(options),
        .examples = {{"belay terminate order-9 --reason 'stuck' --yes", ""},
                     {"belay terminate --status canceling --definition Import --dry-run", ""}},
        .run = run_terminate,
    };
}

}  // namespace belay::cli
