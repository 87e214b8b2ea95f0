#include "store/coded/walk.hpp"

namespace belay::coded {

namespace {

// ---- Answers with something to code ------------------------------------------------------------

void walk_one(Visitor& visitor, Message& message) {
    auto& [id, sent_at, content] = message;
    walk(visitor, content, "a message to it");
}

void walk_one(Visitor& visitor, InstanceInfo& info) {
    auto& [run,
           name,
           definition,
           version,
           status,
           execution,
           position,
           input,
           outcome,
           cancel,
           cancel_deadline,
           parent,
           owner,
           started_by,
           headers,
           labels,
           created_at,
           started_at,
           ended_at,
           event_count,
           history_bytes,
           custom_status,
           custom_status_version,
           held,
           held_detail,
           held_kind,
           attempts,
           unregistered,
           code_missing_since,
           overruns,
           locked,
           ready_messages,
           settled,
           document,
           document_number,
           on_fail,
           on_fail_of,
           key,
           priority,
           expires_at,
           deadline,
           concurrency_key,
           in_line,
           nothing_to_clean_up] = info;
    visitor.visit(input, "its input");
    if (outcome) walk(visitor, *outcome);
    if (custom_status) visitor.visit(*custom_status, "its custom status");
    visitor.visit(held_detail);
}

void walk_one(Visitor& visitor, RecordedRow& recorded) {
    auto& [first_event, row] = recorded;
    visitor.visit(row);
}

void walk_one(Visitor& visitor, DeadLetter& letter) {
    auto& [id, run, instance, message, reason, at] = letter;
    walk(visitor, message, "the message");
}

void walk_one(Visitor& visitor, ListedInstance& listed) {
    auto& [instance,
           definition,
           version,
           owner,
           started_by,
           execution,
           created_at,
           started_at,
           ended_at,
           parent_id,
           cancel,
           held,
           held_detail,
           failure,
           labels] = listed;
    visitor.visit(held_detail);
}

void walk_one(Visitor& visitor, ActivityInfo& info) {
    auto& [activity,
           name,
           queue,
           attempt,
           unregistered,
           shielded,
           leased,
           token,
           worker,
           visible_at,
           leased_until,
           progress,
           progress_at,
           session] = info;
    if (progress) visitor.visit(*progress, "the progress of an activity");
}

void walk_one(Visitor& visitor, KeptChunk& chunk) {
    auto& [number, attempt, stream, at, text] = chunk;
    visitor.visit(text, "the output of an activity");
}

// ---- Answers without
// -----------------------------------------------------------------------------

void walk_one(Visitor& /*visitor*/, InstanceBrief& brief) {
    [[maybe_unused]] auto& [run, name, status, deleted] = brief;
}

void walk_one(Visitor& /*visitor*/, ExecutionInfo& info) {
    [[maybe_unused]] auto& [execution, status, events, started_at, ended_at] = info;
}

void walk_one(Visitor& visitor, InstanceMark& mark) {
    auto& [instance,
           definition,
           owner,
           root,
           ended_at,
           settled,
           old_executions,
           oldest_ended_at,
           size,
           formers_settled] = mark;
    walk_one(visitor, instance);
}

void walk_one(Visitor& /*visitor*/, ListOutcomes::One& one) {
    [[maybe_unused]] auto& [definition, outcome] = one;
}

void walk_one(Visitor& /*visitor*/, StoredRetention& retention) {
    [[maybe_unused]] auto& [space, policy, set_at, set_by] = retention;
}

void walk_one(Visitor& /*visitor*/, LeaseToken& /*token*/) {}

void walk_one(Visitor& /*visitor*/, StoppingInfo& info) {
    [[maybe_unused]] auto& [activity, token, worker, until, since] = info;
}

void walk_one(Visitor& visitor, KeyInfo& info) {
    auto& [owner, definition, key, scope, until, instance, taken] = info;
    walk_one(visitor, instance);
}

void walk_one(Visitor& /*visitor*/, InstanceCount& one) {
    [[maybe_unused]] auto& [definition, status, count] = one;
}

void walk_one(Visitor& /*visitor*/, ActivityLease& lease) {
    [[maybe_unused]] auto& [activity, instance, name, queue, worker, attempt, until, since] = lease;
}

void walk_one(Visitor& visitor, TurnLock& lock) {
    auto& [instance, worker, attempt, until, since, overruns] = lock;
    walk_one(visitor, instance);
}

void walk_one(Visitor& /*visitor*/, SessionLease& lease) {
    [[maybe_unused]] auto& [space, name, worker, until] = lease;
}

void walk_one(Visitor& /*visitor*/, WaitingMessage& message) {
    [[maybe_unused]] auto& [number, kind, name, execution, command, at, timer] = message;
}

void walk_one(Visitor& /*visitor*/, AttemptOutput& attempt) {
    [[maybe_unused]] auto& [execution,
                            command,
                            first_command,
                            number,
                            source,
                            left_out_bytes,
                            left_out_lines,
                            left_out_to] = attempt;
}

void walk_one(Visitor& visitor, OpenChild& child) {
    auto& [instance, execution, command] = child;
    walk_one(visitor, instance);
}

void walk_one(Visitor& /*visitor*/, DocumentHead& head) {
    [[maybe_unused]] auto& [digest, name, number, created_at] = head;
}

void walk_one(Visitor& visitor, DocumentInfo& info) {
    auto& [head, runs] = info;
    walk_one(visitor, head);
}

template <class T>
void walk_all(Visitor& visitor, std::vector<T>& all) {
    for (T& one : all) walk_one(visitor, one);
}

}  // namespace

// ---- Claims ------------------------------------------------------------------------------------

void walk(Visitor& visitor, ClaimedInstance& claimed) {
    auto& [run,
           name,
           definition,
           version,
           owner,
           status,
           execution,
           position,
           input,
           parent,
           cancel,
           cancel_deadline,
           messages,
           attempts,
           unregistered,
           code_missing_since,
           overruns,
           token,
           claimed_at,
           locked_until,
           headers,
           unreadable,
           document,
           on_fail_of] = claimed;
    visitor.visit(input, "its input");
    walk_all(visitor, messages);
}

void walk(Visitor& visitor, ClaimedActivity& claimed) {
    auto& [activity,
           instance,
           definition,
           version,
           name,
           queue,
           input,
           headers,
           attempt,
           unregistered,
           token,
           claimed_at,
           leased_until,
           schedule_to_start,
           start_to_close,
           heartbeat_timeout,
           progress,
           fairness_key,
           session,
           unreadable] = claimed;
    visitor.visit(input, "its input");
    if (progress) visitor.visit(*progress, "the progress of an earlier attempt");
}

// ---- Reads -------------------------------------------------------------------------------------

void walk(Visitor& visitor, ReadInstance::Answer& answer) {
    if (answer) walk_one(visitor, *answer);
}
void walk(Visitor& visitor, ReadInstances::Answer& answer) {
    for (ReadInstance::Answer& one : answer) walk(visitor, one);
}
void walk(Visitor& visitor, ReadHistory::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, ListExecutions::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, ListChildren::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, SelectInstances::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, ListOutcomes::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, ReadRetention::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, KeyValues::Answer& answer) {
    for (auto& [key, value] : answer) visitor.visit(value, "a value of a key");
}
void walk(Visitor& visitor, ListDeadLetters::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, ListActivities::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, CheckLeases::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& /*visitor*/, ReadDeadHolders::Answer& answer) {
    [[maybe_unused]] auto& [dead, others] = answer;
}
void walk(Visitor& visitor, ReadDocument::Answer& answer) {
    if (!answer) return;
    auto& [head, text] = *answer;
    walk_one(visitor, head);
    visitor.visit(text, "the document");
}
void walk(Visitor& visitor, ListDocuments::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, ListInstances::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, CountInstances::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& /*visitor*/, CountQueues::Answer& answer) {
    [[maybe_unused]] auto& [activities,
                            ready,
                            oldest_ready,
                            locked,
                            oldest_locked,
                            held,
                            oldest_held,
                            timers,
                            oldest_timer,
                            dead_letters,
                            oldest_letter,
                            stopping,
                            oldest_stopping,
                            limits,
                            pauses] = answer;
}
void walk(Visitor& visitor, ListKeys::Answer& answer) { walk_all(visitor, answer); }
void walk(Visitor& visitor, ListLeases::Answer& answer) {
    auto& [activities, turns, sessions] = answer;
    walk_all(visitor, activities);
    walk_all(visitor, turns);
    walk_all(visitor, sessions);
}
void walk(Visitor& visitor, ReadOpenWork::Answer& answer) {
    if (!answer) return;
    auto& [info,
           as_of,
           parent_id,
           lock_worker,
           lock_until,
           claimable_at,
           waits_for_former,
           children,
           open_children,
           activities,
           stopping,
           messages,
           message_count,
           timer_count] = *answer;
    walk_one(visitor, info);
    walk_all(visitor, open_children);
    walk_all(visitor, activities);
    walk_all(visitor, stopping);
    walk_all(visitor, messages);
}

void walk(Visitor& visitor, ReadOutput::Answer& answer) {
    auto& [attempts, chunks, next, more, left_out_attempts] = answer;
    walk_all(visitor, attempts);
    walk_all(visitor, chunks);
}

}  // namespace belay::coded
