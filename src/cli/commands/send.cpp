#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/many.hpp"
#include "cli/text.hpp"

#include <functional>

namespace belay::cli {

namespace {

using Send = std::function<Result<void>(
    const InstanceName& to, const std::string& channel, const Payload& value)>;

void print_sent(Context& context, const std::string& id, const std::string& channel) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("id", id)
            .field("space", context.space())
            .field("name", channel)
            .field("sent", true)
            .close_object();
        context.print(document);
    } else {
        context.print_line(safe(channel) + " sent to " + safe(id));
    }
}

/// Sends to the instance that is the first operand, to those of `--to`, or to those that match.
Exit send_message(Context& context, const Arguments& arguments, const Send& send) {
    std::vector<std::string> ids = arguments.values("to");
    const bool filtered = has_active_filter(arguments);
    if (filtered && !ids.empty()) {
        throw usage_problem("name instances with --to, or say which match, but not both");
    }
    const bool many = filtered || !ids.empty();
    const std::size_t at = many ? 0 : 1;  // The place of the channel among the operands.
    if (arguments.operands().size() <= at || arguments.operands().size() > at + 2) {
        throw usage_problem(many ? "with --to or a filter, the operands are a name and a value"
                                 : "the operands are an id, a name, and a value",
                            "--help shows all forms");
    }
    const std::string& channel = arguments.operand(at);
    const Payload value = values_from(context, arguments, at + 1);
    if (filtered) {
        const ManyWords words{"Send '" + safe(channel) + "' to ", "?", "reached"};
        return change_active(
            context, arguments, words, [&](const InstanceName& name) -> Result<bool> {
                const auto sent = send(name, channel, value);
                if (!sent && sent.error().code() == Errc::already_ended) return false;
                if (!sent) return sent.error();
                return true;
            });
    }
    refuse_options_of_many(arguments);
    if (!many) ids.push_back(arguments.operand(0));
    if (ids.size() > 1) {
        refuse_request_id(arguments);
        static_cast<void>(inspect_all(context, ids));
    }
    for_each_named(ids, [&](const std::string& id) {
        or_throw(send(context.name(id), channel, value));
        print_sent(context, id, channel);
    });
    return Exit::ok;
}

Exit run_raise(Context& context, const Arguments& arguments) {
    const auto raise = [&](const InstanceName& to, const std::string& event, const Payload& value) {
        return context.client().raise(to, event, value, arguments.value_or("request-id", ""));
    };
    return send_message(context, arguments, raise);
}

Exit run_enqueue(Context& context, const Arguments& arguments) {
    const auto enqueue =
        [&](const InstanceName& to, const std::string& queue, const Payload& value) {
            return context.client().enqueue(to, queue, value, arguments.value_or("request-id", ""));
        };
    return send_message(context, arguments, enqueue);
}

std::vector<Operand> operands_of(const std::string& name, const std::string& help) {
    Operand id = id_operand();
    id.help += ". Leave it out with --to or a filter";
    return {id,
            {.name = name, .help = help, .required = false},
            {.name = "VALUE",
             .help = std::string("the value that it carries: ") + kValueHelp,
             .required = false}};
}

std::vector<Option> send_options() {
    std::vector<Option> options{{.name = "to",
                                 .value = "ID",
                                 .help = "send to this instance",
                                 .repeats = true,
                                 .instance = true},
                                request_id_option()};
    const std::vector<Option> filters = active_filter_options();
    options.insert(options.end(), filters.begin(), filters.end());
    return options;
}

constexpr const char* kDetails =
    "With a filter, the command shows how many instances match and have not ended, and asks.";

}  // namespace

Command raise_command() {
    return {
        .name = "raise",
        .summary = "Raise an event for instances",
        .details = kDetails,
        .operands = operands_of("EVENT", "the name of the event"),
        .options = send_options(),
        .examples = {{"belay raise order-9 approved '{\"by\": \"bob\"}'", ""},
                     {"belay raise approved --to order-9 --to order-10", ""},
                     {"belay raise approved --definition Checkout --dry-run", ""}},
        .run = run_raise,
        .forms = {"ID EVENT [VALUE]", "EVENT [VALUE] --to ID...", "EVENT [VALUE] FILTER..."},
    };
}

Command enqueue_command() {
    return {
        .name = "enqueue",
        .summary = "Put a message into a queue of instances",
        .details = kDetails,
        .operands = operands_of("QUEUE", "the name of the queue"),
        .options = send_options(),
        .examples = {{"belay enqueue meter-1 readings 42", ""},
                     {"belay enqueue readings 42 --definition Meter --yes", ""}},
        .run = run_enqueue,
        .forms = {"ID QUEUE [VALUE]", "QUEUE [VALUE] --to ID...", "QUEUE [VALUE] FILTER..."},
    };
}

}  // namespace belay::cli
