#include "store/rules/settling.hpp"

#include "store/rules/concurrency.hpp"

#include <algorithm>

namespace belay::store {

bool is_at_rest(Rows& rows, const Run& run) {
    if (run.settled) return true;
    if (!run.ended() || run.stopping > 0) return false;
    if (rows.has_dependent_children(run)) return false;
    const std::vector<RunKey> children = rows.unsettled_dependents_of(run);
    return std::all_of(children.begin(), children.end(), [&](RunKey child) {
        return is_at_rest(rows, rows.run_of(child));
    });
}

void settle(Change& change, Run& run) {
    Rows& rows = change.rows;
    const auto parent_of = [&](const Run& child) {
        return child.parent ? rows.find_run(child.parent->run) : nullptr;
    };
    Run* at = &run;
    while (at != nullptr) {
        if (at->settled || !at->ended() || at->stopping > 0) return;
        if (at->unsettled_children > 0) break;
        at->settled = true;
        rows.notices.changed(at->ref, RunChange::settled);
        // A waiter for its settling that hears of its end reads that it has settled, too.
        const std::vector<RunRef>& ended = rows.notices.ended;
        if (ended.empty() || ended.back() != at->ref) rows.notices.settled.push_back(at->ref);
        rows.touch(*at);
        wake_waiters(change, *at);
        if (at->concurrency_key) leave_concurrency(change, *at);
        at = parent_of(*at);
        if (at == nullptr) return;
        count_down(rows, at->unsettled_children, "children");
        rows.touch(*at);
    }
    // The remaining ones may be runs that go on when their parent ends.
    while (at != nullptr && at->ended() && at->stopping == 0) {
        // All its children must be read to know if it is at rest. So this is done only if a run
        // waits, or may wait.
        const bool replaced = at->former && !rows.waiting_for(at->ref.key).empty();
        if ((replaced || at->concurrency_key) && is_at_rest(rows, *at)) {
            wake_waiters(change, *at);
            if (at->concurrency_key) leave_concurrency(change, *at);
        }
        if (at->parent_close == ParentClose::abandon) return;
        at = parent_of(*at);
    }
}

void wake_waiters(Change& change, const Run& gone) {
    // Only a run that takes over a name waits. The takeover made the other run a former one.
    if (!gone.former) return;
    for (const RunKey key : change.rows.waiting_for(gone.ref.key)) {
        Run& run = change.rows.run_of(key);
        run.waits_for.reset();
        change.rows.touch(run);
    }
}

}  // namespace belay::store
