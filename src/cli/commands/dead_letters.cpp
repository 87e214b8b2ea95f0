#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <charconv>

namespace belay::cli {

namespace {

std::string_view kind_word(MessageKind kind) {
    switch (kind) {
        case MessageKind::activity_completed: return "activity completed";
        case MessageKind::activity_failed: return "activity failed";
        case MessageKind::timer_fired: return "timer fired";
        case MessageKind::child_completed: return "child completed";
        case MessageKind::child_failed: return "child failed";
        case MessageKind::child_canceled: return "child canceled";
        case MessageKind::event_raised: return "event";
        case MessageKind::queue_message: return "queue message";
    }
    return "unknown";
}

void print_letter_json(Context& context, const DeadLetter& letter) {
    JsonWriter line;
    line.open_object().field("letter", letter.id).field("run", to_string(letter.run));
    line.key("instance");
    if (letter.instance) {
        line.text(letter.instance->id);
        line.field("space", letter.instance->space);
    } else {
        line.null();
    }
    line.field("kind", kind_word(letter.message.kind))
        .field("name", letter.message.name)
        .field("reason", letter.reason);
    write_time(line, "at", letter.at);
    line.key("payload");
    write_payload(line, letter.message.payload);
    line.close_object();
    context.print(line);
}

Exit run_letters_list(Context& context, const Arguments& arguments) {
    const auto letters =
        must(context.client().dead_letters(number_option(arguments, "after").value_or(0),
                                           number_option(arguments, "limit").value_or(50)));
    Table table({{.title = "LETTER", .right = true},
                 {.title = "INSTANCE", .least = 12},
                 {.title = "KIND"},
                 {.title = "NAME", .least = 8},
                 {.title = "SINCE"},
                 {.title = "REASON", .least = 10}});
    for (const DeadLetter& letter : letters) {
        if (context.json()) {
            print_letter_json(context, letter);
            continue;
        }
        table.add({std::to_string(letter.id),
                   letter.instance ? letter.instance->id : "(gone)",
                   std::string(kind_word(letter.message.kind)),
                   letter.message.name,
                   format_ago(letter.at, context.store().now()),
                   letter.reason});
    }
    if (!context.json()) context.print(table.render(context.terminal()));
    return Exit::ok;
}

std::uint64_t letter_number(const Arguments& arguments) {
    const std::string& text = arguments.operand(0);
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || stopped != end) {
        throw usage_problem("'" + safe(text) + "' is no number of a letter",
                            "'belay dead-letters list' shows them");
    }
    return value;
}

/// The advice of `not_found` is about instances; here it is about letters.
template <class T>
Result<T> about_letters(Result<T> result) {
    if (!result && result.error().code() == Errc::not_found) {
        throw Problem(Exit::not_found,
                      result.error().message(),
                      "'belay dead-letters list' shows which there are");
    }
    return result;
}

Exit run_letters_redrive(Context& context, const Arguments& arguments) {
    const std::uint64_t letter = letter_number(arguments);
    std::optional<InstanceName> to;
    if (const auto id = arguments.value("to")) to = context.name(*id);
    const InstanceBrief brief = must(
        about_letters(context.client().redrive(letter, to, arguments.value_or("request-id", ""))));
    if (context.json()) {
        JsonWriter document;
        document.open_object().field("letter", letter);
        write_brief(document, brief);
        document.close_object();
        context.print(document);
    } else {
        context.print_line("letter " + std::to_string(letter) + " sent to " + safe(brief.name.id));
    }
    return Exit::ok;
}

Exit run_letters_discard(Context& context, const Arguments& arguments) {
    const std::uint64_t letter = letter_number(arguments);
    context.confirm(arguments, "Throw letter " + std::to_string(letter) + " away for good?");
    must(about_letters(context.client().discard(letter, arguments.value_or("request-id", ""))));
    if (context.json()) {
        JsonWriter document;
        document.open_object().field("letter", letter).field("discarded", true).close_object();
        context.print(document);
    } else {
        context.print_line("letter " + std::to_string(letter) + " is gone");
    }
    return Exit::ok;
}

}  // namespace

Command dead_letters_command() {
    const Operand letter{.name = "LETTER", .help = "the letter's number"};
    return {
        .name = "dead-letters",
        .summary = "Look after messages that could not be delivered",
        .commands =
            {{.name = "list",
              .summary = "List them, in the order they came",
              .options = {{.name = "after", .value = "LETTER", .help = "only what came later"},
                          {.name = "limit", .value = "N", .help = "at most so many; else 50"}},
              .examples = {{"belay dead-letters list", ""}},
              .run = run_letters_list},
             {.name = "redrive",
              .summary = "Send one again, as a new message",
              .operands = {letter},
              .options = {{.name = "to", .value = "ID", .help = "to another instance"},
                          request_id_option()},
              .examples = {{"belay dead-letters redrive 7", ""}},
              .run = run_letters_redrive},
             {.name = "discard",
              .summary = "Throw one away",
              .operands = {letter},
              .options = {request_id_option(), yes_option()},
              .examples = {{"belay dead-letters discard 7 --yes", ""}},
              .run = run_letters_discard}},
    };
}

}  // namespace belay::cli
