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

std::uint64_t letter_number(const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || stopped != end) {
        throw usage_problem("'" + safe(text) + "' is no number of a letter",
                            "'belay dead-letters list' shows them");
    }
    return value;
}

struct Letters {
    std::vector<DeadLetter> shown;
    bool more = false;
};

/// At most `limit` behind the one numbered `after`; with --space only those whose instance is
/// there, and in it.
Letters letters_of(Context& context, const Arguments& arguments) {
    constexpr std::uint32_t kPage = 1'000;
    const std::size_t limit = number_option(arguments, "limit").value_or(50);
    const bool all_spaces = !arguments.has("space");
    std::uint64_t after =
        arguments.has("after") ? letter_number(arguments.value_or("after", "")) : 0;
    Letters found;
    while (true) {
        const auto page = or_throw(context.client().dead_letters(after, kPage));
        for (const DeadLetter& letter : page) {
            after = letter.id;
            const bool here = letter.instance && letter.instance->space == context.space();
            if (!all_spaces && !here) continue;
            found.more = found.shown.size() >= limit;
            if (found.more) return found;
            found.shown.push_back(letter);
        }
        if (page.size() < kPage) return found;
    }
}

Exit run_letters_list(Context& context, const Arguments& arguments) {
    const auto [letters, more] = letters_of(context, arguments);
    Table table({{.title = "LETTER", .right = true},
                 id_column("INSTANCE"),
                 {.title = "KIND"},
                 {.title = "NAME", .least = 8},
                 {.title = "SINCE"},
                 remark_column("REASON")});
    for (const DeadLetter& letter : letters) {
        if (context.json()) {
            print_letter_json(context, letter);
            continue;
        }
        table.add({std::to_string(letter.id),
                   letter.instance ? letter.instance->id : "(gone)",
                   std::string(kind_word(letter.message.kind)),
                   letter.message.name,
                   format_ago(letter.at, context.store_now()),
                   letter.reason});
    }
    if (!context.json()) context.print(table.render(context.terminal()));
    if (more && !letters.empty()) {
        context.terminal().err << "there are more: --after " << letters.back().id << "\n";
    }
    return Exit::ok;
}

/// Explains `not_found`. It may be about the letter, about the run it was meant for, or about the
/// instance that was named instead.
Problem not_found_problem(Context& context,
                          const Error& error,
                          std::uint64_t letter,
                          const std::optional<InstanceName>& to = std::nullopt) {
    const auto found = context.client().dead_letters(letter == 0 ? 0 : letter - 1, 1);
    if (!found || found->empty() || found->front().id != letter) {
        return Problem(
            Exit::not_found, error.message(), "'belay dead-letters list' shows which there are");
    }
    if (to) return problem_of(error);
    return Problem(Exit::not_found,
                   error.message(),
                   "it was deleted: send the letter to another one with --to ID, or discard it");
}

Exit run_letters_redrive(Context& context, const Arguments& arguments) {
    const std::uint64_t letter = letter_number(arguments.operand(0));
    std::optional<InstanceName> to;
    if (const auto id = arguments.value("to")) to = context.name(*id);
    const auto sent = context.client().redrive(letter, to, arguments.value_or("request-id", ""));
    if (!sent && sent.error().code() == Errc::not_found) {
        throw not_found_problem(context, sent.error(), letter, to);
    }
    const InstanceBrief brief = or_throw(sent);
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
    const std::uint64_t letter = letter_number(arguments.operand(0));
    context.confirm(arguments, "Throw letter " + std::to_string(letter) + " away for good?");
    const auto discarded = context.client().discard(letter, arguments.value_or("request-id", ""));
    if (!discarded && discarded.error().code() == Errc::not_found) {
        throw not_found_problem(context, discarded.error(), letter);
    }
    or_throw(discarded);
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
    const Operand letter{.name = "LETTER", .help = "the number of the letter"};
    return {
        .name = "dead-letters",
        .summary = "Look after messages that could not be delivered",
        .commands =
            {{.name = "list",
              .summary = "List dead letters, in the order they came",
              .details =
                  "Lists the letters of all namespaces, or with --space those of its instances.",
              .options =
                  {{.name = "after", .value = "LETTER", .help = "only letters that came later"},
                   {.name = "limit", .value = "N", .help = "list at most N. Default: 50"}},
              .examples = {{"belay dead-letters list", ""}},
              .run = run_letters_list},
             {.name = "redrive",
              .summary = "Send a dead letter again, as a new message",
              .operands = {letter},
              .options = {{.name = "to",
                           .value = "ID",
                           .help = "the instance to send it to. Default: the one it was for",
                           .instance = true},
                          request_id_option()},
              .examples = {{"belay dead-letters redrive 7", ""}},
              .run = run_letters_redrive},
             {.name = "discard",
              .summary = "Delete a dead letter",
              .operands = {letter},
              .options = {request_id_option(), yes_option()},
              .examples = {{"belay dead-letters discard 7 --yes", ""}},
              .run = run_letters_discard}},
        .without_word = "list",
    };
}

}  // namespace belay::cli
