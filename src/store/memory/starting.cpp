#include "store/memory/starting.hpp"

#include "store/memory/ending.hpp"
#include "store/memory/keys.hpp"
#include "store/outcome.hpp"

namespace belay::memory {

namespace {

/// Takes the name from the run that has it, cancels that run, and says whom the new one waits for.
std::optional<RunRef> replace(Change& change, Run& old, const std::string& by) {
    Tables& tables = change.tables;
    tables.names.erase(old.about.name);
    std::set<RunRef>& formers = tables.formers[old.about.name];
    formers.insert(old.ref());

    CancelRecord record;
    record.source = CancelSource::user;
    record.by = by;
    record.reason = "replaced by a new run of the same id";
    cancel_run(change, old, std::move(record), change.stop.cancel_deadline);
    finish_cascade(change);
    // Not only for `old`: one that itself had to wait, and was canceled before it ever ran, is
    // settled at once. Each waits for the one before it, so at most one is not at rest.
    for (const RunRef former : formers) {
        if (!is_at_rest(tables, run_of(tables, former))) return former;
    }
    return std::nullopt;
}

}  // namespace

Run& create_run(Change& change, NewInstance instance, Timestamp ready_at) {
    Tables& tables = change.tables;
    const RunRef ref = instance.run;
    Run made;
    made.about = std::move(instance);
    made.created_at = change.now;
    made.wants_turn_at = ready_at;
    Execution first;
    first.info.started_at = change.now;
    made.executions.push_back(std::move(first));

    const auto [row, inserted] = tables.runs.emplace(ref, std::move(made));
    BELAY_ASSERT(inserted);
    Run& run = row->second;
    BELAY_ASSERT(tables.names.emplace(run.about.name, ref).second);
    if (run.about.parent) {
        const ParentLink& link = *run.about.parent;
        Run& parent = run_of(tables, link.run);
        parent.children.push_back(ref);
        parent.open_children.insert({CommandRef{link.execution, link.command}, ref});
        ++parent.unsettled_children;
    }
    refresh(tables, run);
    return run;
}

void apply(Change& change, Start& part) {
    Tables& tables = change.tables;
    std::optional<RunRef> waits_for;
    if (Run* old = find_run(tables, part.instance.name)) {
        waits_for = replace(change, *old, part.by);
    }
    Run& run = create_run(change, std::move(part.instance), later(change.now, part.delay));
    run.input_digest = part.input_digest;
    run.started_by_commit = change.commit;
    if (part.key) take_key(tables, run, *part.key, change.now);
    if (waits_for) {
        run.waits_for = waits_for;
        tables.waiters[*waits_for].insert(run.ref());
        refresh(tables, run);
    }
    change.answer.instance = brief_of(run);
}

void apply(Change& change, Import& part) {
    Tables& tables = change.tables;
    Run made;
    made.about = std::move(part.instance);
    made.input_digest = part.input_digest;
    made.started_by_commit = change.commit;
    made.status = part.outcome->status;
    made.outcome = store::meaning_of(std::move(*part.outcome));
    made.cancel = std::move(part.cancel);
    made.cancel_deadline = part.cancel_deadline;
    made.created_at = part.created_at;
    made.started_at = part.started_at;
    made.ended_at = part.ended_at;
    made.custom_status = std::move(part.custom_status);
    made.custom_status_version = part.custom_status_version;
    made.key_values = std::move(part.key_values);
    made.settled = true;
    for (ImportedExecution& one : part.executions) {
        Execution& execution = made.executions.emplace_back();
        execution.info.execution = one.execution;
        execution.info.status = Status::continued_as_new;
        execution.info.started_at = one.started_at;
        execution.info.ended_at = one.ended_at;
        for (HistoryRow& row : one.history) {
            made.event_count += row.count;
            made.history_bytes += row.bytes.size();
            const EventNo first = execution.info.events + 1;
            execution.info.events += row.count;
            execution.history.push_back(RecordedRow{first, std::move(row)});
        }
    }
    made.execution = made.executions.back().info.execution;
    made.position = made.executions.back().info.events;

    const RunRef ref = made.ref();
    const auto [row, inserted] = tables.runs.emplace(ref, std::move(made));
    BELAY_ASSERT(inserted);
    BELAY_ASSERT(tables.names.emplace(row->second.about.name, ref).second);
    refresh(tables, row->second);
    change.answer.instance = brief_of(row->second);
}

}  // namespace belay::memory
