#include "store/sqlite/deletion.hpp"

#include "store/sqlite/ending.hpp"
#include "store/sqlite/keys.hpp"

#include <algorithm>

namespace belay::sqlite {

namespace {

/// How long a handler whose run is gone counts for the limits of its queue: nobody will hear that
/// it has ended, and a worker that lives has given it up by then.
Timestamp counts_until(const Change& change, Timestamp until) {
    return std::min(until, later(change.now, change.stop.grace));
}

void delete_activities(Change& change, Run& run) {
    Tables& tables = change.tables;
    for (const ActivityRef& ref : tables.activities_of(run)) {
        const Activity activity = *tables.find_activity(ref);
        if (activity.token) {
            change.answer.stopped.push_back(*activity.token);
            tables.notices.stopped.push_back(*activity.token);
            tables.note_stopping(*activity.token, counts_until(change, activity.leased_until));
        }
        ++change.answer.deleted.messages;
        tables.remove_activity(run, activity);
    }
}

void delete_run(Change& change, RunKey key, CommitId deleted_by) {
    Tables& tables = change.tables;
    Run& run = tables.run_of(key);
    DeleteCounts& counts = change.answer.deleted;
    ++counts.instances;
    counts.events += run.event_count;
    counts.messages += tables.clear_inbox(run) + tables.delete_dead_letters(run);
    outlive(tables, run);
    delete_activities(change, run);
    for (const auto& [token, until] : tables.stopping_of(run)) {
        tables.note_stopping(token, counts_until(change, until));
    }
    if (!run.ended()) tables.notices.ended.push_back(run.ref);
    wake_waiters(change, run);
    Gone gone{run.started_by_commit, run.brief(), deleted_by, {}};
    counts.executions += tables.delete_run(run);
    gone.deleted = counts;
    if (gone.worth_keeping()) {
        tables.add_gone(gone, later(change.now, change.options.request_kept));
    }
}

/// Children before their parents. `deleted_by`: set when the root itself was named.
void delete_tree(Change& change, const Run& root, CommitId deleted_by = CommitId()) {
    const RunKey last = root.ref.key;
    const std::vector<RunKey> tree = tree_of(change.tables, root);
    std::for_each(tree.rbegin(), tree.rend(), [&](RunKey run) {
        delete_run(change, run, run == last ? deleted_by : CommitId());
    });
}

}  // namespace

std::vector<RunKey> tree_of(Tables& tables, const Run& root) {
    std::vector<RunKey> tree{root.ref.key};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const Run& run = tables.run_of(tree[i]);
        const std::vector<RunKey> children = tables.children_of(run);
        tree.insert(tree.end(), children.begin(), children.end());
        // A former one that has a parent goes with its own tree.
        const std::vector<RunKey> formers = tables.former_roots_of(run);
        tree.insert(tree.end(), formers.begin(), formers.end());
    }
    return tree;
}

void apply(Change& change, const Delete& part) {
    const Run* root =
        part.run ? change.tables.find_run(*part.run) : change.tables.find_run(part.name);
    BELAY_ASSERT(root != nullptr);
    change.answer.instance = root->brief();
    change.answer.instance->deleted = true;
    delete_tree(change, *root, part.run ? change.commit : CommitId());
}

void apply(Change& change, const DeleteInstances& part) {
    InstanceBrief last;
    std::vector<RunKey> roots;  // The others go with them.
    for (const std::string& id : part.ids) {
        const Run* run = change.tables.find_run(InstanceName{part.space, id});
        BELAY_ASSERT(run != nullptr);
        last = run->brief();
        if (!run->parent) roots.push_back(run->ref.key);
    }
    for (const RunKey root : roots) delete_tree(change, change.tables.run_of(root));
    last.deleted = true;
    change.answer.instance = std::move(last);
}

}  // namespace belay::sqlite
