#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include "cli/instance_view.hpp"
#include "cli/values.hpp"

#include <algorithm>

namespace belay::cli {

namespace {

void print_lease_json(Context& context,
                      const char* kind,
                      const InstanceName& instance,
                      const std::string& name,
                      const std::string& worker,
                      std::uint32_t attempt,
                      const std::optional<Timestamp>& since,
                      Timestamp until,
                      std::uint32_t overruns = 0) {
    JsonWriter line;
    line.open_object()
        .field("kind", kind)
        .field("id", instance.id)
        .field("space", instance.space)
        .field("name", name)
        .field("worker", worker)
        .field("attempt", attempt);
    write_time(line, "since", since);
    write_time(line, "until", until);
    if (overruns > 0) line.field("overruns", overruns);
    line.close_object();
    context.print(line);
}

void print_session_json(Context& context, const SessionLease& session) {
    JsonWriter line;
    line.open_object()
        .field("kind", "session")
        .field("space", session.space)
        .field("name", session.name)
        .field("worker", session.worker);
    write_time(line, "until", session.until);
    line.close_object();
    context.print(line);
}

Exit run_leases(Context& context, const Arguments& arguments) {
    const std::uint32_t limit = number_option(arguments, "limit").value_or(1'000);
    const auto leases = or_throw(context.client().leases(limit));
    const bool cut_off = leases.activities.size() >= limit || leases.turns.size() >= limit;
    const Timestamp now = context.store_now();
    Table table({{.title = "WORKER", .least = 12, .holds = Holds::id},
                 id_column("INSTANCE"),
                 {.title = "WHAT", .least = 8},
                 {.title = "ATTEMPT", .right = true},
                 {.title = "HELD FOR", .right = true},
                 {.title = "LEASE ENDS"}});
    // A claim of an older release has no such time.
    const auto held_for = [&](const std::optional<Timestamp>& since) {
        return since ? format_duration(std::max(now - *since, Millis(0))) : std::string();
    };
    for (const ActivityLease& one : leases.activities) {
        if (context.json()) {
            print_lease_json(context,
                             "activity",
                             one.instance,
                             one.name,
                             one.worker,
                             one.attempt,
                             one.since,
                             one.until);
        } else {
            table.add({one.worker,
                       one.instance.id,
                       one.name,
                       std::to_string(one.attempt),
                       held_for(one.since),
                       format_ago(one.until, now)});
        }
    }
    for (const TurnLock& one : leases.turns) {
        if (context.json()) {
            print_lease_json(context,
                             "turn",
                             one.instance.name,
                             "",
                             one.worker,
                             one.attempt,
                             one.since,
                             one.until,
                             one.overruns);
        } else {
            table.add({one.worker,
                       one.instance.name.id,
                       one.overruns > 0 ? "(turn, after one past its limit)" : "(turn)",
                       std::to_string(one.attempt),
                       held_for(one.since),
                       format_ago(one.until, now)});
        }
    }
    for (const SessionLease& one : leases.sessions) {
        if (context.json()) {
            print_session_json(context, one);
        } else {
            table.add(
                {one.worker, "", "(session " + one.name + ")", "", "", format_ago(one.until, now)});
        }
    }
    if (!context.json()) context.print(table.render(context.terminal()));
    if (cut_off) {
        context.terminal().err << "there may be more: --limit N, above " << limit << ", at most "
                               << requests::ListLeases::kMost << "\n";
    }
    return Exit::ok;
}

}  // namespace

Command leases_command() {
    return {
        .name = "leases",
        .summary = "Show which worker has which activities, turns and sessions",
        .details =
            "Shows all namespaces of the store. A worker renews its leases as long as it lives. "
            "When a lease ends, another worker may take the work. HELD FOR counts from the claim.",
        .options = {{.name = "limit",
                     .value = "N",
                     .help = "show at most N, up to 10000. Default: 1000"}},
        .examples = {{"belay leases", ""}},
        .run = run_leases,
    };
}

}  // namespace belay::cli
