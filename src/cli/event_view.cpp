#include "cli/event_view.hpp"

#include "cli/instance_view.hpp"
#include "cli/payload_view.hpp"
#include "cli/values.hpp"

namespace belay::cli {

namespace {

using namespace model;

void put_payload(JsonWriter& out, const char* name, const Payload& payload) {
    out.key(name);
    write_payload(out, payload);
}

std::string_view channel_word(MessageKind channel) {
    return channel == MessageKind::queue_message ? "queue" : "event";
}

void put_event(JsonWriter& out, const ExecutionStarted& e) {
    out.field("type", "ExecutionStarted").field("definition", e.definition);
    out.field("version", e.version);
    put_payload(out, "input", e.input);
}
void put_event(JsonWriter& out, const TurnStarted& e) {
    out.field("type", "TurnStarted").field("canceled", e.canceled);
}
void put_event(JsonWriter& out, const CommandCompleted& e) {
    out.field("type", "CommandCompleted").field("command", e.command);
    put_payload(out, "result", e.result);
}
void put_event(JsonWriter& out, const CommandFailed& e) {
    out.field("type", "CommandFailed").field("command", e.command).key("failure");
    write_failure(out, e.failure);
}
void put_event(JsonWriter& out, const MessageReceived& e) {
    out.field("type", "MessageReceived").field("channel", channel_word(e.channel));
    out.field("name", e.name);
    put_payload(out, "payload", e.payload);
}
void put_event(JsonWriter& out, const CancelRequested& e) {
    out.field("type", "CancelRequested").key("cancel");
    write_cancel(out, e.record);
}
void put_event(JsonWriter& out, const ActivityScheduled& e) {
    out.field("type", "ActivityScheduled").field("command", e.command).field("name", e.name);
    out.field("queue", e.queue).field("shielded", e.shielded);
    const ActivityTerms usual;
    if (e.terms.priority != usual.priority) out.field("priority", e.terms.priority);
    if (!e.terms.fairness_key.empty()) out.field("fairness_key", e.terms.fairness_key);
    if (e.terms.schedule_to_start) write_time(out, "schedule_to_start", *e.terms.schedule_to_start);
    if (e.terms.start_to_close) out.field("start_to_close_ms", e.terms.start_to_close->count());
    if (e.terms.heartbeat_timeout) {
        out.field("heartbeat_timeout_ms", e.terms.heartbeat_timeout->count());
    }
    if (!e.terms.session.empty()) out.field("session", e.terms.session);
    if (e.terms.attempt != usual.attempt) out.field("attempt", e.terms.attempt);
    if (e.terms.first != 0) out.field("first_command", e.terms.first);
    put_payload(out, "input", e.input);
}
void put_event(JsonWriter& out, const TimerScheduled& e) {
    out.field("type", "TimerScheduled").field("command", e.command);
    out.field("shielded", e.shielded);
    write_time(out, "due_at", e.due_at);
}
void put_event(JsonWriter& out, const ChildScheduled& e) {
    out.field("type", "ChildScheduled").field("command", e.command);
    out.field("definition", e.definition).field("id", e.id).field("shielded", e.shielded);
    if (!e.terms.version.empty()) out.field("version", e.terms.version);
    if (!e.terms.labels.empty()) {
        out.key("labels");
        write_labels(out, e.terms.labels);
    }
    if (e.terms.parent_close == ParentClose::abandon) out.field("parent_close", "abandon");
    if (e.terms.attempt != 1) out.field("attempt", e.terms.attempt);
    if (e.part) out.field("part", true);
    put_payload(out, "input", e.input);
}
void put_event(JsonWriter& out, const WaitScheduled& e) {
    out.field("type", "WaitScheduled").field("command", e.command);
    out.field("channel", channel_word(e.channel)).field("name", e.name);
    out.field("shielded", e.shielded);
}
void put_event(JsonWriter& out, const CommandCanceled& e) {
    out.field("type", "CommandCanceled").field("command", e.command);
}
void put_event(JsonWriter& out, const CustomStatusSet& e) {
    out.field("type", "CustomStatusSet");
    put_payload(out, "value", e.status);
}
void put_event(JsonWriter& out, const ExecutionEnded& e) {
    out.field("type", "ExecutionEnded").field("status", to_string(e.outcome.status));
    write_outcome(out, e.outcome);
}
void put_event(JsonWriter& out, const ExecutionContinued& e) {
    out.field("type", "ExecutionContinued");
    put_payload(out, "input", e.input);
}
void put_event(JsonWriter& out, const RandomSeeded& e) {
    // As text: readers of JSON may not keep all digits of such a number.
    out.field("type", "RandomSeeded").field("high", std::to_string(e.high));
    out.field("low", std::to_string(e.low));
}
void put_event(JsonWriter& out, const MessageTaken& e) {
    out.field("type", "MessageTaken").field("channel", channel_word(e.channel));
    out.field("name", e.name);
}
void put_event(JsonWriter& out, const KeyValueSet& e) {
    out.field("type", "KeyValueSet").field("key", e.key);
    put_payload(out, "value", e.value);
}
void put_event(JsonWriter& out, const KeyValueCleared& e) {
    out.field("type", "KeyValueCleared").field("key", e.key);
}
void put_event(JsonWriter& out, const KeyValuesCleared& /*e*/) {
    out.field("type", "KeyValuesCleared");
}
void put_event(JsonWriter& out, const PatchMarked& e) {
    out.field("type", "PatchMarked").field("name", e.name);
}
void put_event(JsonWriter& out, const PatchRetired& e) {
    out.field("type", "PatchRetired").field("name", e.name);
}
void put_event(JsonWriter& out, const NextVersionChosen& e) {
    out.field("type", "NextVersionChosen").field("version", e.version);
}
void put_event(JsonWriter& out, const DetachedStarted& e) {
    out.field("type", "DetachedStarted").field("definition", e.definition).field("id", e.id);
    out.field("version", e.version).key("labels");
    write_labels(out, e.labels);
    put_payload(out, "input", e.input);
}

}  // namespace

std::string event_line(const Event& event) {
    if (const auto* turn = std::get_if<TurnStarted>(&event)) {
        return turn->canceled ? "TurnStarted (canceled)" : "TurnStarted";
    }
    return model::describe(event);
}

void write_event(JsonWriter& out, const Event& event) {
    std::visit([&](const auto& one) { put_event(out, one); }, event);
}

}  // namespace belay::cli
