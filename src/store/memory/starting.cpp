#include "store/memory/starting.hpp"

#include "store/memory/ending.hpp"
#include "store/memory/keys.hpp"

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
    // settled at once. Each waits for the one before it, so at most one is not settled.
    for (const RunRef former : formers) {
        if (!run_of(tables, former).settled) return former;
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

}  // namespace belay::memory
