#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace belay::cli {

namespace {

IdConflict conflict_of(const std::string& word) {
    if (word == "use-existing") return IdConflict::use_existing;
    return word == "replace" ? IdConflict::replace : IdConflict::fail;
}

KeyScope scope_of(const std::string& word) {
    if (word == "while-active") return KeyScope::while_active;
    if (word == "until-success") return KeyScope::until_success;
    return word == "window" ? KeyScope::window : KeyScope::forever;
}

void set_key(StartOptions& options, const Arguments& arguments) {
    const auto key = arguments.value("key");
    const auto window = duration_option(arguments, "key-window");
    if (!key) {
        if (window || arguments.has("key-scope")) {
            throw usage_problem("--key-scope and --key-window say something about a --key");
        }
        return;
    }
    const std::string scope = arguments.value_or("key-scope", window ? "window" : "forever");
    if ((scope == "window") != window.has_value()) {
        throw usage_problem("--key-scope window and --key-window DURATION go together");
    }
    options.key(*key, scope_of(scope), window.value_or(Millis(0)));
}

WhenBusy when_busy_of(const std::string& word) {
    if (word == "queue") return WhenBusy::queue;
    if (word == "replace") return WhenBusy::replace;
    return word == "allow" ? WhenBusy::allow : WhenBusy::refuse;
}

WhenOver when_over_of(const std::string& word) {
    if (word == "queue") return WhenOver::queue;
    return word == "drop" ? WhenOver::drop : WhenOver::refuse;
}

void set_rate(StartOptions& options, const Arguments& arguments) {
    const std::optional<StartRate> rate = rate_option(arguments, "rate");
    if (!rate && arguments.has("when-over")) {
        throw usage_problem("--when-over says something about a --rate");
    }
    if (!rate) return;
    options.rate(rate->count, rate->per, when_over_of(arguments.value_or("when-over", "refuse")));
}

/// Sets until when and beside what it may run.
void set_terms(StartOptions& options, const Arguments& arguments) {
    if (const auto text = arguments.value("priority")) {
        std::int32_t priority = 0;
        const char* const end = text->data() + text->size();
        const auto read = std::from_chars(text->data(), end, priority);
        if (read.ec != std::errc() || read.ptr != end) {
            throw usage_problem("--priority is a whole number of at most 32 bits, not '" +
                                safe(*text) + "'");
        }
        options.priority(priority);
    }
    if (const auto after = duration_option(arguments, "expires")) options.expires(*after);
    if (const auto after = duration_option(arguments, "deadline")) options.deadline(*after);
    const auto key = arguments.value("concurrency-key");
    if (!key && arguments.has("when-busy")) {
        throw usage_problem("--when-busy says something about a --concurrency-key");
    }
    if (key) options.concurrency(*key, when_busy_of(arguments.value_or("when-busy", "refuse")));
    set_rate(options, arguments);
}

StartOptions start_options(Context& context, const Arguments& arguments) {
    StartOptions options;
    options.space(context.space()).id(arguments.value_or("id", ""));
    options.on_conflict(conflict_of(arguments.value_or("on-conflict", "fail")));
    options.started_by(arguments.value_or("by", context.user()));
    options.owner(arguments.value_or("owner", "default"));
    options.request_id(arguments.value_or("request-id", ""));
    options.version(arguments.value_or("definition-version", ""));
    options.delay(duration_option(arguments, "delay").value_or(Millis(0)));
    set_key(options, arguments);
    set_terms(options, arguments);
    for (const std::string& header : arguments.values("header")) {
        auto [name, value] = name_and_value("header", header);
        options.header(std::move(name), std::move(value));
    }
    for (const std::string& label : arguments.values("label")) {
        const auto [name, value] = name_and_value("label", label);
        options.label(name, label_value(value));
    }
    return options;
}

void print_started(Context& context, const StartResult& result) {
    const InstanceBrief& instance = result.instance;
    if (context.json()) {
        JsonWriter document;
        document.open_object();
        write_brief(document, instance);
        document.field("created", result.created)
            .field("by_key", result.by_key)
            .field("input_differs", result.input_differs)
            .field("deleted", instance.deleted)
            .close_object();
        context.print(document);
        return;
    }
    std::string line = safe(instance.name.id);
    if (result.created) {
        line += " started";
    } else {
        line += result.by_key ? " was there under this key" : " was there";
        line +=
            instance.deleted ? ", and is deleted" : ": " + std::string(to_string(instance.status));
        if (result.input_differs) line += ", with another input";
    }
    context.print_line(line);
}

/// Asks before a replacement that cancels something.
void confirm_replacement(Context& context, const Arguments& arguments, Client& client) {
    const std::string id = arguments.value_or("id", "");
    if (id.empty() || arguments.value_or("on-conflict", "") != "replace") return;
    const auto found = client.inspect(context.name(id));
    if (!found && found.error().code() == Errc::not_found) return;
    const InstanceInfo info = or_throw(found);
    if (is_terminal(info.status)) return;
    context.confirm(arguments,
                    "'" + safe(id) + "' is " + std::string(to_string(info.status)) +
                        ". Cancel it, and start another in its place?");
}

Exit run_start(Context& context, const Arguments& arguments) {
    const Opening opening = arguments.has("create") ? Opening::create : Opening::existing;
    const StartOptions options = start_options(context, arguments);
    Payload input = values_from(context, arguments, 1);
    if (!arguments.has("yes")) {
        confirm_replacement(context, arguments, context.client(opening));
    }
    const StartResult result =
        or_throw(context.client(opening).start(arguments.operand(0), std::move(input), options));
    print_started(context, result);
    return Exit::ok;
}

}  // namespace

Command start_command() {
    return {
        .name = "start",
        .summary = "Start a run of an orchestration",
        .details =
            "A worker that has its code runs it. A repeat with the same key or request id starts "
            "no "
            "second run.",
        .operands = {{.name = "DEFINITION", .help = "the name of the orchestration"},
                     {.name = "VALUE",
                      .help = std::string("the arguments, in order: ") + kValueHelp,
                      .required = false,
                      .repeats = true}},
        .options =
            {{.name = "id", .value = "ID", .help = "the id of the instance. Default: a new one"},
             {.name = "on-conflict",
              .value = "WHAT",
              .help = "if the id is in use; replace: cancels the run that has the id, after a "
                      "question. "
                      "The new run takes the id and begins when the old one has settled",
              .choices = {"fail", "use-existing", "replace"}},
             {.name = "key", .value = "KEY", .help = "an idempotency key"},
             {.name = "key-scope",
              .value = "SCOPE",
              .help = "how long the key is taken",
              .choices = {"forever", "while-active", "until-success", "window"}},
             {.name = "key-window", .value = "DURATION", .help = "how long, for the scope window"},
             {.name = "owner", .value = "NAME", .help = "the owner of the instance"},
             {.name = "by", .value = "NAME", .help = "the person who starts it. Default: $USER"},
             request_id_option(),
             {.name = "definition-version",
              .value = "VERSION",
              .help = "the version of the orchestration. Default: the registered one"},
             {.name = "delay", .value = "DURATION", .help = "wait this long before the first turn"},
             {.name = "expires",
              .value = "DURATION",
              .help =
                  "it ends as canceled if its first turn has not begun this long after the start"},
             {.name = "deadline",
              .value = "DURATION",
              .help = "it ends as failed if it has not ended this long after the start"},
             {.name = "priority",
              .value = "N",
              .help = "added to the priority of its activities; larger first. Default: 0"},
             {.name = "concurrency-key",
              .value = "KEY",
              .help = "one run of the definition with this key is under way at a time"},
             {.name = "when-busy",
              .value = "WHAT",
              .help =
                  "if another run has the concurrency key; replace: cancels it and those in line",
              .choices = {"refuse", "queue", "replace", "allow"}},
             {.name = "rate",
              .value = "N/TIME",
              .help = "at most so many runs of the definition begin within this time, as 10/1m"},
             {.name = "when-over",
              .value = "WHAT",
              .help = "if it is one too many; drop: it ends at once as canceled by policy",
              .choices = {"refuse", "queue", "drop"}},
             {.name = "label",
              .value = "NAME=VALUE",
              .help = "a label to find it by",
              .repeats = true},
             {.name = "header",
              .value = "NAME=VALUE",
              .help = "a header, passed on to its activities and children",
              .repeats = true},
             {.name = "create", .help = "create the file of the store if there is none"},
             yes_option()},
        .examples = {{"belay start Checkout order-9 4200 60 --id order-9", "three arguments"},
                     {"belay start Import '{\"path\": \"in.csv\"}' --key in.csv",
                      "JSON, and once for this key"}},
        .run = run_start,
    };
}

}  // namespace belay::cli
