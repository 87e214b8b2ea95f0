#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include "cli/instance_view.hpp"
#include "cli/values.hpp"

namespace belay::cli {

namespace {

void print_queues_json(Context& context, const QueueDepths& depths) {
    JsonWriter document;
    document.open_object().key("queues").open_array();
    for (const QueueDepth& one : depths.activities) {
        document.open_object()
            .field("queue", one.queue)
            .field("claimable", one.claimable)
            .field("delayed", one.delayed)
            .field("leased", one.leased);
        write_time(document, "oldest", one.oldest);
        document.close_object();
    }
    document.close_array().field("ready", depths.ready);
    write_time(document, "oldest_ready", depths.oldest_ready);
    document.field("in_turn", depths.locked);
    write_time(document, "oldest_in_turn", depths.oldest_locked);
    document.field("held", depths.held);
    write_time(document, "oldest_held", depths.oldest_held);
    document.field("timers", depths.timers);
    write_time(document, "oldest_timer", depths.oldest_timer);
    document.field("dead_letters", depths.dead_letters);
    write_time(document, "oldest_dead_letter", depths.oldest_letter);
    document.field("stopping", depths.stopping);
    write_time(document, "oldest_stopping", depths.oldest_stopping);
    document.close_object();
    context.print(document);
}

std::string since(const std::optional<Timestamp>& at, Timestamp now) {
    return at ? format_ago(*at, now) : "";
}

Exit run_queues(Context& context, const Arguments&) {
    const QueueDepths depths = or_throw(context.client().queue_depths());
    if (context.json()) {
        print_queues_json(context, depths);
        return Exit::ok;
    }
    const Timestamp now = context.store_now();
    Table queues({{.title = "ACTIVITIES OF QUEUE", .least = 12},
                  {.title = "WAITING", .right = true},
                  {.title = "DELAYED", .right = true},
                  {.title = "RUNNING", .right = true},
                  {.title = "OLDEST"}});
    for (const QueueDepth& one : depths.activities) {
        queues.add({one.queue.empty() ? "(default)" : one.queue,
                    std::to_string(one.claimable),
                    std::to_string(one.delayed),
                    std::to_string(one.leased),
                    since(one.oldest, now)});
    }
    context.print(queues.render(context.terminal()) + "\n");
    Table others({{.title = "INSTANCES"}, {.title = "COUNT", .right = true}, {.title = "OLDEST"}});
    others.add({"ready for a turn", std::to_string(depths.ready), since(depths.oldest_ready, now)});
    others.add({"in a turn", std::to_string(depths.locked), since(depths.oldest_locked, now)});
    others.add({"held", std::to_string(depths.held), since(depths.oldest_held, now)});
    const std::string due =
        depths.oldest_timer ? "due " + format_ago(*depths.oldest_timer, now) : "";
    others.add({"timers set", std::to_string(depths.timers), due});
    others.add(
        {"handlers stopping", std::to_string(depths.stopping), since(depths.oldest_stopping, now)});
    others.add(
        {"dead letters", std::to_string(depths.dead_letters), since(depths.oldest_letter, now)});
    context.print(others.render(context.terminal()));
    return Exit::ok;
}

}  // namespace

Command queues_command() {
    return {
        .name = "queues",
        .summary = "Show how much work waits, and since when",
        .details =
            "Counts over all namespaces of the store. The oldest timer is the one that has been "
            "due "
            "for the longest time and was not received.",
        .examples = {{"belay queues", ""}, {"belay queues --json | jq .ready", ""}},
        .run = run_queues,
    };
}

}  // namespace belay::cli
