#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include <belay/store/sqlite/backup.hpp>

namespace belay::cli {

namespace {

Exit run_backup(Context& context, const Arguments& arguments) {
    const StoreUrl url = context.url();
    const std::string& copy = arguments.operand(0);
    if (replaces_file(copy)) {
        throw Problem(Exit::refused,
                      "'" + safe(copy) + "' is there already, and stays as it is",
                      "name a file that is not there: a backup replaces nothing");
    }
    // Refuses a file that is not there or not Belay's, as every command does.
    (void)context.service();
    Progress progress(context.terminal());
    progress.say("copying");
    const std::uint64_t bytes = or_throw(sqlite::back_up(url.path, copy));
    if (context.json()) {
        JsonWriter document;
        document.open_object().field("file", copy).field("bytes", bytes).close_object();
        context.print(document);
    } else {
        context.print_line(safe(copy) + " has " + format_bytes(bytes));
    }
    return Exit::ok;
}

}  // namespace

Command backup_command() {
    return {
        .name = "backup",
        .summary = "Copy a store as it is at one moment, while workers run",
        .details =
            "The copy is one file, complete and on the disk when it appears under its name, and "
            "only its owner may read it. A file that is there is never overwritten. Workers go on "
            "meanwhile. The log beside the store grows until the copy is done. No right to write "
            "to the store is needed. docs/operating/production.md says how to restore.",
        .operands = {{.name = "FILE", .help = "the copy, which must not be there", .file = true}},
        .examples = {{"belay backup orders-2026-11-15.db", ""},
                     {"belay backup copy.db && belay doctor --store sqlite:copy.db",
                      "and look whether the copy is well"}},
        .run = run_backup,
    };
}

}  // namespace belay::cli
