#include "store/rules/starting.hpp"

#include "store/rules/concurrency.hpp"
#include "store/rules/documents.hpp"
#include "store/rules/ending.hpp"
#include "store/rules/history.hpp"
#include "store/rules/keys.hpp"
#include "store/rules/rates.hpp"
#include "store/rules/settling.hpp"

namespace belay::store {

namespace {

/// Takes the name from the run that has it and cancels that run. Returns the run for which the new
/// one waits.
std::optional<RunKey> replace(Change& change, Run& old, const std::string& by) {
    Rows& rows = change.rows;
    rows.set_former(old);

    CancelRecord record;
    record.source = CancelSource::user;
    record.by = by;
    record.reason = "replaced by a new run of the same id";
    cancel_run(change, old, std::move(record), change.stop.cancel_deadline);
    finish_cascade(change);
    // The check includes runs before `old`. An old run that itself had to wait, and was canceled
    // before it ever ran, is settled at once. Each waits for the one before it, so at most one is
    // not at rest.
    for (const RunKey former : rows.holders_of(old.name).formers) {
        if (!is_at_rest(rows, rows.run_of(former))) return former;
    }
    return std::nullopt;
}

}  // namespace

Run& create_run(Change& change, const NewInstance& instance, Timestamp ready_at) {
    Run& run = change.rows.create_run(instance);
    run.wants_turn_at = ready_at;
    run.priority = instance.priority;
    if (run.parent) {
        Run& parent = change.rows.run_of(run.parent->run.key);
        run.birth->child_no = parent.next_child++;
        ++parent.unsettled_children;
        run.priority = added(parent.priority, instance.priority);
        change.rows.touch(parent);
    }
    return run;
}

void apply(Change& change, const Start& part) {
    std::optional<RunKey> waits_for;
    // In the other case the guards have found the name free.
    if (part.on_conflict == IdConflict::replace) {
        if (Run* old = change.rows.find_run(part.instance.name)) {
            waits_for = replace(change, *old, part.by);
        }
    }
    Rows& rows = change.rows;
    const RateId rate = rate_id(part.instance);
    const Timestamp room = part.rate ? room_from(rows, rate, *part.rate) : change.now;
    const bool waits_for_rate = room > change.now;
    const bool dropped = waits_for_rate && part.rate->when_over == WhenOver::drop;
    if (part.concurrency && !dropped) make_room(change, part);
    keep_document(rows, part.instance, part.document);
    Run& run = create_run(change, part.instance, later(room, part.delay));
    run.birth->digest = part.input_digest;
    run.started_by_commit = change.commit;
    // The wait holds even if messages come earlier.
    if (part.delay > Millis(0) || waits_for_rate) run.not_before = *run.wants_turn_at;
    if (part.rate && !dropped) take_place(rows, rate, *part.rate, room);
    run.waits_for = waits_for;
    if (part.expires) run.begin_by = later(change.now, *part.expires);
    if (part.deadline) run.end_by = later(change.now, *part.deadline);
    const bool paused =
        rows.has_pauses() && rows.is_paused(PauseKind::definition, part.instance.definition);
    if (part.lock && !paused) {
        run.attempts = 1;
        run.lock = Lock{part.lock->token,
                        later(change.now, part.lock->lease),
                        part.lock->worker,
                        false,
                        change.now};
    }
    if (part.key) take_key(rows, run, *part.key);
    // Last: it may write the run, and a run is written only once with what its start says.
    if (part.concurrency && !dropped) enter_concurrency(change, run, *part.concurrency);
    if (dropped) drop(change, run, *part.rate);
    change.answer.instance = run.brief();
}

void apply(Change& change, const Import& part) {
    Rows& rows = change.rows;
    keep_document(rows, part.instance, part.document);
    Run& run = rows.create_run(part.instance);
    run.birth->digest = part.input_digest;
    run.started_by_commit = change.commit;
    run.status = part.outcome->status;
    run.new_outcome = meaning_of(*part.outcome);
    run.cancel = part.cancel;
    run.cancel_deadline = part.cancel_deadline;
    run.created_at = part.created_at;
    run.started_at = part.started_at;
    run.ended_at = part.ended_at;
    run.settled = true;
    for (const ImportedExecution& one : part.executions) {
        run.execution = one.execution;
        run.execution_at = one.started_at;
        run.position = 0;
        for (const HistoryRow& row : one.history) append_history(rows, run, row);
        if (&one != &part.executions.back()) rows.close_execution(run, one.ended_at);
    }
    for (const auto& [key, value] : part.key_values) {
        rows.change_key_value(run, KeyValueChange{key, value});
    }
    if (part.custom_status) {
        set_custom_status(rows, run, *part.custom_status);
        run.custom_status_version = part.custom_status_version;
    }
    rows.notices.ended.push_back(run.ref);
    rows.notices.changed(run.ref, RunChange::ended);
    rows.notices.changed(run.ref, RunChange::settled);
    change.answer.instance = run.brief();
}

}  // namespace belay::store
