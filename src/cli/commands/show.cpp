#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/description_view.hpp"
#include "cli/flow/run_view.hpp"
#include "cli/reads.hpp"
#include "flow/run_record.hpp"

#include <string>
#include <utility>

namespace belay::cli {

namespace {

/// The step that ended a flow early, and why. Empty if none did, or its history cannot be read.
struct EarlyEnd {
    std::string step{};
    std::string why{};
};

EarlyEnd early_end_of(Context& context, const InstanceInfo& info) {
    if (!info.document || info.status != Status::completed) return {};
    const auto bundle = flow::bundle_of(context.client(), info);
    if (!bundle) return {};
    auto drawn = flow::draw_alone(context.client(), info, *bundle);
    if (!drawn) return {};
    return EarlyEnd{std::move(drawn->picture.ended_by), std::move(drawn->picture.ended_why)};
}

Exit run_show(Context& context, const Arguments& arguments) {
    const InstanceName name = context.name(arguments.operand(0));
    const InstanceDescription description = or_throw(context.client().describe(name));
    const auto execution = number_option(arguments, "execution").value_or(0);
    const Timeline timeline = timeline_of(context, description, execution);
    const EarlyEnd early = early_end_of(context, description.info);
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        write_description(document, description, timeline);
        write_early_end(document, early.step, early.why);
        document.close_object();
        context.print(document);
    } else {
        context.print(render_description(context.terminal(), description, timeline));
        const std::string text = early_end_text(early.step, early.why);
        if (!text.empty()) context.print_line("\n" + text);
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
