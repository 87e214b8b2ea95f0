#include "cli/commands/wait.hpp"

#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

namespace belay::cli {

Exit print_outcome(Context& context, const InstanceName& name, const Outcome& outcome) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("id", name.id)
            .field("space", name.space)
            .field("status", to_string(outcome.status));
        write_outcome(document, outcome);
        document.close_object();
        context.print(document);
    } else {
        context.print(outcome_lines(outcome));
    }
    const bool well = outcome.status == Status::completed || outcome.status == Status::skipped;
    return well ? Exit::ok : Exit::failed;
}

namespace {

Exit run_wait(Context& context, const Arguments& arguments) {
    const InstanceName name = context.name(arguments.operand(0));
    const auto timeout = duration_option(arguments, "timeout");
    const bool settled = arguments.has("settled");
    const Millis longest = timeout.value_or(Millis::max());
    const Result<Outcome> waited = settled ? context.client().wait_until_settled(name, longest)
                                           : context.client().wait(name, longest);
    if (!waited && waited.error().code() == Errc::still_running && timeout) {
        throw Problem(Exit::timed_out,
                      "'" + safe(name.id) + "' has not " + (settled ? "settled" : "ended") +
                          " within " + format_duration(*timeout),
                      "'belay show' says what it is waiting for");
    }
    return print_outcome(context, name, or_throw(waited));
}

}  // namespace

Command wait_command() {
    return {
        .name = "wait",
        .summary = "Wait until an instance has ended, and print its outcome",
        .details =
            "Exits with 0 if it completed, with 1 if it failed or was canceled, with 6 if the time "
            "is over.",
        .operands = {id_operand()},
        .options = {{.name = "timeout", .value = "DURATION", .help = "wait no longer than this"},
                    {.name = "settled",
                     .help = "wait until no handler of it or of its children runs any more"}},
        .examples = {{"belay wait order-9 --timeout 5m", ""}, {"belay wait order-9 --settled", ""}},
        .run = run_wait,
    };
}

}  // namespace belay::cli
