#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/text.hpp"

namespace belay::cli {

namespace {

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
        throw Problem(Exit::not_found,
                      freed.error().message(),
                      "keys belong to a definition, an --owner and a --space");
    }
    must(freed);
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
        .commands = {{
            .name = "free",
            .summary = "Make an idempotency key free",
            .details = "The next start with it creates a run. The run it named stays as it is.",
            .operands = {{.name = "DEFINITION", .help = "the orchestration it was started with"},
                         {.name = "KEY", .help = "the key"}},
            .options = {{.name = "owner", .value = "NAME", .help = "whose key; else default"},
                        request_id_option(),
                        yes_option()},
            .examples = {{"belay keys free Import in.csv", ""}},
            .run = run_free_key,
        }},
    };
}

}  // namespace belay::cli
