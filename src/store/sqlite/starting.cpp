#include "store/sqlite/starting.hpp"

#include "store/sqlite/ending.hpp"
#include "store/sqlite/keys.hpp"

namespace belay::sqlite {

namespace {

/// Takes the name from the run that has it, cancels that run, and says whom the new one waits for.
std::optional<RunKey> replace(Change& change, Run& old, const std::string& by) {
    Tables& tables = change.tables;
    tables.set_former(old);

    CancelRecord record;
    record.source = CancelSource::user;
    record.by = by;
    record.reason = "replaced by a new run of the same id";
    cancel_run(change, old, std::move(record), change.stop.cancel_deadline);
    finish_cascade(change);
    // Not only for `old`: one that itself had to wait, and was canceled before it ever ran, is
    // settled at once. Each waits for the one before it, so at most one is not at rest.
    for (const RunKey former : tables.holders_of(old.name).formers) {
        if (!is_at_rest(tables, tables.run_of(former))) return former;
    }
    return std::nullopt;
}

}  // namespace

Run& create_run(Change& change, const NewInstance& instance, Timestamp ready_at) {
    Run& run = change.tables.create_run(instance);
    run.wants_turn_at = ready_at;
    if (run.parent) {
        Run& parent = change.tables.run_of(run.parent->run.key);
        run.birth->child_no = parent.next_child++;
        ++parent.unsettled_children;
        change.tables.touch(parent);
    }
    return run;
}

void apply(Change& change, const Start& part) {
    std::optional<RunKey> waits_for;
    // Otherwise the guards have found the name free.
    if (part.on_conflict == IdConflict::replace) {
        if (Run* old = change.tables.find_run(part.instance.name)) {
            waits_for = replace(change, *old, part.by);
        }
    }
    Run& run = create_run(change, part.instance, later(change.now, part.delay));
    run.birth->digest = part.input_digest;
    run.started_by_commit = change.commit;
    run.waits_for = waits_for;
    if (part.key) take_key(change.tables, run, *part.key);
    change.answer.instance = run.brief();
}

void apply(Change& change, const Import& part) {
    Tables& tables = change.tables;
    Run& run = tables.create_run(part.instance);
    run.birth->digest = part.input_digest;
    run.started_by_commit = change.commit;
    run.status = part.outcome->status;
    run.new_outcome = *part.outcome;
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
        for (const HistoryRow& row : one.history) tables.append_history(run, row);
        if (&one != &part.executions.back()) tables.close_execution(run, one.ended_at);
    }
    for (const auto& [key, value] : part.key_values) {
        tables.change_key_value(run, KeyValueChange{key, value});
    }
    if (part.custom_status) {
        tables.set_custom_status(run, *part.custom_status);
        run.custom_version = part.custom_status_version;
    }
    change.answer.instance = run.brief();
}

}  // namespace belay::sqlite
