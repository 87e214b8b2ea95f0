#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/event_view.hpp"
#include "cli/instance_view.hpp"
#include "cli/reads.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

void print_event_json(Context& context, ExecutionNo execution, const PlacedEvent& placed) {
    JsonWriter line;
    line.open_object().field("execution", execution).field("event", placed.number);
    write_time(line, "at", placed.at);
    write_event(line, placed.event);
    line.close_object();
    context.print(line);
}

void print_history(Context& context, const InstanceInfo& info, ExecutionNo execution) {
    HistoryReader reader(context.service(), info.run, execution);
    Table table({{.title = "EVENT", .right = true},
                 {.title = "TIME"},
                 {.title = "WHAT", .least = 40, .holds = Holds::remark}});
    for (auto page = reader.next(); !page.empty(); page = reader.next()) {
        for (const PlacedEvent& placed : page) {
            if (context.json()) {
                print_event_json(context, execution, placed);
            } else {
                table.add({std::to_string(placed.number),
                           format_time(placed.at),
                           event_line(placed.event)});
            }
        }
    }
    if (!context.json()) context.print(table.render(context.terminal()));
}

Exit run_history(Context& context, const Arguments& arguments) {
    const InstanceName name = context.name(arguments.operand(0));
    const InstanceInfo info = or_throw(context.client().inspect(name));
    const auto executions = or_throw(context.service().ask(requests::ListExecutions{info.run}));
    if (arguments.has("all")) {
        for (const ExecutionInfo& one : executions) {
            if (!context.json()) {
                context.print_line("execution " + std::to_string(one.execution));
            }
            print_history(context, info, one.execution);
        }
        return Exit::ok;
    }
    const ExecutionNo wanted = number_option(arguments, "execution").value_or(info.execution);
    const bool there = std::ranges::any_of(
        executions, [&](const ExecutionInfo& one) { return one.execution == wanted; });
    if (!there) {
        throw Problem(Exit::not_found,
                      "'" + safe(name.id) + "' has no execution " + std::to_string(wanted) +
                          "; the current one is " + std::to_string(info.execution),
                      "older ones may have been pruned");
    }
    print_history(context, info, wanted);
    return Exit::ok;
}

}  // namespace

Command history_command() {
    return {
        .name = "history",
        .summary = "Print the recorded events of an instance",
        .details = "With --json prints one line for each event, with whole payloads.",
        .operands = {id_operand()},
        .options =
            {{.name = "execution",
              .value = "N",
              .help =
                  "this execution of an instance that continues as new. Default: the current one"},
             {.name = "all", .help = "all executions that were not pruned"}},
        .examples = {{"belay history order-9", ""},
                     {"belay history order-9 --json | jq -c .type", ""}},
        .run = run_history,
    };
}

}  // namespace belay::cli
