#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/retention_rules.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

namespace belay::cli {

namespace {

void print_nothing_set(Context& context) {
    context.print_line("nothing is set for " + safe(context.space()) +
                       ": workers follow the policy they have in code, if any");
}

Exit run_retention_show(Context& context, const Arguments&) {
    const auto stored = or_throw(context.client().retention(context.space()));
    if (!stored) {
        if (!context.json()) print_nothing_set(context);
        return Exit::ok;
    }
    if (!context.json()) {
        context.print_line("set " + format_time(stored->set_at) +
                           (stored->set_by.empty() ? "" : " by " + safe(stored->set_by)));
    }
    print_rules(context, *stored);
    return Exit::ok;
}

RetentionRequest request_of(Context& context, const Arguments& arguments) {
    RetentionRequest request;
    request.space(context.space());
    if (names_rules(arguments)) request.policy(policy_of(context, arguments));
    if (const auto limit = number_option(arguments, "limit")) request.limit(*limit);
    return request;
}

std::string some_of(const std::vector<std::string>& ids, std::uint64_t all) {
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + id;
    return all > ids.size() ? text + ", ..." : text;
}

void write_ids(JsonWriter& out, const std::vector<std::string>& ids) {
    out.key("ids").open_array();
    for (const std::string& id : ids) out.text(id);
    out.close_array();
}

Exit run_retention_preview(Context& context, const Arguments& arguments) {
    const RetentionPreview preview =
        or_throw(context.client().preview_retention(request_of(context, arguments)));
    Table table({{.title = "OF"},
                 {.title = "DEFINITION", .least = 10},
                 {.title = "OUTCOME"},
                 {.title = "WOULD GO", .right = true},
                 {.title = "FIRST", .least = 10}});
    for (const RetentionPreview::Instances& one : preview.instances) {
        if (context.json()) {
            JsonWriter line;
            line.open_object()
                .field("of", "instances")
                .field("definition", one.definition)
                .field("outcome", to_string(one.outcome))
                .field("roots", one.roots)
                .field("still_needed", one.still_needed);
            write_ids(line, one.ids);
            line.close_object();
            context.print(line);
        } else {
            table.add({"instances",
                       one.definition,
                       status_cell(one.outcome),
                       std::to_string(one.roots),
                       some_of(one.ids, one.roots)});
        }
    }
    for (const RetentionPreview::Executions& one : preview.executions) {
        if (context.json()) {
            JsonWriter line;
            line.open_object()
                .field("of", "executions")
                .field("definition", one.definition)
                .field("chains", one.chains)
                .field("executions", one.executions);
            write_ids(line, one.ids);
            line.close_object();
            context.print(line);
        } else {
            table.add({"executions",
                       one.definition,
                       "",
                       std::to_string(one.executions),
                       some_of(one.ids, one.chains)});
        }
    }
    if (!context.json()) {
        context.print(table.empty() ? "nothing would go\n" : table.render(context.terminal()));
    }
    return Exit::ok;
}

void add_counts(RetentionResult& sum, const RetentionResult& more) {
    sum.roots += more.roots;
    sum.instances += more.instances;
    sum.chains += more.chains;
    sum.executions += more.executions;
    sum.events += more.events;
    sum.messages += more.messages;
    sum.more = more.more;
}

Before counts_of(const RetentionResult& result) {
    return {{"roots", result.roots},
            {"instances", result.instances},
            {"chains", result.chains},
            {"executions", result.executions},
            {"events", result.events},
            {"messages", result.messages}};
}

std::string line_of(const RetentionResult& result) {
    return "deleted " + counted(result.instances, "instance") + ", pruned " +
           counted(result.chains, "chain");
}

Exit print_applied(Context& context, const RetentionResult& result) {
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        for (const auto& [name, count] : counts_of(result)) document.field(name, count);
        document.field("more", result.more).close_object();
        context.print(document);
    } else {
        context.print_line(line_of(result) + (result.more ? "; there is more" : ""));
    }
    return Exit::ok;
}

/// Asks before the removal. Returns false if nothing would go.
bool confirm_apply(Context& context, const Arguments& arguments, const RetentionRequest& request) {
    const RetentionPreview preview = or_throw(context.client().preview_retention(request));
    std::uint64_t roots = 0;
    std::uint64_t executions = 0;
    for (const auto& one : preview.instances) roots += one.roots;
    for (const auto& one : preview.executions) executions += one.executions;
    if (roots + executions == 0) return false;
    context.confirm(arguments,
                    "Delete " + counted(roots, "instance") + " with all below and " +
                        counted(executions, "old execution") + " for good?");
    return true;
}

RetentionResult apply_all(Context& context, const RetentionRequest& request) {
    RetentionResult sum;
    Progress progress(context.terminal());
    do {
        const auto one = context.client().apply_retention(request);
        if (!one) {
            throw stopped_problem(
                one.error(), sum == RetentionResult() ? "" : line_of(sum), counts_of(sum));
        }
        add_counts(sum, *one);
        progress.say("deleted " + std::to_string(sum.instances) + ", pruned " +
                     std::to_string(sum.chains));
    } while (sum.more && !request.limit());
    return sum;
}

Exit run_retention_apply(Context& context, const Arguments& arguments) {
    RetentionRequest request = request_of(context, arguments);
    if (!request.policy()) {
        auto stored = or_throw(context.client().retention(context.space()));
        if (!stored) {
            if (context.json()) return print_applied(context, RetentionResult());
            print_nothing_set(context);
            return Exit::ok;
        }
        request.policy(std::move(stored->policy));
    }
    // The question and the removal use the same policy and the same time.
    request.as_of(context.store_now());
    if (!arguments.has("yes") && !confirm_apply(context, arguments, request)) {
        return print_applied(context, RetentionResult());
    }
    return print_applied(context, apply_all(context, request));
}

Exit print_set(Context& context, const char* word) {
    if (context.json()) {
        JsonWriter document;
        document.open_object().field("space", context.space()).field(word, true).close_object();
        context.print(document);
    } else {
        context.print_line("the retention of " + safe(context.space()) + " is " + word);
    }
    return Exit::ok;
}

Exit run_retention_set(Context& context, const Arguments& arguments) {
    if (!names_rules(arguments)) {
        throw usage_problem("nothing says what is kept",
                            "say --rule outcome=completed,age=30d, --rule keep for everything, or "
                            "--file belay.toml");
    }
    const RetentionPolicy policy = policy_of(context, arguments);
    or_throw(check_retention(policy));
    if (!policy.keeps_all()) {
        context.confirm(arguments,
                        "From now on workers delete what is past these bounds. Set them?");
    }
    or_throw(context.client().set_retention(context.space(),
                                            policy,
                                            arguments.value_or("by", context.user()),
                                            arguments.value_or("request-id", "")));
    return print_set(context, "set");
}

Exit run_retention_clear(Context& context, const Arguments& arguments) {
    context.confirm(arguments,
                    "From now on workers follow what their own code says, which may delete. "
                    "Clear what was set?");
    or_throw(context.client().clear_retention(context.space(),
                                              arguments.value_or("by", context.user()),
                                              arguments.value_or("request-id", "")));
    return print_set(context, "cleared");
}

std::vector<Option> rule_options_and(std::vector<Option> more) {
    std::vector<Option> options = retention_rule_options();
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

}  // namespace

Command retention_command() {
    const Option by{
        .name = "by", .value = "NAME", .help = "the person who sets it. Default: $USER"};
    const Option limit{.name = "limit", .value = "N", .help = "at most N instances"};
    return {
        .name = "retention",
        .summary = "Look after how long ended instances are kept",
        .details = "A retention belongs to a namespace. Without one everything is kept.",
        .commands = {{.name = "show",
                      .summary = "Show the rules that are set",
                      .examples = {{"belay retention show", ""}},
                      .run = run_retention_show},
                     {.name = "set",
                      .summary = "Set the rules; all workers follow them",
                      .details =
                          "They replace the rules before them. They are about instances that "
                          "have ended already, too.",
                      .options = rule_options_and({by, request_id_option(), yes_option()}),
                      .examples = {{"belay retention set --rule outcome=completed,age=7d --rule "
                                    "outcome=failed,age=90d",
                                    ""}},
                      .run = run_retention_set},
                     {.name = "clear",
                      .summary = "Remove the rules",
                      .options = {by, request_id_option(), yes_option()},
                      .examples = {{"belay retention clear", ""}},
                      .run = run_retention_clear},
                     {.name = "preview",
                      .summary = "Show what would be removed now",
                      .details = "Follows the rules that are set, or those on the command line.",
                      .options = retention_rule_options(),
                      .examples = {{"belay retention preview --rule age=30d", ""}},
                      .run = run_retention_preview},
                     {.name = "apply",
                      .summary = "Remove now what is past its time",
                      .details = "Follows the rules that are set, or those on the command line. "
                                 "Instances that end meanwhile are left alone.",
                      .options = rule_options_and({limit, yes_option()}),
                      .examples = {{"belay retention apply --yes", ""}},
                      .run = run_retention_apply}},
    };
}

}  // namespace belay::cli
