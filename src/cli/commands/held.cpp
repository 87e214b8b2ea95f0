#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"

#include <algorithm>
#include <string_view>

namespace belay::cli {

namespace {

/// The lines of the reason. On a terminal they are broken between words.
std::string detail_of(const Terminal& terminal, std::string_view detail) {
    std::string text;
    while (!detail.empty()) {
        const std::size_t end = std::min(detail.find('\n'), detail.size());
        const std::string line = safe_lines(detail.substr(0, end));
        const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
        const std::size_t indent = 4 + blanks;
        const std::string words = line.substr(blanks);
        text += std::string(indent, ' ') +
                (terminal.out_is_terminal ? wrapped(words, indent, terminal.width) : words) + "\n";
        detail.remove_prefix(std::min(end + 1, detail.size()));
    }
    return text;
}

Exit run_held_list(Context& context, const Arguments& arguments) {
    ListOptions options;
    options.space(context.space()).held_only();
    const std::uint32_t limit = number_option(arguments, "limit").value_or(50);
    if (limit < 1 || limit > 1'000) {
        throw usage_problem("--limit is a number from 1 to 1000",
                            "--after CURSOR goes on where a list ended");
    }
    options.page_size(limit);
    if (auto cursor = arguments.value("after")) options.after(std::move(*cursor));
    const InstancePage page = or_throw(context.client().list(options));
    for (const ListedInstance& listed : page.instances) {
        if (context.json()) {
            JsonWriter line;
            line.open_object();
            write_brief(line, listed.instance);
            line.field("definition", listed.definition)
                .field("version", listed.version)
                .field("held_detail", listed.held_detail)
                .close_object();
            context.print(line);
            continue;
        }
        const Terminal& terminal = context.terminal();
        context.print_line(terminal.paint(Colour::bold, safe(listed.instance.name.id)) + "  " +
                           safe(listed.definition) +
                           (listed.version.empty() ? "" : ", version " + safe(listed.version)));
        context.print(detail_of(terminal, listed.held_detail));
    }
    if (page.instances.empty() && !context.json()) context.print_line("none is held");
    if (!page.next.empty()) {
        context.terminal().err << "there are more: --after " << page.next << "\n";
    }
    return Exit::ok;
}

Exit print_decided(Context& context, const std::string& id, const char* word) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("id", id)
            .field("space", context.space())
            .field(word, true)
            .close_object();
        context.print(document);
    } else {
        context.print_line(safe(id) + " is " + word);
    }
    return Exit::ok;
}

Exit run_held_release(Context& context, const Arguments& arguments) {
    const std::string& id = arguments.operand(0);
    or_throw(context.client().release(context.name(id), arguments.value_or("request-id", "")));
    return print_decided(context, id, "released");
}

Exit run_held_fail(Context& context, const Arguments& arguments) {
    const std::string& id = arguments.operand(0);
    context.confirm(arguments, "End '" + safe(id) + "' as failed, without running its code?");
    or_throw(context.client().fail_held(context.name(id),
                                        arguments.value_or("by", context.user()),
                                        arguments.value_or("reason", ""),
                                        arguments.value_or("request-id", "")));
    return print_decided(context, id, "failed");
}

}  // namespace

Command held_command() {
    return {
        .name = "held",
        .summary = "Look after instances that wait for a person",
        .details =
            "An instance is held when its code and its history disagree, or when it was "
            "written by a newer release. Nothing is lost.",
        .commands =
            {{.name = "list",
              .summary = "List held instances with the reason",
              .options = {{.name = "limit", .value = "N", .help = "list at most N. Default: 50"},
                          {.name = "after",
                           .value = "CURSOR",
                           .help = "go on where an earlier list ended"}},
              .examples = {{"belay held", ""}, {"belay held list --json", ""}},
              .run = run_held_list},
             {.name = "release",
              .summary = "Let a held instance go on",
              .details = "Use it once a worker has code that agrees with its history again.",
              .operands = {id_operand()},
              .options = {request_id_option()},
              .examples = {{"belay held release order-9", ""}},
              .run = run_held_release},
             {.name = "fail",
              .summary = "End a held instance as failed",
              .operands = {id_operand()},
              .options = {{.name = "reason",
                           .value = "TEXT",
                           .help = "the reason, kept with the instance",
                           .may_be_empty = true},
                          {.name = "by",
                           .value = "NAME",
                           .help = "the person who decides it. Default: $USER"},
                          request_id_option(),
                          yes_option()},
              .examples = {{"belay held fail order-9 --reason 'code is gone' --yes", ""}},
              .run = run_held_fail}},
        .without_word = "list",
    };
}

}  // namespace belay::cli
