#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/flow/apply_schedules.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/instance_view.hpp"
#include "cli/schedule_options.hpp"
#include "cli/schedule_view.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include "schedule/timing.hpp"

#include <type_traits>
#include <utility>

namespace belay::cli {

namespace {

constexpr std::uint32_t kMostTimes = 1'000;

Client& client_of(Context& context, Opening opening = Opening::existing) {
    Client& client = context.client(opening);
    client.default_namespace(context.space());
    return client;
}

ScheduleNote note_of(Context& context, const Arguments& arguments) {
    return ScheduleNote()
        .by(arguments.value_or("by", context.user()))
        .why(arguments.value_or("reason", ""))
        .request_id(arguments.value_or("request-id", ""));
}

std::uint32_t count_of(const Arguments& arguments) {
    const std::uint32_t count = number_option(arguments, "count").value_or(5);
    if (count <= kMostTimes) return count;
    throw usage_problem("--count: at most " + std::to_string(kMostTimes));
}

/// The advice of other commands is about instances.
template <class T>
T of_schedule(const Result<T>& result) {
    if (result) {
        if constexpr (std::is_void_v<T>) {
            return;
        } else {
            return *result;
        }
    }
    const Problem usual = problem_of(result.error());
    switch (result.error().code()) {
        case Errc::not_found:
            throw Problem(
                usual.exit(), usual.what(), "'belay schedules' lists them; is --space right?");
        case Errc::id_in_use:
            throw Problem(
                usual.exit(),
                usual.what(),
                "'belay schedules update' changes it, 'belay schedules remove' removes it");
        case Errc::already_ended:
            throw Problem(usual.exit(), usual.what(), "'belay schedules add' makes it anew");
        default: throw usual;
    }
}

Exit print_changed(Context& context, const std::string& name, const char* word) {
    if (context.json()) {
        JsonWriter document;
        document.open_object().field("name", name).field(word, true).close_object();
        context.print(document);
    } else {
        context.print_line("schedule " + safe(name) + ": " + word);
    }
    return Exit::ok;
}

Exit run_schedules_list(Context& context, const Arguments&) {
    Schedules schedules(client_of(context));
    const Timestamp now = context.store_now();
    Table table({id_column("SCHEDULE"),
                 {.title = "STATE"},
                 {.title = "NEXT"},
                 {.title = "STARTED", .right = true},
                 {.title = "LAST RUN"},
                 remark_column("REMARK")});
    for (const ScheduleView& one : of_schedule(schedules.list())) {
        if (context.json()) {
            JsonWriter line;
            write_schedule(line, one, nullptr);
            context.print(line);
            continue;
        }
        const bool any = !one.runs.empty();
        table.add({one.name,
                   state_word(one),
                   one.next ? format_ago(*one.next, now) : "",
                   std::to_string(one.fired),
                   any ? format_ago(one.runs.back().started_at, now) : "",
                   one.problem.empty() ? one.paused_why : one.problem});
    }
    if (!context.json()) context.print(table.render(context.terminal()));
    return Exit::ok;
}

Exit run_schedules_show(Context& context, const Arguments& arguments) {
    Schedules schedules(client_of(context));
    const ScheduleView view = of_schedule(schedules.show(arguments.operand(0)));
    if (context.json()) {
        JsonWriter document;
        write_schedule(document, view, &view.spec);
        context.print(document);
        return Exit::ok;
    }
    // A schedule in trouble may have times that this machine cannot compute either.
    const auto ticks = view.spec.next_times(context.store_now(), count_of(arguments));
    print_schedule(context, view, ticks ? *ticks : std::vector<Timestamp>());
    return Exit::ok;
}

Exit run_schedules_add(Context& context, const Arguments& arguments) {
    const std::string& name = arguments.operand(0);
    const ScheduleSpec spec = read_schedule(context, arguments, name);
    const bool create = arguments.has("create") || arguments.has("flow");
    Schedules schedules(client_of(context, create ? Opening::create : Opening::existing));
    of_schedule(schedules.create(name, spec, note_of(context, arguments)));
    return print_changed(context, name, "added");
}

Exit run_schedules_update(Context& context, const Arguments& arguments) {
    const std::string& name = arguments.operand(0);
    const ScheduleSpec spec = read_schedule(context, arguments, name);
    Schedules schedules(client_of(context));
    of_schedule(schedules.update(name, spec, note_of(context, arguments)));
    return print_changed(context, name, "updated");
}

Exit run_schedules_apply(Context& context, const Arguments& arguments) {
    const Pipeline pipeline = require_pipeline(context, arguments.operand(0));
    use_store_of(context, pipeline);
    const std::string by = arguments.value_or("by", context.user());
    print_applied(context, apply_schedules(context, pipeline, by));
    return Exit::ok;
}

template <auto Change>
Exit change(Context& context, const Arguments& arguments, const char* word) {
    Schedules schedules(client_of(context));
    const std::string& name = arguments.operand(0);
    of_schedule((schedules.*Change)(name, note_of(context, arguments)));
    return print_changed(context, name, word);
}

Exit run_schedules_pause(Context& context, const Arguments& arguments) {
    return change<&Schedules::pause>(context, arguments, "paused");
}

Exit run_schedules_resume(Context& context, const Arguments& arguments) {
    return change<&Schedules::resume>(context, arguments, "resumed");
}

Exit run_schedules_run(Context& context, const Arguments& arguments) {
    return change<&Schedules::run_now>(context, arguments, "asked for a run");
}

Exit run_schedules_backfill(Context& context, const Arguments& arguments) {
    const auto from = time_option(arguments, "from");
    const auto to = time_option(arguments, "to");
    if (!from || !to) throw usage_problem("say which time: --from TIME --to TIME");
    Schedules schedules(client_of(context));
    const std::string& name = arguments.operand(0);
    of_schedule(schedules.backfill(name, *from, *to, note_of(context, arguments)));
    return print_changed(context, name, "asked for a backfill");
}

Exit run_schedules_remove(Context& context, const Arguments& arguments) {
    const std::string& name = arguments.operand(0);
    Schedules schedules(client_of(context));
    context.confirm(arguments, "Remove the schedule '" + safe(name) + "'?");
    of_schedule(schedules.remove(name, note_of(context, arguments)));
    return print_changed(context, name, "removed");
}

/// The description of a schedule that is there, or of one that need not be.
ScheduleSpec times_of(Context& context, const Arguments& arguments) {
    ScheduleSpec spec;
    if (!arguments.operands().empty()) {
        Schedules schedules(client_of(context));
        spec = of_schedule(schedules.show(arguments.operand(0))).spec;
    }
    read_times(arguments, spec);
    if (const auto jitter = duration_option(arguments, "jitter")) spec.jitter = *jitter;
    if (spec.jitter != Millis(0) && arguments.operands().empty()) {
        throw usage_problem("--jitter depends on the name of the schedule", "give its NAME, too");
    }
    return spec;
}

Exit run_schedules_next(Context& context, const Arguments& arguments) {
    const ScheduleSpec spec = times_of(context, arguments);
    const Timestamp after = time_option(arguments, "after").value_or(context.now());
    const auto ticks = or_throw(spec.next_times(after, count_of(arguments)));
    for (const Timestamp tick : ticks) {
        const Timestamp start =
            spec.jitter == Millis(0)
                ? tick
                : tick + schedule::jitter_of(arguments.operand(0), tick, spec.jitter);
        if (context.json()) {
            JsonWriter line;
            line.open_object();
            write_time(line, "tick", tick);
            write_time(line, "start", start);
            line.close_object();
            context.print(line);
        } else {
            context.print_line(tick_line(tick, spec.zone) +
                               (start == tick ? "" : ", starts " + format_time(start)));
        }
    }
    if (ticks.empty() && !context.json()) {
        context.print_line("no time after " + format_time(after));
    }
    return Exit::ok;
}

// ---- The description ---------------------------------------------------------------------------

Operand name_operand() { return {.name = "NAME", .help = "the name of the schedule"}; }

Option by_option() {
    return {.name = "by", .value = "NAME", .help = "the person who asks. Default: $USER"};
}

Option reason_option() {
    return {.name = "reason", .value = "TEXT", .help = "why, for people to see"};
}

Option count_option() {
    return {.name = "count", .value = "N", .help = "the number of next times. Default: 5"};
}

std::vector<Option> with(std::vector<Option> options, std::vector<Option> more) {
    for (Option& option : more) options.push_back(std::move(option));
    return options;
}

Command add_schedule_command() {
    return {
        .name = "add",
        .summary = "Add a schedule",
        .details = "Its first run is due after now. Workers that have schedules start the runs.",
        .operands = {name_operand()},
        .options =
            with(spec_options(),
                 {{.name = "create", .help = "create the file of the store if there is none"},
                  by_option(),
                  request_id_option()}),
        .examples = {{"belay schedules add nightly --cron \"15 3 * * *\" --zone "
                      "Europe/Brussels --definition Import --input in.csv",
                      "each night at 3:15 in Brussels"},
                     {"belay schedules add hourly --every 1h --flow backup.yaml -p keep=3",
                      "runs of a flow"}},
        .run = run_schedules_add};
}

Command apply_schedules_command() {
    return {
        .name = "apply",
        .summary = "Add or update the schedules that a flow has in its file",
        .details =
            "A schedule is called FLOW-NAME, or FLOW-1, FLOW-2 and so on if it has no name. "
            "Those that have not changed stay as they are. One that is not in the file any more "
            "is named, and stays. Without a named store it is .belay/NAME.db beside the file.",
        .operands = {{.name = "FILE", .help = "the definition, in YAML or JSON", .file = true}},
        .options = {by_option()},
        .examples = {{"belay schedules apply backup.yaml", ""}},
        .run = run_schedules_apply};
}

Command update_schedule_command() {
    return {.name = "update",
            .summary = "Replace the times and the target of a schedule",
            .details = "Runs under way go on. Options that are not given have their defaults.",
            .operands = {name_operand()},
            .options = with(spec_options(), {by_option(), request_id_option()}),
            .examples = {{"belay schedules update nightly --every 1h --definition Import", ""}},
            .run = run_schedules_update};
}

std::vector<Command> looking_commands() {
    return {
        {.name = "list",
         .summary = "List schedules",
         .examples = {{"belay schedules list", ""}},
         .run = run_schedules_list},
        {.name = "show",
         .summary = "Show a schedule, its next times and its last runs",
         .operands = {name_operand()},
         .options = {count_option()},
         .examples = {{"belay schedules show nightly", ""}},
         .run = run_schedules_show},
        {.name = "next",
         .summary = "Print the next times of a schedule, or of one that need not exist",
         .details = "Without a name it needs no store. With one, options replace its times. If it "
                    "has a jitter, prints when each tick starts its run, too.",
         .operands = {{.name = "NAME", .help = "the name of the schedule", .required = false}},
         .options = with(
             time_options(),
             {{.name = "jitter",
               .value = "DURATION",
               .help = "with a name: as if each run were delayed by up to this"},
              {.name = "after", .value = "TIME", .help = "the times after this one. Default: now"},
              count_option()}),
         .examples = {{"belay schedules next nightly", ""},
                      {"belay schedules next --cron \"0 9 * * mon-fri\" --zone Europe/Brussels",
                       ""}},
         .run = run_schedules_next}};
}

std::vector<Command> changing_commands() {
    const std::vector<Option> note{by_option(), reason_option(), request_id_option()};
    return {
        {.name = "pause",
         .summary = "Stop the ticks of a schedule",
         .details = "Runs under way go on.",
         .operands = {name_operand()},
         .options = note,
         .examples = {{"belay schedules pause nightly --reason \"the disk is full\"", ""}},
         .run = run_schedules_pause},
        {.name = "resume",
         .summary = "Let a paused schedule go on with the next tick",
         .details = "Ticks of the pause are left out; see backfill.",
         .operands = {name_operand()},
         .options = note,
         .examples = {{"belay schedules resume nightly", ""}},
         .run = run_schedules_resume},
        {.name = "run",
         .summary = "Start a run of a schedule now",
         .details = "Starts it also while others are under way, and while it is paused.",
         .operands = {name_operand()},
         .options = note,
         .examples = {{"belay schedules run nightly", ""}},
         .run = run_schedules_run},
        {.name = "backfill",
         .summary = "Start a run for each tick of a time in the past",
         .details = "Starts one after the other, or all at once if runs may overlap.",
         .operands = {name_operand()},
         .options = with({{.name = "from", .value = "TIME", .help = "the first tick"},
                          {.name = "to", .value = "TIME", .help = "only ticks before this"}},
                         note),
         .examples = {{"belay schedules backfill nightly --from 2026-11-01 --to 2026-11-08", ""}},
         .run = run_schedules_backfill},
        {.name = "remove",
         .summary = "Remove a schedule",
         .details = "Runs under way go on.",
         .operands = {name_operand()},
         .options = with(note, {yes_option()}),
         .examples = {{"belay schedules remove nightly", ""}},
         .run = run_schedules_remove}};
}

}  // namespace

Command schedules_command() {
    std::vector<Command> commands = looking_commands();
    commands.push_back(add_schedule_command());
    commands.push_back(apply_schedules_command());
    commands.push_back(update_schedule_command());
    for (Command& command : changing_commands()) commands.push_back(std::move(command));
    return {
        .name = "schedules",
        .summary = "Look after runs that start by the clock",
        .details = "A schedule starts a run at each of its times, on any number of workers once.",
        .commands = std::move(commands),
        .without_word = "list",
    };
}

}  // namespace belay::cli
