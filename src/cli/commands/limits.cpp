#include "cli/commands/all.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace belay::cli {

namespace {

std::string limit_text(const std::string& queue) { return queue.empty() ? "(default)" : queue; }

std::string limit_text(const std::optional<std::uint32_t>& count) {
    return count ? std::to_string(*count) : "";
}

/// Exactly as it could be said again.
std::string limit_text(const std::optional<StartRate>& rate) {
    if (!rate) return "";
    constexpr std::pair<Millis, const char*> kUnits[] = {
        {std::chrono::hours(24), "d"},
        {std::chrono::hours(1), "h"},
        {std::chrono::minutes(1), "m"},
        {std::chrono::seconds(1), "s"},
        {Millis(1), "ms"},
    };
    const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& one) {
        return rate->per % one.first == Millis(0);
    });
    return std::to_string(rate->count) + "/" + std::to_string(rate->per / unit->first) +
           unit->second;
}

void write_rate(JsonWriter& out, const char* name, const std::optional<StartRate>& rate) {
    if (!rate) return;
    out.key(name)
        .open_object()
        .field("count", rate->count)
        .field("per_ms", rate->per.count())
        .close_object();
}

void print_limits_json(Context& context, const StoredQueueLimits& one) {
    JsonWriter line;
    line.open_object().field("queue", one.queue);
    if (one.limits.running) line.field("running", *one.limits.running);
    if (one.limits.running_per_key) line.field("running_per_key", *one.limits.running_per_key);
    write_rate(line, "started", one.limits.started);
    write_rate(line, "started_per_key", one.limits.started_per_key);
    write_time(line, "set_at", one.set_at);
    line.field("by", one.by).close_object();
    context.print(line);
}

Exit run_limits_list(Context& context, const Arguments&) {
    const QueueDepths depths = or_throw(context.client().queue_depths());
    Table table({{.title = "QUEUE", .least = 12},
                 {.title = "RUNNING", .right = true},
                 {.title = "PER KEY", .right = true},
                 {.title = "STARTED", .right = true},
                 {.title = "PER KEY", .right = true},
                 {.title = "BY", .least = 8}});
    for (const StoredQueueLimits& one : depths.limits) {
        if (context.json()) {
            print_limits_json(context, one);
        } else {
            table.add({limit_text(one.queue),
                       limit_text(one.limits.running),
                       limit_text(one.limits.running_per_key),
                       limit_text(one.limits.started),
                       limit_text(one.limits.started_per_key),
                       one.by});
        }
    }
    if (!context.json()) context.print(table.render(context.terminal()));
    return Exit::ok;
}

Exit print_done(Context& context, const std::string& queue, const char* word) {
    if (context.json()) {
        JsonWriter document;
        document.open_object().field("queue", queue).field(word, true).close_object();
        context.print(document);
    } else {
        context.print_line("the limits of queue " + safe(limit_text(queue)) + " are " + word);
    }
    return Exit::ok;
}

Exit run_limits_set(Context& context, const Arguments& arguments) {
    QueueLimits limits;
    limits.running = number_option(arguments, "running");
    limits.running_per_key = number_option(arguments, "running-per-key");
    limits.started = rate_option(arguments, "started");
    limits.started_per_key = rate_option(arguments, "started-per-key");
    if (limits.empty()) {
        throw usage_problem("nothing says how much", "say --running 10 or --started 100/1s");
    }
    const std::string queue = arguments.value_or("queue", "");
    or_throw(context.client().set_queue_limits(queue,
                                               limits,
                                               arguments.value_or("by", context.user()),
                                               arguments.value_or("request-id", "")));
    return print_done(context, queue, "set");
}

Exit run_limits_clear(Context& context, const Arguments& arguments) {
    const std::string queue = arguments.value_or("queue", "");
    or_throw(context.client().clear_queue_limits(
        queue, arguments.value_or("by", context.user()), arguments.value_or("request-id", "")));
    return print_done(context, queue, "cleared");
}

}  // namespace

Command limits_command() {
    const Option queue{
        .name = "queue", .value = "NAME", .help = "the queue. Default: the default queue"};
    const Option by{
        .name = "by", .value = "NAME", .help = "the person who sets it. Default: $USER"};
    return {
        .name = "limits",
        .summary = "Look after the limits of queues",
        .details = "A limit counts over all namespaces and all workers of the store.",
        .commands =
            {{.name = "list",
              .summary = "Show the queues that have limits",
              .examples = {{"belay limits list", ""}},
              .run = run_limits_list},
             {.name = "set",
              .summary = "Set the limits of a queue, instead of those before",
              .details = "Activities that run already are not stopped. 0 stops the queue.",
              .options =
                  {queue,
                   {.name = "running", .value = "N", .help = "at most N activities run at once"},
                   {.name = "running-per-key",
                    .value = "N",
                    .help = "at most N activities of one fairness key run at once"},
                   {.name = "started",
                    .value = "N/TIME",
                    .help = "at most N activities begin within this time"},
                   {.name = "started-per-key",
                    .value = "N/TIME",
                    .help = "at most N activities of one fairness key begin within this time"},
                   by,
                   request_id_option()},
              .examples = {{"belay limits set --queue bank --running 20 --started 100/1s", ""}},
              .run = run_limits_set},
             {.name = "clear",
              .summary = "Remove the limits of a queue",
              .options = {queue, by, request_id_option()},
              .examples = {{"belay limits clear --queue bank", ""}},
              .run = run_limits_clear}},
        .without_word = "list",
    };
}

}  // namespace belay::cli
