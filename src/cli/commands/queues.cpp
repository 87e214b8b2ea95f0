#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/context.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <string>
#include <utility>

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
    document.key("paused").open_array();
    for (const Pause& one : depths.pauses) {
        document.open_object()
            .field(one.kind == PauseKind::queue ? "queue" : "definition", one.paused)
            .field("by", one.by)
            .field("reason", one.reason);
        write_time(document, "since", one.since);
        document.close_object();
    }
    document.close_array().close_object();
    context.print(document);
}

std::string since(const std::optional<Timestamp>& at, Timestamp now) {
    return at ? format_ago(*at, now) : "";
}

std::string name_of(PauseKind kind, const std::string& paused) {
    if (kind == PauseKind::definition) return "definition '" + safe(paused) + "'";
    return paused.empty() ? "the default queue" : "queue '" + safe(paused) + "'";
}

void print_pauses(Context& context, const QueueDepths& depths, Timestamp now) {
    if (depths.pauses.empty()) return;
    Table table({{.title = "PAUSED"}, {.title = "SINCE"}, {.title = "BY"}, {.title = "REASON"}});
    for (const Pause& one : depths.pauses) {
        table.add({name_of(one.kind, one.paused),
                   format_ago(one.since, now),
                   safe(one.by),
                   safe(one.reason)});
    }
    context.print("\n" + table.render(context.terminal()));
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
    print_pauses(context, depths, now);
    return Exit::ok;
}

// ---- Pause and resume --------------------------------------------------------------------------

struct Target {
    PauseKind kind = PauseKind::queue;
    std::string name;
};

Target target_of(const Arguments& arguments) {
    auto definition = arguments.value("definition");
    if (!definition) return {PauseKind::queue, arguments.value_or("queue", "")};
    if (arguments.has("queue")) {
        throw usage_problem("name a --queue or a --definition, but not both");
    }
    return {PauseKind::definition, std::move(*definition)};
}

Exit print_changed(Context& context, const Target& target, bool paused, bool changed) {
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field(target.kind == PauseKind::queue ? "queue" : "definition", target.name)
            .field("paused", paused)
            .field("changed", changed)
            .close_object();
        context.print(document);
        return Exit::ok;
    }
    std::string line = name_of(target.kind, target.name) + (paused ? " is paused" : " goes on");
    if (!changed) line += paused ? "; it was before" : "; it was not paused";
    context.print_line(line);
    return Exit::ok;
}

Exit run_pause(Context& context, const Arguments& arguments) {
    const Target target = target_of(arguments);
    const bool changed = or_throw(context.client().pause(target.kind,
                                                         target.name,
                                                         arguments.value_or("reason", ""),
                                                         arguments.value_or("by", context.user()),
                                                         arguments.value_or("request-id", "")));
    return print_changed(context, target, true, changed);
}

Exit run_resume(Context& context, const Arguments& arguments) {
    const Target target = target_of(arguments);
    const bool changed = or_throw(context.client().resume(target.kind,
                                                          target.name,
                                                          arguments.value_or("by", context.user()),
                                                          arguments.value_or("request-id", "")));
    return print_changed(context, target, false, changed);
}

}  // namespace

Command queues_command() {
    const Option queue{
        .name = "queue", .value = "NAME", .help = "the queue. Default: the default queue"};
    const Option definition{.name = "definition",
                            .value = "NAME",
                            .help = "all runs of this orchestration, instead of a queue"};
    const Option by{
        .name = "by", .value = "NAME", .help = "the person who asks for it. Default: $USER"};
    return {
        .name = "queues",
        .summary = "Show how much work waits, and pause queues and definitions",
        .details = "Everything counts over all namespaces of the store.",
        .commands =
            {{.name = "list",
              .summary = "Show how much work waits, since when, and what is paused",
              .details =
                  "The oldest timer is the one that has been due for the longest time and was "
                  "not received.",
              .examples = {{"belay queues", ""}, {"belay queues --json | jq .ready", ""}},
              .run = run_queues},
             {.name = "pause",
              .summary = "Let nothing of a queue or definition begin",
              .details = "Activities and turns that run go on. Runs of a paused definition can be "
                         "started, and wait; canceled ones clean up.",
              .options = {queue,
                          definition,
                          {.name = "reason",
                           .value = "TEXT",
                           .help = "the reason, shown by 'belay queues'",
                           .may_be_empty = true},
                          by,
                          request_id_option()},
              .examples = {{"belay queues pause --queue bank --reason 'the bank is down'", ""},
                           {"belay queues pause --definition Import", ""}},
              .run = run_pause},
             {.name = "resume",
              .summary = "End a pause",
              .options = {queue, definition, by, request_id_option()},
              .examples = {{"belay queues resume --queue bank", ""}},
              .run = run_resume}},
        .without_word = "list",
    };
}

}  // namespace belay::cli
