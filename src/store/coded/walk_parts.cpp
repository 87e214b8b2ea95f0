#include "store/coded/walk.hpp"

#include <variant>

namespace belay::coded {

void walk(Visitor& visitor, NewMessage& message, const char* what) {
    auto& [kind, execution, command, name, payload] = message;
    visitor.visit(payload, what);
}

void walk(Visitor& visitor, Outcome& outcome) {
    // A failure is shown in lists, and the store makes it into a message to the parent. So it does
    // with the reason of a skipped run.
    auto& [status, output, failure, cancel, cleanup, cleanup_detail, skip_reason] = outcome;
    visitor.visit(output, "its output");
    visitor.visit(cleanup_detail);
}

namespace {

// ---- Starts ------------------------------------------------------------------------------------

void walk_part(Visitor& visitor, NewInstance& instance) {
    auto& [run,
           name,
           definition,
           version,
           input,
           parent,
           owner,
           started_by,
           headers,
           labels,
           parent_close,
           document,
           on_fail,
           on_fail_of,
           priority,
           part] = instance;
    visitor.visit(input, "its input");
}

void walk_part(Visitor& visitor, Start& part) {
    // The digest is of the input as the client has it. So a repeated start is recognised.
    auto& [instance,
           on_conflict,
           key,
           input_digest,
           request_id,
           request_digest,
           delay,
           by,
           lock,
           document,
           expires,
           deadline,
           concurrency,
           rate] = part;
    walk_part(visitor, instance);
    if (document) visitor.visit(*document, "its document");
}

// ---- Turns -------------------------------------------------------------------------------------

void walk_part(Visitor& visitor, NewActivity& activity) {
    auto& [command,
           name,
           queue,
           priority,
           fairness_key,
           input,
           headers,
           shielded,
           delay,
           schedule_to_start,
           start_to_close,
           heartbeat_timeout,
           session,
           hand_over] = activity;
    visitor.visit(input, "the input of an activity");
}

void walk_part(Visitor& visitor, NewTimer& timer) {
    auto& [command, due_at, message] = timer;
    walk(visitor, message, "the message of a timer");
}

void walk_part(Visitor& visitor, NewChild& child) {
    auto& [instance, on_conflict] = child;
    walk_part(visitor, instance);
    walk(visitor, on_conflict, "the answer of a child");
}

void walk_part(Visitor& visitor, KeyValueChange& change) {
    auto& [key, value] = change;
    if (value) visitor.visit(*value, "a value of a key");
}

void walk_part(Visitor& /*visitor*/, GoesOn& after) {
    [[maybe_unused]] auto& [cancel_deadline, nothing_to_clean_up] = after;
}

void walk_part(Visitor& visitor, Ends& after) {
    auto& [outcome, parent_notice] = after;
    walk(visitor, outcome);
    if (parent_notice) walk(visitor, *parent_notice, "what its parent is told");
}

void walk_part(Visitor& visitor, ContinuesAsNew& after) {
    auto& [input, version, nothing_to_clean_up] = after;
    visitor.visit(input, "the input of its next execution");
}

void walk_part(Visitor& visitor, Turn& part) {
    auto& [run,
           execution,
           position,
           cancel_seen,
           lock,
           in_line,
           history,
           consumed,
           activities,
           canceled_activities,
           timers,
           canceled_timers,
           children,
           canceled_children,
           custom_status,
           key_values,
           version,
           message_room,
           after,
           keep_lock] = part;
    visitor.visit(history);
    for (NewActivity& one : activities) walk_part(visitor, one);
    for (NewTimer& one : timers) walk_part(visitor, one);
    for (NewChild& one : children) walk_part(visitor, one);
    if (custom_status) visitor.visit(*custom_status, "its custom status");
    for (KeyValueChange& one : key_values) walk_part(visitor, one);
    std::visit([&](auto& what) { walk_part(visitor, what); }, after);
}

// ---- Other parts with payloads -----------------------------------------------------------------

void walk_part(Visitor& visitor, AckActivity& part) {
    auto& [activity, token, completion, turn_overran] = part;
    if (completion) walk(visitor, *completion, "the result of an activity");
}

void walk_part(Visitor& visitor, RenewActivity& part) {
    auto& [activity, token, extend, progress] = part;
    if (progress) visitor.visit(*progress, "the progress of an activity");
}

void walk_part(Visitor& visitor, AbandonActivity& part) {
    auto& [activity, token, delay, count, reason, progress] = part;
    if (progress) visitor.visit(*progress, "the progress of an activity");
}

void walk_part(Visitor& visitor, OutputChunk& chunk) {
    auto& [stream, at, text, bytes, lines, lost_bytes, lost_lines] = chunk;
    visitor.visit(text, "the output of an activity");
}

void walk_part(Visitor& visitor, AppendOutput& part) {
    auto& [activity, token, attempt, first_command, source, before, chunks, bounds] = part;
    for (OutputChunk& one : chunks) walk_part(visitor, one);
}

void walk_part(Visitor& visitor, Finish& part) {
    auto& [target, outcome, request_id, request_digest, held_only, run] = part;
    walk(visitor, outcome);
}

void walk_part(Visitor& visitor, Send& part) {
    auto& [name, message, request_id, request_digest, delay, run] = part;
    walk(visitor, message, "the message");
}

void walk_part(Visitor& visitor, Deliver& part) {
    auto& [run, message] = part;
    walk(visitor, message, "the message");
}

void walk_part(Visitor& visitor, Hold& part) {
    auto& [run, token, detail, kind] = part;
    visitor.visit(detail);
}

void walk_part(Visitor& visitor, ImportedExecution& imported) {
    auto& [execution, started_at, ended_at, history] = imported;
    for (HistoryRow& row : history) visitor.visit(row);
}

void walk_part(Visitor& visitor, Import& part) {
    auto& [instance,
           outcome,
           cancel,
           cancel_deadline,
           created_at,
           started_at,
           ended_at,
           custom_status,
           custom_status_version,
           key_values,
           executions,
           input_digest,
           request_id,
           request_digest,
           document] = part;
    walk_part(visitor, instance);
    if (document) visitor.visit(*document, "its document");
    walk(visitor, *outcome);
    if (custom_status) visitor.visit(*custom_status, "its custom status");
    for (auto& [key, value] : key_values) visitor.visit(value, "a value of a key");
    for (ImportedExecution& one : executions) walk_part(visitor, one);
}

// ---- Parts without ------------------------------------------------------------------------------

void walk_part(Visitor& /*visitor*/, AbandonTurn& part) {
    [[maybe_unused]] auto& [run, token, delay, count, reason] = part;
}

void walk_part(Visitor& /*visitor*/, RenewTurn& part) {
    [[maybe_unused]] auto& [run, token, extend] = part;
}

void walk_part(Visitor& /*visitor*/, Cancel& part) {
    [[maybe_unused]] auto& [name,
                            source,
                            by,
                            reason,
                            request_id,
                            request_digest,
                            deadline,
                            run,
                            definition] = part;
}

void walk_part(Visitor& /*visitor*/, Release& part) {
    [[maybe_unused]] auto& [name, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, Delete& part) {
    [[maybe_unused]] auto& [name, force, request_id, request_digest, run] = part;
}

void walk_part(Visitor& /*visitor*/, DeleteInstances& part) {
    [[maybe_unused]] auto& [space, ids, force, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, Prune& part) {
    [[maybe_unused]] auto& [name,
                            keep_last,
                            ended_before,
                            max,
                            request_id,
                            request_digest,
                            run,
                            max_events] = part;
}

void walk_part(Visitor& /*visitor*/, FreeKey& part) {
    [[maybe_unused]] auto& [space, owner, definition, key, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, Redrive& part) {
    [[maybe_unused]] auto& [letter, to, space, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, Discard& part) {
    [[maybe_unused]] auto& [letter, space, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, SetRetention& part) {
    [[maybe_unused]] auto& [space, policy, by, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, SetPause& part) {
    [[maybe_unused]] auto& [kind, paused, on, by, reason, space, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, SetQueueLimits& part) {
    [[maybe_unused]] auto& [queue, limits, by, space, request_id, request_digest] = part;
}

void walk_part(Visitor& /*visitor*/, ReleaseSessions& part) {
    [[maybe_unused]] auto& [holder] = part;
}

void walk_part(Visitor& /*visitor*/, ReleaseHolder& part) {
    [[maybe_unused]] auto& [holder, backoff, limit] = part;
}

void walk_part(Visitor& /*visitor*/, Sweep& part) { [[maybe_unused]] auto& [limit, by] = part; }

}  // namespace

void walk(Visitor& visitor, Part& part) {
    std::visit([&](auto& one) { walk_part(visitor, one); }, part);
}

}  // namespace belay::coded
