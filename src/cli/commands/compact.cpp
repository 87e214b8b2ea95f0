#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/context.hpp"
#include "cli/values.hpp"
#include <belay/store/sqlite/compact.hpp>

namespace belay::cli {

namespace {

/// Asks if something is under way whose leases may run out while nobody can renew them.
void confirm_compact(Context& context, const Arguments& arguments) {
    const QueueDepths depths = or_throw(context.client().queue_depths());
    std::uint64_t activities = 0;
    for (const QueueDepth& queue : depths.activities) activities += queue.leased;
    if (activities + depths.locked == 0) return;
    context.confirm(arguments,
                    "Workers have " + std::to_string(activities) +
                        (activities == 1 ? " activity and " : " activities and ") +
                        counted(depths.locked, "turn") +
                        " under way, which are stopped and begin again if this takes longer than "
                        "what is left of their leases. Compact now?");
}

Exit run_compact(Context& context, const Arguments& arguments) {
    const StoreUrl url = context.url();
    const Millis wait = duration_option(arguments, "wait").value_or(Millis(10'000));
    // Refuses a file that is not Belay's, as every command does.
    (void)context.service();
    if (!arguments.has("yes")) confirm_compact(context, arguments);
    Progress progress(context.terminal());
    progress.say("writing the file anew");
    const sqlite::Compacted sizes = or_throw(sqlite::compact(url.path, wait));
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
        .summary = "Give the space of deleted rows back to the disk",
        .details =
            "Writes the file anew, which takes a while for every gigabyte: first into a temporary "
            "file ($SQLITE_TMPDIR, $TMPDIR, else /var/tmp), then into the log beside the file. "
            "Each of them needs as much free space as the file will have. Until it is done nobody "
            "can write. Workers wait, but leases that expire meanwhile are lost, and their "
            "activities are stopped and begin again. So the command asks first if activities or "
            "turns are under way. Reads go on all the time.",
        .options = {{.name = "wait",
                     .value = "DURATION",
                     .help = "how long to wait for other writers. Default: 10s"},
                    yes_option()},
        .examples = {{"belay compact", ""}},
        .run = run_compact,
    };
}

}  // namespace belay::cli
