#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/commands/many.hpp"
#include "cli/text.hpp"
#include <belay/flow/signals.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

namespace {

/// A message that was sent. Runs of flows answer.
using Sent = std::optional<SignalResult>;
using Send = std::function<Result<Sent>(
    const InstanceName& to, const std::string& channel, const Payload& value)>;

std::string sent_line(const std::string& id, const std::string& channel, const Sent& sent) {
    const std::string what = safe(channel);
    if (!sent) return what + " sent to " + safe(id);
    switch (sent->answer) {
        case SignalAnswer::delivered: return what + " delivered to " + safe(id);
        case SignalAnswer::kept: return what + " is early: kept, because " + safe(sent->why);
        case SignalAnswer::already:
            return what + (sent->sent ? " sent again" : " not sent") + ": " + safe(sent->why) +
                   " already";
        case SignalAnswer::not_expected: break;
    }
    return what + " sent to " + safe(id) + ", where it is not expected: " + safe(sent->why);
}

void print_sent(Context& context,
                const std::string& id,
                const std::string& channel,
                const Sent& sent) {
    if (!context.json()) return context.print_line(sent_line(id, channel, sent));
    JsonWriter document;
    document.open_object()
        .field("id", id)
        .field("space", context.space())
        .field("name", channel)
        .field("sent", !sent || sent->sent);
    if (sent) document.field("answer", to_string(sent->answer)).field("why", sent->why);
    document.close_object();
    context.print(document);
}

/// Throws a Problem for an event that no step expects, and that was not sent.
void require_expected(const std::string& id, const std::string& channel, const Sent& sent) {
    if (!sent || sent->sent || sent->answer != SignalAnswer::not_expected) return;
    throw Problem(Exit::refused,
                  "'" + safe(id) + "' does not expect '" + safe(channel) + "': " + safe(sent->why),
                  "'belay graph " + id + "' shows its steps; --anyway sends it all the same");
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
                return !*sent || (*sent)->sent;
            });
    }
    refuse_options_of_many(arguments);
    if (!many) ids.push_back(arguments.operand(0));
    if (ids.size() > 1) {
        refuse_request_id(arguments);
        static_cast<void>(inspect_all(context, ids));
    }
    for_each_named(ids, [&](const std::string& id) {
        const Sent sent = or_throw(send(context.name(id), channel, value));
        require_expected(id, channel, sent);
        print_sent(context, id, channel, sent);
    });
    return Exit::ok;
}

Exit run_raise(Context& context, const Arguments& arguments) {
    const SignalOptions options{.anyway = arguments.has("anyway"),
                                .request_id = arguments.value_or("request-id", "")};
    const auto raise = [&](const InstanceName& to,
                           const std::string& event,
                           const Payload& value) -> Result<Sent> {
        const auto info = context.client().inspect(to);
        if (info && info->document) {
            auto signal = signal_flow(
                context.client(), InstanceAddress(to, info->run), event, value, options);
            if (!signal) return signal.error();
            return Sent(std::move(*signal));
        }
        const auto sent = context.client().raise(to, event, value, options.request_id);
        if (!sent) return sent.error();
        return Sent();
    };
    return send_message(context, arguments, raise);
}

Exit run_enqueue(Context& context, const Arguments& arguments) {
    const auto enqueue = [&](const InstanceName& to,
                             const std::string& queue,
                             const Payload& value) -> Result<Sent> {
        const auto sent =
            context.client().enqueue(to, queue, value, arguments.value_or("request-id", ""));
        if (!sent) return sent.error();
        return Sent();
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

std::vector<Option> raise_options() {
    std::vector<Option> options = send_options();
    options.insert(options.begin() + 1,
                   {.name = "anyway", .help = "send it also to a flow that does not expect it"});
    return options;
}

constexpr const char* kRaiseDetails =
    "A run of a flow answers: delivered, kept for a step that has not begun, or already there. "
    "Of two events for one wait, the first wins. An event that no step expects is refused with 4. "
    "With a filter, the command shows how many instances match and have not ended, and asks.";

constexpr const char* kDetails =
    "With a filter, the command shows how many instances match and have not ended, and asks.";

}  // namespace

Command raise_command() {
    return {
        .name = "raise",
        .summary = "Raise an event for instances",
        .details = kRaiseDetails,
        .operands = operands_of("EVENT", "the name of the event"),
        .options = raise_options(),
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
