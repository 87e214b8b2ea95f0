#include "store/memory/deletion.hpp"

#include "store/memory/admission.hpp"
#include "store/memory/keys.hpp"

#include <algorithm>

namespace belay::memory {

namespace {

/// How long a handler whose run is gone counts for the limits of its queue: nobody will hear that
/// it has ended, and a worker that lives has given it up by then.
Timestamp counts_until(const Change& change, Timestamp until) {
    return std::min(until, later(change.now, change.stop.grace));
}

void delete_activities(Change& change, RunRef run) {
    Tables& tables = change.tables;
    auto row = first_activity(tables, run);
    while (row != tables.activities.end() && row->first.run == run) {
        const Activity& activity = row->second;
        ++row;
        if (activity.token) {
            change.answer.stopped.push_back(*activity.token);
            tables.notices.stopped.push_back(*activity.token);
            note_stopping(tables, *activity.token, counts_until(change, activity.leased_until));
        }
        ++change.answer.deleted.messages;
        remove_activity(tables, ActivityRef(activity.ref));
    }
}

void delete_stopping(Change& change, RunRef run) {
    Tables& tables = change.tables;
    auto row = tables.stopping.lower_bound(StoppingKey{ActivityRef{run, 0, 0}, LeaseToken()});
    while (row != tables.stopping.end() && row->first.first.run == run) {
        note_stopping(tables, row->first.second, counts_until(change, row->second.until));
        tables.stopping_until.erase({row->second.until, row->first});
        row = tables.stopping.erase(row);
    }
}

void delete_name(Tables& tables, const Run& run) {
    const auto current = tables.names.find(run.about.name);
    if (current != tables.names.end() && current->second == run.ref()) {
        tables.names.erase(current);
        return;
    }
    const auto formers = tables.formers.find(run.about.name);
    BELAY_ASSERT(formers != tables.formers.end() && formers->second.erase(run.ref()) == 1);
    if (formers->second.empty()) tables.formers.erase(formers);
}

void remember(Change& change, const Run& run, CommitId deleted_by) {
    Gone gone;
    gone.started_by_commit = run.started_by_commit;
    gone.deleted_by_commit = deleted_by;
    if (!gone.worth_keeping()) return;
    gone.deleted = change.answer.deleted;
    gone.instance = brief_of(run);
    gone.instance.deleted = true;
    gone.until = later(change.now, change.options.request_kept);
    change.tables.gone_until.insert({gone.until, run.ref()});
    change.tables.gone.emplace(run.ref(), std::move(gone));
}

void delete_run(Change& change, RunRef ref, CommitId deleted_by) {
    Tables& tables = change.tables;
    Run& run = run_of(tables, ref);
    DeleteCounts& counts = change.answer.deleted;
    ++counts.instances;
    counts.executions += run.executions.size();
    counts.events += run.event_count;
    counts.messages += run.inbox.size() + remove_dead_letters(tables, ref);
    outlive(tables, run, change.now);
    delete_activities(change, ref);
    delete_stopping(change, ref);
    delete_name(tables, run);
    stop_waiting(tables, run);

    if (!run.ended()) tables.notices.ended.push_back(ref);
    remember(change, run, deleted_by);
    unindex(tables, run);
    wake_waiters(tables, ref);
    tables.runs.erase(ref);
}

/// Children before their parents. `deleted_by`: set when the root itself was named.
void delete_tree(Change& change, const Run& root, CommitId deleted_by = CommitId()) {
    const RunRef last = root.ref();
    const std::vector<RunRef> tree = tree_of(change.tables, root);
    std::for_each(tree.rbegin(), tree.rend(), [&](RunRef run) {
        delete_run(change, run, run == last ? deleted_by : CommitId());
    });
}

}  // namespace

std::vector<RunRef> tree_of(const Tables& tables, const Run& root) {
    std::vector<RunRef> tree{root.ref()};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const Run* run = find_run(tables, tree[i]);
        BELAY_ASSERT(run != nullptr);
        tree.insert(tree.end(), run->children.begin(), run->children.end());
        const auto current = tables.names.find(run->about.name);
        const auto formers = tables.formers.find(run->about.name);
        if (current == tables.names.end() || current->second != run->ref()) continue;
        if (formers == tables.formers.end()) continue;
        for (const RunRef former : formers->second) {
            const Run* earlier = find_run(tables, former);
            BELAY_ASSERT(earlier != nullptr);
            // One that has a parent goes with its own tree.
            if (!earlier->about.parent) tree.push_back(former);
        }
    }
    return tree;
}

void apply(Change& change, const Delete& part) {
    const Run* root =
        part.run ? find_run(change.tables, *part.run) : find_run(change.tables, part.name);
    BELAY_ASSERT(root != nullptr);
    change.answer.instance = brief_of(*root);
    change.answer.instance->deleted = true;
    delete_tree(change, *root, part.run ? change.commit : CommitId());
}

void apply(Change& change, const DeleteInstances& part) {
    InstanceBrief last;
    std::vector<RunRef> roots;  // The others go with them.
    for (const std::string& id : part.ids) {
        const Run* run = find_run(change.tables, InstanceName{part.space, id});
        BELAY_ASSERT(run != nullptr);
        last = brief_of(*run);
        if (!run->about.parent) roots.push_back(run->ref());
    }
    for (const RunRef root : roots) delete_tree(change, run_of(change.tables, root));
    last.deleted = true;
    change.answer.instance = std::move(last);
}

}  // namespace belay::memory
