#include "cli/commands/again.hpp"
#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/many.hpp"
#include "cli/commands/wait.hpp"
#include "cli/flow/follow.hpp"
#include "cli/flow/run_reader.hpp"
#include "cli/flow/run_start.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "flow/definition/params.hpp"
#include "flow/flow_start.hpp"
#include "flow/interpreter/run_input.hpp"
#include "flow/interpreter/values.hpp"
#include "flow/resume.hpp"

#include <utility>

namespace belay::cli {

namespace {

bool has_edits(const Arguments& arguments) {
    return arguments.has("input") || arguments.has("param") || arguments.has("params");
}

RerunOptions common_rerun_options(Context& context, const Arguments& arguments) {
    RerunOptions options;
    const std::string by = arguments.value_or("by", context.user());
    options.started_by(by).delay(duration_option(arguments, "delay").value_or(Millis(0)));
    return options;
}

/// A flow starts from the beginning, also if the old run was resumed. It has edited params, or
/// those that it had.
/// Its concurrency key is that of the edited params.
void set_flow_input(Context& context,
                    const Arguments& arguments,
                    const InstanceInfo& info,
                    RerunOptions& options) {
    const Payload old = or_throw(flow::input_from_start(info));
    if (!arguments.has("param") && !arguments.has("params")) {
        options.input(old);
        return;
    }
    const flow::Bundle bundle = bundle_of(context, info);
    const auto definition = bundle.flows.find(info.definition);
    if (definition == bundle.flows.end()) {
        throw Problem(Exit::trouble, "its document has no flow '" + safe(info.definition) + "'");
    }
    const expr::Value params = given_params(context,
                                            definition->second,
                                            arguments.values("param"),
                                            arguments.value_or("params", ""),
                                            flow::decode_input(old).params);
    const auto checked = flow::check_params(definition->second, params);
    if (!checked) throw usage_problem(flow::described(checked.error()));
    const auto key = or_throw(flow::concurrency_of(definition->second, *checked));
    options.concurrency_key(key ? key->key : "");
    options.input(or_throw(flow::start_input(params)));
}

void set_input(Context& context,
               const Arguments& arguments,
               const InstanceInfo& info,
               RerunOptions& options) {
    if (arguments.has("input")) {
        if (arguments.has("param") || arguments.has("params")) {
            throw usage_problem("--input is all of the input; --param changes a part of it");
        }
        options.input(parse_values(arguments.values("input"), [&](const std::string& path) {
            return read_content(context, path);
        }));
    } else if (info.document) {
        set_flow_input(context, arguments, info, options);
    } else if (has_edits(arguments)) {
        throw usage_problem("'" + safe(info.name.id) + "' is no run of a flow, and has no params",
                            "give it another input: --input VALUE");
    }
    if (info.document && !context.user().empty()) {
        options.header(flow::kStartedByHeader, arguments.value_or("by", context.user()));
    }
}

/// Runs of flows are numbered. Children become runs of their own, and need a new name.
StartResult rerun(Context& context, const InstanceInfo& info, RerunOptions& options) {
    const InstanceAddress address(info.name, info.run);
    if (!info.document) return or_throw(context.client().rerun(address, options));
    return start_numbered(context, info.definition, [&](const std::string& id) {
        return context.client().rerun(address, options.id(id));
    });
}

// ---- One run -----------------------------------------------------------------------------------

void print_rerun(Context& context, const std::string& old, const StartResult& result) {
    const InstanceBrief& instance = result.instance;
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        write_brief(document, instance);
        document.field("created", result.created).field("rerun_of", old).close_object();
        context.print(document);
        return;
    }
    context.print_line(safe(instance.name.id) +
                       (result.created ? " started: it repeats " + safe(old) : " was there"));
}

Exit wait_for(Context& context, const Arguments& arguments, const InstanceBrief& instance) {
    const InstanceAddress address(instance.name, instance.run);
    const InstanceInfo info = or_throw(context.client().inspect(address));
    if (!info.document) {
        return print_outcome(context, instance.name, or_throw(context.client().wait(address)));
    }
    FollowOptions options = follow_options_of(context, arguments);
    options.directory = folder_of_store(context);
    ChosenFlowRun chosen;
    chosen.bundle = bundle_of(context, info);
    chosen.info = info;
    return follow(context, chosen, options);
}

Exit rerun_one(Context& context, const Arguments& arguments) {
    const InstanceInfo info =
        or_throw(context.client().inspect(context.name(arguments.operand(0))));
    RerunOptions options = common_rerun_options(context, arguments);
    set_input(context, arguments, info, options);
    options.version(arguments.value_or("code-version", ""));
    options.request_id(arguments.value_or("request-id", ""));
    const std::string id = arguments.value_or("id", "");
    const bool names_itself = !id.empty() || arguments.has("request-id");
    const StartResult result =
        names_itself
            ? or_throw(context.client().rerun(InstanceAddress(info.name, info.run), options.id(id)))
            : rerun(context, info, options);
    if (!arguments.has("wait")) {
        print_rerun(context, info.name.id, result);
        return Exit::ok;
    }
    return wait_for(context, arguments, result.instance);
}

// ---- Many runs ---------------------------------------------------------------------------------

Exit rerun_many(Context& context, const Arguments& arguments) {
    refuse_options_of_one(arguments, {"input", "param", "params", "id", "wait"});
    const AgainWords words{"Run ", " again?", "would run again", "run again", "rerun"};
    return start_many_again(context, arguments, words, [&](const InstanceInfo& info) {
        RerunOptions options = common_rerun_options(context, arguments);
        set_input(context, arguments, info, options);
        // Two people may run it again at the same moment.
        options.key("rerun " + std::to_string(info.run.key.value), KeyScope::while_active);
        return rerun(context, info, options).created;
    });
}

Exit run_rerun(Context& context, const Arguments& arguments) {
    if (chooses_many(arguments, "run again")) return rerun_many(context, arguments);
    refuse_options_of_many(arguments);
    return rerun_one(context, arguments);
}

}  // namespace

Command rerun_command() {
    std::vector<Option> options{
        {.name = "input",
         .value = "VALUE",
         .help = std::string("another input, argument by argument: ") + kValueHelp,
         .repeats = true},
        {.name = "param",
         .value = "NAME=VALUE",
         .help = "another value for a param of a flow",
         .repeats = true,
         .letter = 'p'},
        {.name = "params",
         .value = "FILE",
         .help = "other params from a file: an object of JSON",
         .file = true},
        {.name = "id", .value = "ID", .help = "the id of the new run. Default: a new one"},
        {.name = "code-version",
         .value = "VERSION",
         .help = "the version of its code. Default: the newest"},
        {.name = "delay", .value = "DURATION", .help = "wait this long before the first turn"},
        {.name = "by", .value = "NAME", .help = "the person who starts it. Default: $USER"},
        request_id_option(),
        {.name = "wait",
         .help = "print its outcome; a flow is worked on and shown as by 'belay run'"},
        {.name = "dry-run", .help = "with a filter: only print how many there are"}};
    for (const std::vector<Option>& more : {follow_words(), again_options()}) {
        options.insert(options.end(), more.begin(), more.end());
    }
    return {
        .name = "rerun",
        .summary = "Run again, from the beginning, what has ended",
        .details =
            "Starts a new run with the definition, the input, the labels and the terms of one that "
            "has ended. The new run has the label rerun-of with the id of the old one. With a "
            "filter, the command shows how many instances match and asks; without --status these "
            "are the ones that failed or were canceled. Those that were run again or resumed "
            "before "
            "are left out, and one that cannot run again does not stop the others.",
        .operands =
            {{.name = "ID", .help = "the id of the instance", .required = false, .instance = true}},
        .options = std::move(options),
        .examples = {{"belay rerun order-9", ""},
                     {"belay rerun backup-7 -p keep=3 --wait", "a flow with another param"},
                     {"belay rerun --status failed --definition Import --dry-run", ""}},
        .run = run_rerun,
    };
}

}  // namespace belay::cli
