#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

constexpr std::uint32_t kLargestKeyPage = 1'000;

const char* scope_name(KeyScope scope) {
    switch (scope) {
        case KeyScope::while_active: return "while-active";
        case KeyScope::until_success: return "until-success";
        case KeyScope::window: return "window";
        case KeyScope::forever: break;
    }
    return "forever";
}

void print_key_json(Context& context, const KeyInfo& one) {
    JsonWriter line;
    line.open_object()
        .field("key", one.key)
        .field("definition", one.definition)
        .field("owner", one.owner)
        .field("scope", scope_name(one.scope));
    write_time(line, "until", one.until);
    write_brief(line, one.instance);
    line.field("deleted", one.instance.deleted).field("taken", one.taken).close_object();
    context.print(line);
}

Exit run_list_keys(Context& context, const Arguments& arguments) {
    KeyOptions options;
    options.space(context.space()).prefix(arguments.value_or("prefix", ""));
    if (auto owner = arguments.value("owner")) options.owner(std::move(*owner));
    if (auto definition = arguments.value("definition")) options.definition(std::move(*definition));
    if (auto cursor = arguments.value("after")) options.after(std::move(*cursor));
    const bool all = arguments.has("all");
    std::uint32_t left = number_option(arguments, "limit").value_or(50);
    const Timestamp now = context.store_now();
    Table table({id_column("KEY"),
                 {.title = "DEFINITION", .least = 10},
                 {.title = "OWNER", .least = 6},
                 {.title = "SCOPE"},
                 {.title = "UNTIL"},
                 id_column("INSTANCE"),
                 {.title = "STATUS"}});
    std::string next;
    do {
        options.page_size(all ? kLargestKeyPage : std::min(left, kLargestKeyPage));
        const KeyPage page = or_throw(context.client().keys(options));
        for (const KeyInfo& one : page.keys) {
            if (context.json()) {
                print_key_json(context, one);
                continue;
            }
            std::string status(to_string(one.instance.status));
            if (one.instance.deleted) status += ", deleted";
            if (!one.taken) status += "; the key is free";
            table.add({one.key,
                       one.definition,
                       one.owner,
                       scope_name(one.scope),
                       one.until ? format_ago(*one.until, now) : "",
                       one.instance.name.id,
                       Cell(std::move(status), colour_of(one.instance.status))});
        }
        left -= std::min(left, static_cast<std::uint32_t>(page.keys.size()));
        next = page.next;
        options.after(next);
    } while (!next.empty() && (all || left > 0) && context.terminal().out.good());
    if (!context.json()) context.print(table.render(context.terminal()));
    if (!next.empty()) context.terminal().err << "there are more: --after " << next << "\n";
    return Exit::ok;
}

Exit run_free_key(Context& context, const Arguments& arguments) {
    const std::string& definition = arguments.operand(0);
    const std::string& key = arguments.operand(1);
    const std::string owner = arguments.value_or("owner", "default");
    context.confirm(arguments,
                    "Free the key '" + safe(key) + "' of " + safe(definition) +
                        ", so that it starts another run?");
    const Result<void> freed = context.client().free_key(
        context.space(), owner, definition, key, arguments.value_or("request-id", ""));
    if (!freed && freed.error().code() == Errc::not_found) {
        throw Problem(
            Exit::not_found,
            freed.error().message(),
            "'belay keys list' shows them; keys belong to a definition, an --owner and a --space");
    }
    or_throw(freed);
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("definition", definition)
            .field("key", key)
            .field("owner", owner)
            .field("space", context.space())
            .field("freed", true)
            .close_object();
        context.print(document);
    } else {
        context.print_line("the key " + safe(key) + " is free");
    }
    return Exit::ok;
}

}  // namespace

Command keys_command() {
    return {
        .name = "keys",
        .summary = "Look after idempotency keys",
        .details =
            "A key belongs to a namespace, an owner and a definition. Only one start with it "
            "creates a "
            "run.",
        .commands =
            {{.name = "list",
              .summary = "List idempotency keys with the runs they belong to",
              .details =
                  "Sorts by owner, definition and key. A key may be kept longer than its instance.",
              .options =
                  {{.name = "definition", .value = "NAME", .help = "keys of this orchestration"},
                   {.name = "owner", .value = "NAME", .help = "keys of this owner"},
                   {.name = "prefix", .value = "TEXT", .help = "keys that begin with this text"},
                   {.name = "limit", .value = "N", .help = "list at most N. Default: 50"},
                   {.name = "all", .help = "list all that match"},
                   {.name = "after",
                    .value = "CURSOR",
                    .help = "go on where an earlier list with the same options ended"}},
              .examples = {{"belay keys list --definition Import", ""},
                           {"belay keys list --json | jq -r .key", ""}},
              .run = run_list_keys},
             {.name = "free",
              .summary = "Make an idempotency key free",
              .details = "The next start with it creates a run. The run it named stays as it is.",
              .operands = {{.name = "DEFINITION",
                            .help = "the orchestration that was started with the key"},
                           {.name = "KEY", .help = "the key"}},
              .options = {{.name = "owner",
                           .value = "NAME",
                           .help = "the owner of the key. Default: default"},
                          request_id_option(),
                          yes_option()},
              .examples = {{"belay keys free Import in.csv", ""}},
              .run = run_free_key}},
        .without_word = "list",
    };
}

}  // namespace belay::cli
