#include "flow/resume.hpp"

#include "cli/commands/again.hpp"
#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/wait.hpp"
#include "cli/flow/follow.hpp"
#include "cli/flow/pipeline.hpp"
#include "cli/flow/run_reader.hpp"
#include "cli/flow/run_start.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "flow/flow_start.hpp"

#include <algorithm>
#include <utility>

namespace belay::cli {

namespace {

std::string listed(const std::vector<std::string>& steps) {
    constexpr std::size_t kMostShown = 10;
    if (steps.empty()) return "nothing";
    std::string text;
    for (std::size_t i = 0; i < std::min(steps.size(), kMostShown); ++i) {
        text.append(i == 0 ? "" : ", ").append(safe(steps[i]));
    }
    const std::size_t rest = steps.size() - std::min(steps.size(), kMostShown);
    return text + (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
}

std::string told(const flow::ResumePlan& plan) {
    std::string text = "keeps " + listed(plan.kept);
    if (plan.kept_items > 0) text += " and " + counted(plan.kept_items, "item");
    return text + "; runs " + listed(plan.again);
}

void write_steps(JsonWriter& out, const char* name, const std::vector<std::string>& steps) {
    out.key(name).open_array();
    for (const std::string& step : steps) out.text(step);
    out.close_array();
}

void print_plan(Context& context, const flow::ResumePlan& plan, const StartResult* started) {
    const std::string& old = plan.from.name.id;
    if (context.json()) {
        JsonWriter out;
        out.open_object().field("preview", started == nullptr);
        if (started != nullptr) {
            write_brief(out, started->instance);
            out.field("created", started->created);
        }
        out.field("resumed_from", old);
        write_steps(out, "kept", plan.kept);
        out.field("kept_items", plan.kept_items);
        write_steps(out, "again", plan.again);
        out.close_object();
        context.print(out);
        return;
    }
    if (started == nullptr) {
        context.print_line("a run that resumes " + safe(old) + " " + told(plan));
    } else if (started->created) {
        context.print_line(safe(started->instance.name.id) + " resumes " + safe(old) + ": it " +
                           told(plan));
    } else {
        context.print_line(safe(started->instance.name.id) + " resumes " + safe(old) + " already");
    }
}

StartResult start_resumed(Context& context,
                          const Arguments& arguments,
                          const flow::ResumePlan& plan) {
    RerunOptions options;
    const std::string by = arguments.value_or("by", context.user());
    options.started_by(by);
    if (!by.empty()) options.header(flow::kStartedByHeader, by);
    if (const auto id = arguments.value("id")) {
        return or_throw(flow::resume(context.client(), plan, options.id(*id)));
    }
    return start_numbered(context, plan.from.definition, [&](const std::string& id) {
        return flow::resume(context.client(), plan, options.id(id));
    });
}

// ---- Orchestrations ----------------------------------------------------------------------------

/// Goes on from an event of the history of an orchestration.
Exit resume_at(Context& context, const Arguments& arguments, std::uint32_t event) {
    for (const char* option : {"step", "file", "dry-run"}) {
        if (!arguments.has(option)) continue;
        throw usage_problem("--" + std::string(option) +
                            " is for flows, --event for orchestrations");
    }
    const InstanceName old = context.name(arguments.operand(0));
    const std::uint32_t execution = number_option(arguments, "execution").value_or(0);
    RerunOptions options;
    options.id(arguments.value_or("id", "")).started_by(arguments.value_or("by", context.user()));
    const StartResult started = or_throw(context.client().resume(old, execution, event, options));
    if (arguments.has("wait")) {
        const InstanceAddress run(started.instance.name, started.instance.run);
        return print_outcome(context, started.instance.name, or_throw(context.client().wait(run)));
    }
    if (context.json()) {
        JsonWriter out;
        out.open_object();
        write_brief(out, started.instance);
        out.field("created", started.created).field("resumed_from", old.id).close_object();
        context.print(out);
        return Exit::ok;
    }
    context.print_line(safe(started.instance.name.id) + " resumes " + safe(old.id) +
                       " before event " + std::to_string(event));
    return Exit::ok;
}

// ---- Flows -------------------------------------------------------------------------------------

/// Reads the steps and the corrected definition. Returns the folder of its file; empty: none.
std::string read_wish(Context& context, const Arguments& arguments, flow::ResumeWish& wish) {
    wish.steps = arguments.values("step");
    const auto path = arguments.value("file");
    if (!path) return "";
    Pipeline pipeline = require_pipeline(context, *path);
    use_store_of(context, pipeline);
    wish.corrected = std::move(pipeline.bundle);
    return pipeline.folder;
}

Exit resume_many(Context& context, const Arguments& arguments) {
    refuse_options_of_one(arguments, {"id", "wait", "event", "execution"});
    flow::ResumeWish wish{InstanceName(), {}, {}};
    (void)read_wish(context, arguments, wish);
    const AgainWords words{"Resume ", "?", "would be resumed", "resumed", "resumed"};
    return start_many_again(context, arguments, words, [&](const InstanceInfo& info) {
        wish.name = InstanceAddress(info.name, info.run);
        const flow::ResumePlan plan = or_throw(flow::plan_resume(context.client(), wish));
        return start_resumed(context, arguments, plan).created;
    });
}

Exit run_resumption(Context& context, const Arguments& arguments) {
    if (chooses_many(arguments, "resume")) return resume_many(context, arguments);
    if (arguments.has("limit")) throw usage_problem("--limit is for a filter");
    if (const auto event = number_option(arguments, "event")) {
        return resume_at(context, arguments, *event);
    }
    if (arguments.has("execution")) throw usage_problem("--execution is for an --event");
    FollowOptions options = follow_options_of(context, arguments);
    flow::ResumeWish wish{context.name(arguments.operand(0)), {}, {}};
    const std::string folder = read_wish(context, arguments, wish);
    const flow::ResumePlan plan = or_throw(flow::plan_resume(context.client(), wish));
    if (arguments.has("dry-run")) {
        print_plan(context, plan, nullptr);
        return Exit::ok;
    }
    const StartResult started = start_resumed(context, arguments, plan);
    const bool follows = arguments.has("wait");
    if (!follows || options.style == Style::lines || options.style == Style::live) {
        print_plan(context, plan, &started);
    }
    if (!follows) return Exit::ok;
    options.directory = folder.empty() ? folder_of_store(context) : folder;
    ChosenFlowRun chosen;
    chosen.info = or_throw(
        context.client().inspect(InstanceAddress(started.instance.name, started.instance.run)));
    chosen.bundle = bundle_of(context, chosen.info);
    chosen.joined = !started.created;
    return follow(context, chosen, options);
}

}  // namespace

Command resume_command() {
    std::vector<Option> options{
        {.name = "step",
         .value = "STEP",
         .help =
             "run this step again, and those behind it; STEP[3] is an item of a map, STEP/INNER "
             "a step of the flow that STEP starts. Default: the steps that have not completed",
         .repeats = true},
        {.name = "file",
         .value = "FILE",
         .help = "a corrected definition for the new run",
         .file = true},
        {.name = "event",
         .value = "N",
         .help = "an orchestration: go on before the turn of this event ('belay history' numbers "
                 "them)"},
        {.name = "execution",
         .value = "N",
         .help = "with --event, if it has continued as new: the execution of the event. Default: "
                 "the last"},
        {.name = "id", .value = "ID", .help = "the id of the new run. Default: a new one"},
        {.name = "by", .value = "NAME", .help = "the person who starts it. Default: $USER"},
        {.name = "dry-run",
         .help = "only print which steps would be kept; with a filter, how many runs there are"},
        {.name = "wait",
         .help = "work on it in this process and show it until its end, as 'belay run' does"}};
    for (const std::vector<Option>& more : {follow_words(), again_options()}) {
        options.insert(options.end(), more.begin(), more.end());
    }
    return {
        .name = "resume",
        .summary = "Go on with a run that failed or was canceled",
        .details =
            "Starts a new run that keeps the results of the steps that completed, and runs the "
            "others. Items of maps and the steps of flows that a step starts are kept one by one. "
            "The old run stays as it is; the new one has the label resumed-from with its id. With "
            "a corrected definition, steps that are kept must be as they were: otherwise the "
            "answer "
            "names the step. If the run is being resumed already, no second one starts. With a "
            "filter, the command shows how many runs match and asks, as 'belay rerun' does. A run "
            "of an orchestration goes on from an event: what happened before is kept, and the "
            "calls that were open then are made again.",
        .operands =
            {{.name = "ID", .help = "the id of the run", .required = false, .instance = true}},
        .options = std::move(options),
        .examples = {{"belay resume backup-7", "from the steps that failed or were canceled"},
                     {"belay resume backup-7 --file backup.yaml --wait", "with a corrected file"},
                     {"belay resume etl-3 --step load --dry-run", ""},
                     {"belay resume etl-3 --step 'dump[17]'", "one item of a map"},
                     {"belay resume --status failed --definition backup", "many runs"},
                     {"belay resume order-9 --event 42", "an orchestration"}},
        .run = run_resumption,
    };
}

}  // namespace belay::cli
