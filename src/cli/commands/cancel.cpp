#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"

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

Exit run_cancel(Context& context, const Arguments& arguments) {
    CancelOptions options = cancel_options(context, arguments);
    if (const auto deadline = duration_option(arguments, "deadline")) options.deadline(*deadline);
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
    return {{.name = "reason", .value = "TEXT", .help = "why; kept with the instance"},
            {.name = "by", .value = "NAME", .help = "who asks for it; else $USER"},
            request_id_option()};
}

}  // namespace

Command cancel_command() {
    std::vector<Option> options = cancel_command_options();
    options.push_back({.name = "deadline",
                       .value = "DURATION",
                       .help = "how long its cleanup may take; else 10m"});
    return {
        .name = "cancel",
        .summary = "Ask an instance to end; its cleanup runs",
        .details =
            "What it runs is stopped at once, in whatever process of this machine. It is no "
            "error if it has ended or been canceled before: the answer says so.",
        .operands = {id_operand()},
        .options = std::move(options),
        .examples = {{"belay cancel order-9 --reason 'wrong size'", ""}},
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
