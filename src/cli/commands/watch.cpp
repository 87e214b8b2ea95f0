#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/watch_many.hpp"
#include "cli/description_view.hpp"
#include "cli/event_view.hpp"
#include "cli/filter.hpp"
#include "cli/instance_view.hpp"
#include "cli/reads.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include <belay/shown_status.hpp>

#include <algorithm>
#include <optional>

namespace belay::cli {

namespace {

/// Default: so many of those that match.
constexpr std::uint32_t kMostWatched = 100;

Exit exit_of_end(const InstanceInfo& info) {
    return ended_well(info.status) || !has_ended(info) ? Exit::ok : Exit::failed;
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

/// Says once that no events can be shown. The end of the run can be.
void print_unreadable(Context& context, ExecutionNo execution, const Problem& problem) {
    if (context.json()) {
        JsonWriter line;
        line.open_object()
            .field("execution", execution)
            .field("history_problem", std::string(problem.what()))
            .close_object();
        context.print(line);
    } else {
        context.print_line("its history cannot be read from here on: " + safe(problem.what()));
    }
}

/// Returns the next events; none any more once they could not be read.
std::vector<PlacedEvent> next_of(Context& context,
                                 std::optional<HistoryReader>& reader,
                                 ExecutionNo execution) {
    if (!reader) return {};
    try {
        return reader->next();
    } catch (const Problem& problem) {
        print_unreadable(context, execution, problem);
        reader.reset();
        return {};
    }
}

void print_end(Context& context, const InstanceInfo& info) {
    if (context.json()) {
        JsonWriter line;
        line.open_object()
            .field("execution", info.execution)
            .field("status", to_string(info.status));
        if (info.outcome) write_outcome(line, *info.outcome);
        line.close_object();
        context.print(line);
    } else if (info.outcome) {
        context.print(outcome_lines(*info.outcome));
    }
}

/// Looks at the run, also if another one has its name by now.
InstanceInfo look(Context& context, const InstanceBrief& watched) {
    auto found = context.service().ask(requests::Inspect{watched.name, watched.run});
    if (found || found.error().code() != Errc::not_found) return or_throw(std::move(found));
    throw Problem(Exit::not_found, "'" + safe(watched.name.id) + "' was deleted meanwhile");
}

/// Waits for the end of a run whose name another one has, and shows only that.
Exit await_end(Context& context, const InstanceBrief& watched, Millis interval) {
    while (true) {
        const InstanceInfo info = look(context, watched);
        if (has_ended(info)) {
            print_end(context, info);
            return exit_of_end(info);
        }
        if (!wait_a_little(context, interval)) return Exit::ok;
    }
}

/// On a terminal: the whole picture, again and again.
Exit redraw(Context& context, const InstanceBrief& watched, Millis interval) {
    while (true) {
        const InstanceDescription description = or_throw(context.client().describe(watched.name));
        if (description.info.run != watched.run) {
            context.print_line("another run has the id " + safe(watched.name.id) + " by now");
            return await_end(context, watched, interval);
        }
        const Timeline timeline = timeline_of(context, description);
        context.print(std::string(kClearScreen) +
                      render_description(context.terminal(), description, timeline));
        if (has_ended(description.info)) return exit_of_end(description.info);
        if (!wait_a_little(context, interval)) return Exit::ok;
    }
}

/// Elsewhere: a line for each event as it is recorded, across executions.
Exit append(Context& context,
            const InstanceBrief& watched,
            ExecutionNo execution,
            Millis interval) {
    std::optional<HistoryReader> reader(std::in_place, context.service(), watched.run, execution);
    bool told_end = false;
    while (true) {
        // Looked at before its events are: then none is missing when it has ended.
        const InstanceInfo info = look(context, watched);
        for (auto page = next_of(context, reader, execution); !page.empty();
             page = next_of(context, reader, execution)) {
            for (const PlacedEvent& placed : page) print_news(context, execution, placed);
            told_end = std::holds_alternative<model::ExecutionEnded>(page.back().event);
        }
        if (info.execution > execution) {
            reader.emplace(context.service(), info.run, ++execution);
            continue;
        }
        if (has_ended(info)) {
            // There is no event of an end without its code: by a deadline, or before it began.
            if (!told_end) print_end(context, info);
            return exit_of_end(info);
        }
        if (!wait_a_little(context, interval)) return Exit::ok;
    }
}

std::vector<InstanceBrief> named(Context& context, const std::vector<std::string>& ids) {
    std::vector<InstanceBrief> found;
    found.reserve(ids.size());
    for (const std::string& id : ids) {
        const InstanceInfo info = or_throw(context.client().inspect(context.name(id)));
        found.push_back({info.run, info.name, info.status});
    }
    return found;
}

/// Those that match now.
std::vector<InstanceBrief> matching(Context& context, const Arguments& arguments) {
    ListOptions options(filter_of(context, arguments));
    const std::uint32_t limit = number_option(arguments, "limit").value_or(kMostWatched);
    if (limit < 1 || limit > 1'000) throw usage_problem("--limit is a number from 1 to 1000");
    const InstancePage page =
        or_throw(context.client().list(options.page_size(limit).descending()));
    std::vector<InstanceBrief> found;
    found.reserve(page.instances.size());
    for (const ListedInstance& listed : page.instances) found.push_back(listed.instance);
    if (found.empty()) throw Problem(Exit::not_found, "nothing matches");
    if (!page.next.empty()) {
        context.terminal().err << "more than " << limit
                               << " match, and the rest is not watched: --limit N, up to 1000\n";
    }
    return found;
}

Exit run_watch(Context& context, const Arguments& arguments) {
    const std::vector<std::string>& ids = arguments.operands();
    const bool filtered = has_filter(arguments);
    if (filtered != ids.empty()) {
        throw usage_problem(filtered ? "name instances, or say which match, but not both"
                                     : "nothing says what to watch",
                            "give ids, or a filter such as --status running --definition Import");
    }
    const Millis interval =
        std::max(duration_option(arguments, "interval").value_or(Millis(500)), Millis(10));
    if (filtered) return watch_many(context, matching(context, arguments), interval);
    if (ids.size() > 1) return watch_many(context, named(context, ids), interval);
    const InstanceInfo info = or_throw(context.client().inspect(context.name(ids.front())));
    const InstanceBrief watched{info.run, info.name, info.status};
    if (context.terminal().out_is_terminal && !context.json()) {
        return redraw(context, watched, interval);
    }
    return append(context, watched, info.execution, interval);
}

}  // namespace

Command watch_command() {
    std::vector<Option> options{
        {.name = "interval", .value = "DURATION", .help = "how often to look. Default: 500ms"},
        {.name = "limit", .value = "N", .help = "with a filter: at most N. Default: 100"}};
    const std::vector<Option> filters = filter_options();
    options.insert(options.end(), filters.begin(), filters.end());
    return {
        .name = "watch",
        .summary = "Follow instances until they have ended",
        .details =
            "One instance: draws the picture of 'belay show' again and again on a terminal, and "
            "prints a line for each event elsewhere and with --json. Several, by id or by a "
            "filter: "
            "draws a list, or prints a line for each change. Follows the run that has the id when "
            "the command begins, also when another run takes the id. Exits as 'belay wait' does, "
            "and with 0 after Ctrl-C.",
        .operands = {ids_operand()},
        .options = std::move(options),
        .examples = {{"belay watch order-9", ""},
                     {"belay watch order-9 --json > events.jsonl", ""},
                     {"belay watch --status running --definition Import", ""}},
        .run = run_watch,
    };
}

}  // namespace belay::cli
