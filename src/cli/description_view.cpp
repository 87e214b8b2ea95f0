#include "cli/description_view.hpp"

#include "base/sha256.hpp"
#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/payload_view.hpp"
#include "cli/span_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include <belay/shown_status.hpp>

#include <map>

namespace belay::cli {

namespace {

/// More than this is no drawing any more; `history` shows the rest.
constexpr std::size_t kMostSpans = 40;
constexpr std::size_t kMostValues = 20;
constexpr std::size_t kMostAwaited = 20;

/// `text` behind `indent` columns. On a terminal its lines are broken between words.
std::string on_lines(const Terminal& terminal, const std::string& text, std::size_t indent) {
    return (terminal.out_is_terminal ? wrapped(text, indent, terminal.width) : text) + "\n";
}

std::string line_of(const Terminal& terminal, const std::string& name, const std::string& value) {
    constexpr std::size_t kNameColumns = 14;
    return "  " + name + std::string(kNameColumns - std::min(kNameColumns - 1, name.size()), ' ') +
           on_lines(terminal, value, kNameColumns + 2);
}

std::string moment(Timestamp at, Timestamp now) {
    return format_time(at) + " (" + format_ago(at, now) + ")";
}

std::string render_values(const Terminal& terminal, const InstanceDescription& description) {
    std::string text;
    for (const auto& [name, value] : description.info.labels) {
        JsonWriter label;
        write_labels(label, {{name, value}});
        text += line_of(terminal, "label", safe(label.str().substr(1, label.str().size() - 2)));
    }
    std::size_t shown = 0;
    for (const auto& [key, value] : description.values) {
        if (shown++ == kMostValues) {
            text += line_of(
                terminal,
                "value",
                "... and " + std::to_string(description.values.size() - kMostValues) + " more");
            break;
        }
        text += line_of(terminal, "value", safe(key + " = " + payload_line(value)));
    }
    return text;
}

/// Shows the terms of its start: its key, until when and beside what it may run.
std::string render_start(const Terminal& terminal, const InstanceInfo& info, Timestamp now) {
    std::string text;
    if (info.key) text += line_of(terminal, "key", safe(*info.key));
    if (info.priority != 0) text += line_of(terminal, "priority", std::to_string(info.priority));
    if (info.concurrency_key) {
        text += line_of(terminal,
                        "concurrency",
                        safe(*info.concurrency_key) + (info.in_line ? ", waits in line" : ""));
    }
    if (info.expires_at && info.status == Status::pending) {
        text += line_of(terminal, "expires", moment(*info.expires_at, now));
    }
    if (info.deadline && !is_terminal(info.status)) {
        text += line_of(terminal, "deadline", moment(*info.deadline, now));
    }
    return text;
}

std::string render_facts(const Terminal& terminal, const InstanceDescription& description) {
    const InstanceInfo& info = description.info;
    const Timestamp now = description.as_of;
    std::string text =
        terminal.paint(Colour::bold, safe(info.name.id)) + "  " +
        terminal.paint(colour_of(shown_status(info)), to_string(shown_status(info))) +
        (info.held ? terminal.paint(Colour::red, "  held") : "") + "\n";
    text += line_of(
        terminal,
        "definition",
        safe(info.definition) + (info.version.empty() ? "" : ", version " + safe(info.version)));
    if (info.document) {
        text += line_of(
            terminal,
            "document",
            base::short_hex(*info.document) + ", number " + std::to_string(info.document_number));
    }
    if (info.on_fail_of) {
        text += line_of(terminal, "for failure", "of run " + to_string(*info.on_fail_of));
    }
    text += line_of(terminal, "namespace", safe(info.name.space) + ", owner " + safe(info.owner));
    if (description.parent_id) {
        text += line_of(terminal,
                        "parent",
                        safe(*description.parent_id) + ", root " + safe(description.root_id));
    }
    text += line_of(terminal,
                    "started",
                    moment(info.created_at, now) +
                        (info.started_by.empty() ? "" : " by " + safe(info.started_by)));
    text += render_start(terminal, info, now);
    if (info.started_at) text += line_of(terminal, "first turn", moment(*info.started_at, now));
    if (info.execution > 1) text += line_of(terminal, "execution", std::to_string(info.execution));
    text += line_of(terminal, "input", safe(payload_line(info.input)));
    if (info.custom_status) {
        text += line_of(terminal, "says", safe(payload_line(*info.custom_status)));
    }
    text += render_values(terminal, description);
    if (info.cancel) {
        text += line_of(terminal,
                        "canceled",
                        cancel_line(*info.cancel) + ", " + moment(info.cancel->requested_at, now));
    }
    if (info.ended_at) text += line_of(terminal, "ended", moment(*info.ended_at, now));
    if (!info.outcome) return text;
    text += line_of(terminal, "outcome", outcome_line(*info.outcome));
    if (info.outcome->status == Status::failed) text += failure_detail(info.outcome->failure, 4);
    return text;
}

std::string render_waiting(const Terminal& terminal, const InstanceDescription& description) {
    if (description.condition == Condition::ended && description.stopping.empty()) return "";
    std::string text = "\n" + terminal.paint(Colour::bold, "Waiting for") + "\n";
    const bool listed = description.condition == Condition::waiting && !description.awaits.empty();
    if (!listed) text += "  " + safe_lines(describe_condition(description)) + "\n";
    std::size_t shown = 0;
    for (const Awaited& awaited : description.awaits) {
        if (shown++ == kMostAwaited) {
            text +=
                "  ... and " + std::to_string(description.awaits.size() - kMostAwaited) + " more\n";
            break;
        }
        text += "  - " + on_lines(terminal, safe(describe(awaited)), 4);
        if (awaited.progress && awaited.progress_at) {
            text += "    says " + safe(payload_line(*awaited.progress)) + " (" +
                    format_ago(*awaited.progress_at, description.as_of) + ")\n";
        }
    }
    for (const StoppingInfo& one : description.stopping) {
        text += "  - the handler of command #" + std::to_string(one.activity.command) + " at " +
                safe(one.worker) + ", canceled, has not been seen to end\n";
    }
    if (description.message_count > 0) {
        text += "  " + counted(description.message_count, "message") + " not yet received\n";
    }
    return text;
}

std::string span_name(const TimelineEntry& entry, const std::string& parent) {
    const std::string number = "#" + std::to_string(entry.command) + " ";
    const AwaitedKind what = entry.what.value_or(AwaitedKind::activity);
    if (what == AwaitedKind::activity) return number + entry.name;
    if (what == AwaitedKind::timer) return number + "timer";
    if (what == AwaitedKind::child) return number + "child " + relative_id(entry.child_id, parent);
    return number + std::string(to_string(what)) + " " + entry.name;
}

/// A span for each command, in the order they were scheduled. A failure with the detail `told` is
/// shown without it.
std::vector<Span> spans_of(const Timeline& timeline, const std::string& told) {
    std::vector<Span> spans;
    std::map<CommandNo, std::size_t> of_command;
    for (const TimelineEntry& entry : timeline.entries) {
        if (entry.kind == TimelineKind::scheduled) {
            of_command[entry.command] = spans.size();
            const std::string name = span_name(entry, timeline.instance.name.id);
            spans.push_back({name, entry.at, std::nullopt, "open", Colour::blue});
            continue;
        }
        const auto found = of_command.find(entry.command);
        if (entry.command == 0 || found == of_command.end()) continue;
        Span& span = spans[found->second];
        if (entry.kind == TimelineKind::completed) {
            span.state = "completed";
            span.colour = Colour::green;
        } else if (entry.kind == TimelineKind::failed) {
            span.state = entry.failure ? "failed " + failure_line(*entry.failure) : "failed";
            span.colour = Colour::red;
            const bool has_news = entry.failure && entry.failure->detail != told;
            if (has_news) span.below = failure_detail(*entry.failure, 6);
        } else if (entry.kind == TimelineKind::let_go) {
            span.state = "let go";
            span.colour = Colour::yellow;
        } else {
            continue;
        }
        span.end = entry.at;
    }
    return spans;
}

std::string render_timeline(const Terminal& terminal,
                            const Timeline& timeline,
                            const std::optional<Outcome>& outcome,
                            Timestamp now) {
    std::vector<Span> spans = spans_of(timeline, outcome ? outcome->failure.detail : "");
    if (spans.empty()) return "";
    const bool ended = is_terminal(timeline.instance.status);
    const Timestamp from = timeline.entries.front().at;
    const Timestamp to = std::max(ended ? timeline.entries.back().at : now, from);
    std::string text = "\n" + terminal.paint(Colour::bold, "Timeline") + " of execution " +
                       std::to_string(timeline.execution) + ", " + format_duration(to - from) +
                       "\n";
    if (spans.size() > kMostSpans) {
        const std::size_t left_out = spans.size() - kMostSpans;
        spans.erase(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(left_out));
        text += "  (" + std::to_string(left_out) + " earlier ones: belay history)\n";
    }
    return text + render_spans(terminal, spans, from, to);
}

void write_awaited(JsonWriter& out, const Awaited& awaited) {
    out.open_object()
        .field("command", awaited.command)
        .field("kind", to_string(awaited.kind))
        .field("state", to_string(awaited.state))
        .field("name", awaited.name);
    if (!awaited.child_id.empty()) out.field("child", awaited.child_id);
    if (awaited.kind == AwaitedKind::activity) {
        out.field("queue", awaited.queue)
            .field("worker", awaited.worker)
            .field("attempt", awaited.attempt);
    }
    if (awaited.progress) {
        out.key("progress");
        write_payload(out, *awaited.progress);
        write_time(out, "progress_at", awaited.progress_at);
    }
    write_time(out, "since", awaited.since);
    write_time(out, "until", awaited.until);
    out.field("text", describe(awaited)).close_object();
}

void write_start(JsonWriter& out, const InstanceInfo& info) {
    const auto text_or_null = [&](const char* name, const std::optional<std::string>& text) {
        out.key(name);
        text ? out.text(*text) : out.null();
    };
    text_or_null("key", info.key);
    out.field("priority", info.priority);
    text_or_null("concurrency_key", info.concurrency_key);
    out.field("in_line", info.in_line);
    write_time(out, "expires_at", info.expires_at);
    write_time(out, "deadline", info.deadline);
}

void write_entry(JsonWriter& out, const TimelineEntry& entry) {
    out.open_object().field("event", entry.event);
    write_time(out, "at", entry.at);
    out.field("kind", to_string(entry.kind)).field("text", entry.text);
    if (entry.command != 0) out.field("command", entry.command);
    if (!entry.name.empty()) out.field("name", entry.name);
    if (entry.scheduled_at) write_time(out, "scheduled_at", entry.scheduled_at);
    out.close_object();
}

}  // namespace

std::string render_description(const Terminal& terminal,
                               const InstanceDescription& description,
                               const Timeline& timeline) {
    std::string text = render_facts(terminal, description) + render_waiting(terminal, description);
    if (!description.history_problem.empty()) {
        return text + "\nhistory cannot be read: " + safe(description.history_problem) + "\n";
    }
    return text + render_timeline(terminal, timeline, description.info.outcome, description.as_of);
}

void write_description(JsonWriter& out,
                       const InstanceDescription& description,
                       const Timeline& timeline) {
    const InstanceInfo& info = description.info;
    write_brief(out, {info.run, info.name, shown_status(info)});
    if (!description.history_problem.empty()) {
        out.field("history_problem", description.history_problem);
    }
    out.field("definition", info.definition)
        .field("version", info.version)
        .field("owner", info.owner)
        .field("started_by", info.started_by);
    write_start(out, info);
    out.field("execution", info.execution)
        .field("events", info.event_count)
        .field("history_bytes", info.history_bytes)
        .field("root", description.root_id);
    out.key("parent");
    if (description.parent_id) {
        out.text(*description.parent_id);
    } else {
        out.null();
    }
    if (info.document) {
        out.field("document", base::short_hex(*info.document))
            .field("document_number", info.document_number);
    }
    if (info.on_fail_of) out.field("on_fail_of", to_string(*info.on_fail_of));
    write_time(out, "as_of", description.as_of);
    write_time(out, "created_at", info.created_at);
    write_time(out, "started_at", info.started_at);
    write_time(out, "ended_at", info.ended_at);
    out.field("settled", info.settled).field("held", info.held);
    if (info.held) out.field("held_detail", info.held_detail);
    if (info.overruns > 0) out.field("overruns", info.overruns);
    out.key("input");
    write_payload(out, info.input);
    out.key("custom_status");
    write_payload(out, info.custom_status.value_or(Payload()));
    out.key("labels");
    write_labels(out, info.labels);
    out.key("values").open_object();
    for (const auto& [key, value] : description.values) {
        out.key(key);
        write_payload(out, value);
    }
    out.close_object();
    if (info.outcome) {
        write_outcome(out, *info.outcome);
    } else if (info.cancel) {
        out.key("cancel");
        write_cancel(out, *info.cancel);
    }
    out.field("condition", to_string(description.condition))
        .field("condition_text", describe_condition(description))
        .key("waiting_for")
        .open_array();
    for (const Awaited& awaited : description.awaits) write_awaited(out, awaited);
    out.close_array()
        .field("messages", description.message_count)
        .field("stopping", description.stopping.size())
        .key("timeline")
        .open_array();
    for (const TimelineEntry& entry : timeline.entries) write_entry(out, entry);
    out.close_array();
}

}  // namespace belay::cli
