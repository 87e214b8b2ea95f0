#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/description_view.hpp"
#include "cli/reads.hpp"

namespace belay::cli {

namespace {

Exit run_show(Context& context, const Arguments& arguments) {
    const InstanceName name = context.name(arguments.operand(0));
    const InstanceDescription description = or_throw(context.client().describe(name));
    const auto execution = number_option(arguments, "execution").value_or(0);
    const Timeline timeline = timeline_of(context, description, execution);
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        write_description(document, description, timeline);
        document.close_object();
        context.print(document);
    } else {
        context.print(render_description(context.terminal(), description, timeline));
    }
    return Exit::ok;
}

}  // namespace

Command show_command() {
    return {
        .name = "show",
        .summary = "Show an instance: its state, what it waits for, and its timeline",
        .operands = {id_operand()},
        .options = {{.name = "execution",
                     .value = "N",
                     .help = "show the timeline of this execution. Default: the current one"}},
        .examples = {{"belay show order-9", ""},
                     {"belay show order-9 --json | jq .waiting_for", ""}},
        .run = run_show,
    };
}

}  // namespace belay::cli
