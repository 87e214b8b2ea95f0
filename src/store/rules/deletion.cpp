#include "store/rules/deletion.hpp"

#include "store/rules/activities.hpp"
#include "store/rules/concurrency.hpp"
#include "store/rules/documents.hpp"
#include "store/rules/inbox.hpp"
#include "store/rules/keys.hpp"
#include "store/rules/queue_uses.hpp"
#include "store/rules/settling.hpp"

#include <algorithm>

namespace belay::store {

namespace {

/// Returns until when a handler whose run is deleted counts for the limits of its queue. Nobody
/// will hear of its end. A live worker has given it up by then.
Timestamp counts_until(const Change& change, Timestamp until) {
    return std::min(until, later(change.now, change.stop.grace));
}

void delete_activities(Change& change, Run& run) {
    Rows& rows = change.rows;
    for (const ActivityRef& ref : activities_of(rows, run)) {
        const Activity activity = *rows.find_activity(ref);
        if (activity.token) {
            change.answer.stopped.push_back(*activity.token);
            rows.notices.stopped.push_back(*activity.token);
            note_stopping(rows, *activity.token, counts_until(change, activity.leased_until));
        }
        ++change.answer.deleted.messages;
        remove_activity(rows, run, activity);
    }
}

void delete_run(Change& change, RunKey key, CommitId deleted_by) {
    Rows& rows = change.rows;
    Run& run = rows.run_of(key);
    DeleteCounts& counts = change.answer.deleted;
    ++counts.instances;
    counts.events += run.event_count;
    counts.messages += clear_inbox(rows, run) + rows.erase_letters_to(run);
    keep_key_of_deleted(rows, run);
    delete_activities(change, run);
    if (run.stopping > 0) {
        for (const auto& [token, until] : rows.stopping_of(run)) {
            note_stopping(rows, token, counts_until(change, until));
        }
    }
    if (!run.settled) (run.ended() ? rows.notices.settled : rows.notices.ended).push_back(run.ref);
    rows.notices.changed(run.ref, RunChange::deleted);
    wake_waiters(change, run);
    if (run.concurrency_key) leave_concurrency(change, run);
    DeletedRun gone{run.started_by_commit, run.brief(), deleted_by, {}};
    gone.instance.deleted = true;
    std::optional<DocumentKey> document;
    if (run.has_document) document.emplace(run.name.space, rows.document_of(run));
    counts.executions += rows.delete_run(run);
    if (document) leave_document(rows, *document);
    gone.deleted = counts;
    if (gone.worth_keeping()) {
        rows.put_deleted_run(gone, later(change.now, change.options.request_kept));
    }
}

/// Deletes children before their parents. `deleted_by` is set if the root itself was named.
void delete_tree(Change& change, const Run& root, CommitId deleted_by = CommitId()) {
    const RunKey last = root.ref.key;
    const std::vector<RunKey> tree = tree_of(change.rows, root);
    std::for_each(tree.rbegin(), tree.rend(), [&](RunKey run) {
        delete_run(change, run, run == last ? deleted_by : CommitId());
    });
}

}  // namespace

std::vector<RunKey> former_roots_of(Rows& rows, const Run& run) {
    if (run.former || !rows.has_former_roots(run.name.space)) return {};
    std::vector<RunKey> roots = rows.holders_of(run.name).formers;
    // A run with a parent is deleted with its own tree.
    std::erase_if(roots, [&](RunKey former) { return rows.run_of(former).parent.has_value(); });
    return roots;
}

std::vector<RunKey> tree_of(Rows& rows, const Run& root) {
    std::vector<RunKey> tree{root.ref.key};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const Run& run = rows.run_of(tree[i]);
        const std::vector<RunKey> children = rows.children_of(run);
        tree.insert(tree.end(), children.begin(), children.end());
        const std::vector<RunKey> formers = former_roots_of(rows, run);
        tree.insert(tree.end(), formers.begin(), formers.end());
    }
    return tree;
}

void apply(Change& change, const Delete& part) {
    const Run* root = part.run ? change.rows.find_run(*part.run) : change.rows.find_run(part.name);
    BELAY_ASSERT(root != nullptr);
    change.answer.instance = root->brief();
    change.answer.instance->deleted = true;
    delete_tree(change, *root, part.run ? change.commit : CommitId());
}

void apply(Change& change, const DeleteInstances& part) {
    InstanceBrief last;
    std::vector<RunKey> roots;  // The others are deleted with them.
    for (const std::string& id : part.ids) {
        const Run* run = change.rows.find_run(InstanceName{part.space, id});
        BELAY_ASSERT(run != nullptr);
        last = run->brief();
        if (!run->parent) roots.push_back(run->ref.key);
    }
    for (const RunKey root : roots) delete_tree(change, change.rows.run_of(root));
    last.deleted = true;
    change.answer.instance = std::move(last);
}

}  // namespace belay::store
