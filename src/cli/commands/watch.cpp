#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/description_view.hpp"
#include "cli/event_view.hpp"
#include "cli/instance_view.hpp"
#include "cli/reads.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

/// The top left corner; what was there goes.
constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";

bool wait_a_little(Context& context, Millis interval) {
    Terminal& terminal = context.terminal();
    terminal.out.flush();
    return terminal.out.good() && terminal.pause(interval);
}

Exit exit_of_end(const InstanceInfo& info) {
    const bool well = info.status == Status::completed || info.status == Status::skipped;
    return well || !is_terminal(info.status) ? Exit::ok : Exit::failed;
}

/// On a terminal: the whole picture, again and again.
Exit redraw(Context& context, const InstanceName& name, Millis interval) {
    while (true) {
        const InstanceDescription description = must(context.client().describe(name));
        const Timeline timeline = must(context.client().timeline(name));
        context.print(std::string(kClearScreen) +
                      render_description(context.terminal(), description, timeline));
        if (is_terminal(description.info.status)) return exit_of_end(description.info);
        if (!wait_a_little(context, interval)) return Exit::ok;
    }
}

void print_news(Context& context, ExecutionNo execution, const PlacedEvent& placed) {
    if (context.json()) {
        JsonWriter line;
        line.open_object().field("execution", execution).field("event", placed.number);
        write_time(line, "at", placed.at);
        write_event(line, placed.event);
        line.close_object();
        context.print(line);
    } else if (!std::holds_alternative<model::TurnStarted>(placed.event)) {
        context.print_line(format_time(placed.at) + "  " + event_line(placed.event));
    }
}

/// Elsewhere: a line for each event as it is recorded, across executions.
Exit append(Context& context, const InstanceName& name, Millis interval) {
    InstanceInfo info = must(context.client().inspect(name));
    ExecutionNo execution = info.execution;
    HistoryReader reader(context.store(), info.run, execution);
    while (true) {
        // Looked at before its events are: then none is missing when it has ended.
        info = must(context.client().inspect(name));
        for (auto page = reader.next(); !page.empty(); page = reader.next()) {
            for (const PlacedEvent& placed : page) print_news(context, execution, placed);
        }
        if (info.execution > execution) {
            reader = HistoryReader(context.store(), info.run, ++execution);
            continue;
        }
        if (is_terminal(info.status)) return exit_of_end(info);
        if (!wait_a_little(context, interval)) return Exit::ok;
    }
}

Exit run_watch(Context& context, const Arguments& arguments) {
    const InstanceName name = context.name(arguments.operand(0));
    const Millis interval =
        std::max(duration_option(arguments, "interval").value_or(Millis(500)), Millis(10));
    if (context.terminal().out_is_terminal && !context.json()) {
        return redraw(context, name, interval);
    }
    return append(context, name, interval);
}

}  // namespace

Command watch_command() {
    return {
        .name = "watch",
        .summary = "Follow an instance until it has ended",
        .details =
            "On a terminal the picture of 'belay show' is drawn again and again; elsewhere, "
            "and with --json, there is a line for each event. Exits as 'belay wait' does.",
        .operands = {id_operand()},
        .options = {{.name = "interval", .value = "DURATION", .help = "how often; else 500ms"}},
        .examples = {{"belay watch order-9", ""},
                     {"belay watch order-9 --json > events.jsonl", ""}},
        .run = run_watch,
    };
}

}  // namespace belay::cli
