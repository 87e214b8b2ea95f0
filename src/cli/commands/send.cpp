#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/text.hpp"

namespace belay::cli {

namespace {

Exit print_sent(Context& context, const Arguments& arguments) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("id", arguments.operand(0))
            .field("space", context.space())
            .field("name", arguments.operand(1))
            .field("sent", true)
            .close_object();
        context.print(document);
    } else {
        context.print_line(safe(arguments.operand(1)) + " sent to " + safe(arguments.operand(0)));
    }
    return Exit::ok;
}

Exit run_raise(Context& context, const Arguments& arguments) {
    must(context.client().raise(context.name(arguments.operand(0)),
                                arguments.operand(1),
                                values_from(context, arguments, 2),
                                arguments.value_or("request-id", "")));
    return print_sent(context, arguments);
}

Exit run_enqueue(Context& context, const Arguments& arguments) {
    must(context.client().enqueue(context.name(arguments.operand(0)),
                                  arguments.operand(1),
                                  values_from(context, arguments, 2),
                                  arguments.value_or("request-id", "")));
    return print_sent(context, arguments);
}

Operand value_operand() {
    return {
        .name = "VALUE", .help = std::string("what it carries: ") + kValueHelp, .required = false};
}

}  // namespace

Command raise_command() {
    return {
        .name = "raise",
        .summary = "Raise an event for an instance",
        .operands = {id_operand(), {.name = "EVENT", .help = "the event's name"}, value_operand()},
        .options = {request_id_option()},
        .examples = {{"belay raise order-9 approved '{\"by\": \"bob\"}'", ""}},
        .run = run_raise,
    };
}

Command enqueue_command() {
    return {
        .name = "enqueue",
        .summary = "Put a message into a queue of an instance",
        .operands = {id_operand(), {.name = "QUEUE", .help = "the queue's name"}, value_operand()},
        .options = {request_id_option()},
        .examples = {{"belay enqueue meter-1 readings 42", ""}},
        .run = run_enqueue,
    };
}

}  // namespace belay::cli
