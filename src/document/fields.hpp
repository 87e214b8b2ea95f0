// The fields of a document, listed once for writing and reading.
//
// An archive is called with each field in its order: `archive("name", value)`. It is called as
// `archive.unless_usual` for a field that few have; that field is left out if it has its usual
// value. `archive.if_set` leaves out an optional field that is not set. Values that it writes are
// const.
#pragma once

#include "document/document.hpp"

#include <array>
#include <string_view>
#include <variant>

namespace belay::document {

template <class Archive, class T>
using Of = typename Archive::template Of<T>;

/// The names of events, in the order of the variant.
inline constexpr std::array<std::string_view, 23> kEventNames{
    "ExecutionStarted",  "TurnStarted",        "CommandCompleted",  "CommandFailed",
    "MessageReceived",   "CancelRequested",    "ActivityScheduled", "TimerScheduled",
    "ChildScheduled",    "WaitScheduled",      "CommandCanceled",   "CustomStatusSet",
    "ExecutionEnded",    "ExecutionContinued", "RandomSeeded",      "MessageTaken",
    "KeyValueSet",       "KeyValueCleared",    "KeyValuesCleared",  "PatchMarked",
    "NextVersionChosen", "DetachedStarted",    "PatchRetired"};
static_assert(std::variant_size_v<model::Event> == kEventNames.size());

template <class A>
void fields(A& a, Of<A, Failure>& it) {
    a("kind", it.kind);
    a("message", it.message);
    a("where", it.where);
    a("attempt", it.attempt);
    a("detail", it.detail);
    a.unless_usual("type", it.type, std::string());
    a.unless_usual("retryable", it.retryable, true);
}
template <class A>
void fields(A& a, Of<A, CancelRecord>& it) {
    a("source", it.source);
    a("by", it.by);
    a("reason", it.reason);
    a("requested_at", it.requested_at);
    a("sequence", it.sequence);
}
template <class A>
void fields(A& a, Of<A, Outcome>& it) {
    a("status", it.status);
    a.require("status", is_terminal(it.status), "is no way to end");
    switch (it.status) {
        case Status::completed: a("output", it.output); break;
        case Status::failed: a("failure", it.failure); break;
        case Status::canceled:
            a("cancel", it.cancel);
            a("cleanup", it.cleanup);
            a("cleanup_detail", it.cleanup_detail);
            break;
        case Status::skipped: a.unless_usual("skip_reason", it.skip_reason, std::string()); break;
        default: break;
    }
}

template <class A>
void fields(A& a, Of<A, model::ExecutionStarted>& it) {
    a("definition", it.definition);
    a("version", it.version);
    a("input", it.input);
}
template <class A>
void fields(A& a, Of<A, model::TurnStarted>& it) {
    a("at", it.at);
    a("canceled", it.canceled);
}
template <class A>
void fields(A& a, Of<A, model::CommandCompleted>& it) {
    a("command", it.command);
    a("result", it.result);
}
template <class A>
void fields(A& a, Of<A, model::CommandFailed>& it) {
    a("command", it.command);
    a("failure", it.failure);
}
template <class A>
void fields(A& a, Of<A, model::MessageReceived>& it) {
    a("channel", it.channel);
    a("name", it.name);
    a("payload", it.payload);
}
template <class A>
void fields(A& a, Of<A, model::CancelRequested>& it) {
    a("cancel", it.record);
}
template <class A>
void fields(A& a, Of<A, model::ActivityTerms>& it) {
    a("priority", it.priority);
    a("fairness_key", it.fairness_key);
    a("schedule_to_start", it.schedule_to_start);
    a("start_to_close", it.start_to_close);
    a("heartbeat_timeout", it.heartbeat_timeout);
    a.unless_usual("session", it.session, std::string());
    a("attempt", it.attempt);
    a("first", it.first);
}
template <class A>
void fields(A& a, Of<A, model::ActivityScheduled>& it) {
    a("command", it.command);
    a("name", it.name);
    a("queue", it.queue);
    a("input", it.input);
    a("shielded", it.shielded);
    a.unless_usual("terms", it.terms, model::ActivityTerms());
}
template <class A>
void fields(A& a, Of<A, model::TimerScheduled>& it) {
    a("command", it.command);
    a("due_at", it.due_at);
    a("shielded", it.shielded);
}
template <class A>
void fields(A& a, Of<A, model::ChildTerms>& it) {
    a("version", it.version);
    a("labels", it.labels);
    a("parent_close", it.parent_close);
    a("attempt", it.attempt);
}
template <class A>
void fields(A& a, Of<A, model::ChildScheduled>& it) {
    a("command", it.command);
    a("definition", it.definition);
    a("id", it.id);
    a("input", it.input);
    a("shielded", it.shielded);
    a.unless_usual("terms", it.terms, model::ChildTerms());
    a.unless_usual("with_document", it.with_document, false);
    a.unless_usual("on_fail", it.on_fail, false);
    a.unless_usual("part", it.part, false);
}
template <class A>
void fields(A& a, Of<A, model::WaitScheduled>& it) {
    a("command", it.command);
    a("channel", it.channel);
    a("name", it.name);
    a("shielded", it.shielded);
}
template <class A>
void fields(A& a, Of<A, model::CommandCanceled>& it) {
    a("command", it.command);
}
template <class A>
void fields(A& a, Of<A, model::CustomStatusSet>& it) {
    a("status", it.status);
}
template <class A>
void fields(A& a, Of<A, model::ExecutionEnded>& it) {
    a("outcome", it.outcome);
}
template <class A>
void fields(A& a, Of<A, model::ExecutionContinued>& it) {
    a("input", it.input);
}
template <class A>
void fields(A& a, Of<A, model::RandomSeeded>& it) {
    a("high", it.high);
    a("low", it.low);
}
template <class A>
void fields(A& a, Of<A, model::MessageTaken>& it) {
    a("channel", it.channel);
    a("name", it.name);
}
template <class A>
void fields(A& a, Of<A, model::KeyValueSet>& it) {
    a("key", it.key);
    a("value", it.value);
}
template <class A>
void fields(A& a, Of<A, model::KeyValueCleared>& it) {
    a("key", it.key);
}
template <class A>
void fields(A& /*a*/, Of<A, model::KeyValuesCleared>& /*it*/) {}
template <class A>
void fields(A& a, Of<A, model::PatchMarked>& it) {
    a("name", it.name);
}
template <class A>
void fields(A& a, Of<A, model::PatchRetired>& it) {
    a("name", it.name);
}
template <class A>
void fields(A& a, Of<A, model::NextVersionChosen>& it) {
    a("version", it.version);
}
template <class A>
void fields(A& a, Of<A, model::DetachedStarted>& it) {
    a("definition", it.definition);
    a("id", it.id);
    a("input", it.input);
    a("version", it.version);
    a("labels", it.labels);
    a.unless_usual("with_document", it.with_document, false);
    a.unless_usual("on_fail", it.on_fail, false);
}

template <class A>
void fields(A& a, Of<A, DocumentText>& it) {
    a("digest", it.digest);
    a("text", it.text);
}
template <class A>
void fields(A& a, Of<A, DocumentParent>& it) {
    a("id", it.id);
    a("execution", it.execution);
    a("command", it.command);
}
template <class A>
void fields(A& a, Of<A, DocumentInstance>& it) {
    a("namespace", it.space);
    a("id", it.id);
    a("definition", it.definition);
    a("version", it.version);
    a("status", it.status);
    a("owner", it.owner);
    a("started_by", it.started_by);
    a("labels", it.labels);
    a("headers", it.headers);
    a("created_at", it.created_at);
    a("started_at", it.started_at);
    a("ended_at", it.ended_at);
    a("input", it.input);
    a("outcome", it.outcome);
    a("cancel", it.cancel);
    a("cancel_deadline", it.cancel_deadline);
    a("custom_status", it.custom_status);
    a("custom_status_version", it.custom_status_version);
    a("key_values", it.key_values);
    a("parent", it.parent);
    a("children", it.children);
    a.if_set("document", it.document);
}
template <class A>
void fields(A& a, Of<A, DocumentExecution>& it) {
    a("execution", it.execution);
    a("status", it.status);
    a("started_at", it.started_at);
    a("ended_at", it.ended_at);
    a.counted("events", it.events());
    a("turns", it.turns);
}

}  // namespace belay::document
