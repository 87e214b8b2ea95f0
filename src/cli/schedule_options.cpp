#include "cli/schedule_options.hpp"

#include "cli/commands/input.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/run_start.hpp"
#include "cli/payload_view.hpp"
#include "flow/flow_schedule.hpp"

#include <utility>

namespace belay::cli {

namespace {

Overlap overlap_of(const std::string& word) {
    if (word == "queue") return Overlap::queue;
    if (word == "queue-all") return Overlap::queue_all;
    if (word == "cancel") return Overlap::cancel;
    return word == "allow" ? Overlap::allow : Overlap::skip;
}

CatchUp catch_up_of(const std::string& word) {
    if (word == "none") return CatchUp::none;
    return word == "all" ? CatchUp::all : CatchUp::one;
}

template <class T>
void set_if(std::optional<T> value, T& out) {
    if (value) out = std::move(*value);
}
template <class T>
void set_if(std::optional<T> value, std::optional<T>& out) {
    if (value) out = std::move(value);
}

/// One of these options takes the place of the others, those of a file included.
void read_rule(const Arguments& arguments, ScheduleSpec& spec) {
    if (!arguments.has("cron") && !arguments.has("every") && !arguments.has("at")) return;
    if (arguments.has("zone") && !arguments.has("cron")) {
        throw usage_problem("--zone is for --cron; other times have their own offset",
                            "write --at 2026-11-15T16:00:00+01:00, or leave out --zone");
    }
    if (!arguments.has("cron")) spec.zone = ScheduleSpec().zone;
    spec.cron = arguments.value_or("cron", "");
    spec.every = duration_option(arguments, "every");
    spec.at = time_option(arguments, "at");
}

/// The target, if it is a flow. Uses the store of the flow unless one is named.
void read_flow(Context& context,
               const Arguments& arguments,
               const std::string& name,
               ScheduleSpec& spec) {
    const auto file = arguments.value("flow");
    if (!file) {
        if (!arguments.has("param") && !arguments.has("params")) return;
        throw usage_problem("--param and --params are for a --flow", "others have an --input");
    }
    if (arguments.has("definition") || arguments.has("input")) {
        throw usage_problem("--flow is the target: leave out --definition and --input");
    }
    const Pipeline pipeline = require_pipeline(context, *file);
    const expr::Value params = given_params(context,
                                            pipeline.bundle.main_flow(),
                                            arguments.values("param"),
                                            arguments.value_or("params", ""));
    spec = or_throw(flow::schedule_flow(pipeline.bundle, params, name, std::move(spec)));
    use_store_of(context, pipeline);
}

}  // namespace

std::vector<Option> time_options() {
    return {
        {.name = "cron",
         .value = "FIELDS",
         .help = "minute, hour, day of the month, month, day of the week: \"15 3 * * *\", or "
                 "@hourly, @daily, @weekly, @monthly, @yearly"},
        {.name = "every", .value = "DURATION", .help = "at this interval"},
        {.name = "at", .value = "TIME", .help = "once"},
        {.name = "zone", .value = "NAME", .help = "the time zone of --cron. Default: UTC"},
        {.name = "starts", .value = "TIME", .help = "not before. An interval begins here"},
        {.name = "ends", .value = "TIME", .help = "not at or after"},
    };
}

std::vector<Option> spec_options() {
    std::vector<Option> options = time_options();
    const std::vector<Option> more{
        {.name = "spec",
         .value = "FILE",
         .help = "all of it as JSON. Other options replace what the file says",
         .file = true},
        {.name = "definition", .value = "NAME", .help = "the orchestration that it starts"},
        {.name = "flow",
         .value = "FILE",
         .help = "a flow, as it is now: a change of the file does not change the schedule",
         .file = true},
        {.name = "param",
         .value = "NAME=VALUE",
         .help = "with --flow, a param; a list or a map as JSON",
         .repeats = true,
         .letter = 'p'},
        {.name = "params",
         .value = "FILE",
         .help = "with --flow, params from a file: an object of JSON",
         .file = true},
        {.name = "input",
         .value = "VALUE",
         .help = std::string("an argument of each run: ") + kValueHelp,
         .repeats = true,
         .may_be_empty = true},
        {.name = "owner", .value = "NAME", .help = "the owner of each run"},
        {.name = "jitter", .value = "DURATION", .help = "delay each run by up to this"},
        {.name = "overlap",
         .value = "WHAT",
         .help = "if a run is under way when the next one is due. Default: skip",
         .choices = {"skip", "queue", "queue-all", "cancel", "allow"}},
        {.name = "catch-up",
         .value = "WHAT",
         .help = "which of the runs to start that were due while no worker ran. Default: one",
         .choices = {"none", "one", "all"}},
        {.name = "catch-up-within",
         .value = "DURATION",
         .help = "leave out runs that were due longer ago. Default: 1d"},
        {.name = "pause-on-failure", .help = "pause the schedule when a run fails"},
        {.name = "description", .value = "TEXT", .help = "a text for people"},
    };
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

void read_times(const Arguments& arguments, ScheduleSpec& spec) {
    read_rule(arguments, spec);
    set_if(arguments.value("zone"), spec.zone);
    set_if(time_option(arguments, "starts"), spec.starts);
    set_if(time_option(arguments, "ends"), spec.ends);
}

ScheduleSpec read_schedule(Context& context, const Arguments& arguments, const std::string& name) {
    const auto read = [&](const std::string& path) { return read_content(context, path); };
    ScheduleSpec spec;
    if (const auto file = arguments.value("spec")) {
        spec = or_throw(ScheduleSpec::parse(read(*file)));
    }
    read_times(arguments, spec);
    set_if(arguments.value("definition"), spec.definition);
    if (arguments.has("input")) spec.input = parse_values(arguments.values("input"), read);
    set_if(arguments.value("owner"), spec.owner);
    set_if(duration_option(arguments, "jitter"), spec.jitter);
    if (const auto word = arguments.value("overlap")) spec.overlap = overlap_of(*word);
    if (const auto word = arguments.value("catch-up")) spec.catch_up = catch_up_of(*word);
    set_if(duration_option(arguments, "catch-up-within"), spec.catch_up_within);
    if (arguments.has("pause-on-failure")) spec.pause_on_failure = true;
    set_if(arguments.value("description"), spec.description);
    read_flow(context, arguments, name, spec);
    return spec;
}

}  // namespace belay::cli
