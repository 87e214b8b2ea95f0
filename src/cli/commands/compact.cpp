#include "store/sqlite/compact.hpp"

#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

namespace belay::cli {

namespace {

Exit run_compact(Context& context, const Arguments& arguments) {
    const StoreUrl url = context.url();
    const Millis wait = duration_option(arguments, "wait").value_or(Millis(10'000));
    Progress progress(context.terminal());
    progress.say("writing the file anew");
    const Result<sqlite::Compacted> done = sqlite::compact(url.path, wait);
    if (!done && done.error().code() == Errc::not_found) {
        throw Problem(Exit::trouble, "there is no file '" + safe(url.path) + "'");
    }
    const sqlite::Compacted sizes = must(done);
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("bytes_before", sizes.before)
            .field("bytes_after", sizes.after)
            .close_object();
        context.print(document);
    } else {
        context.print_line("from " + format_bytes(sizes.before) + " to " +
                           format_bytes(sizes.after));
    }
    return Exit::ok;
}

}  // namespace

Command compact_command() {
    return {
        .name = "compact",
        .summary = "Give the space of what was deleted back to the disk",
        .details =
            "Writes the file anew, which takes a while for every gigabyte and as much free "
            "space again. Workers wait meanwhile, and go on; reads go on all the time.",
        .options = {{.name = "wait",
                     .value = "DURATION",
                     .help = "for others that write, so long; else 10s"}},
        .examples = {{"belay compact", ""}},
        .run = run_compact,
    };
}

}  // namespace belay::cli
