// Returns the work of a dead holder to live ones.
#include "store/rules/activities.hpp"
#include "store/rules/effects.hpp"
#include "store/rules/queue_uses.hpp"
#include "store/rules/sessions.hpp"
#include "store/rules/settling.hpp"

#include <algorithm>

namespace belay::store {

namespace {

/// Returns how long work waits whose holder died in this attempt. `until` is the end of its lease:
/// no attempt begins later than it would have without takeover.
Millis wait_of(const ReleaseHolder& part, std::uint32_t attempt, Timestamp until, Timestamp now) {
    const Millis left = until - now;
    if (attempt <= 1) return Millis(0);
    Millis wait = part.backoff;
    for (std::uint32_t i = 2; i < attempt && wait < left; ++i) wait *= 2;
    return std::min(wait, left);
}

void unlock(Change& change, const ReleaseHolder& part, Run& run) {
    const Lock lock = *run.lock;
    // The back-off does not delay a cancel that came after the claim.
    const bool unseen_cancel = run.cancel && !lock.cancel_seen;
    run.lock.reset();
    run.not_before = unseen_cancel
                         ? Timestamp()
                         : later(change.now, wait_of(part, run.attempts, lock.until, change.now));
    change.rows.touch(run);
}

void take_back(Change& change, const ReleaseHolder& part, Activity activity) {
    const Millis wait = wait_of(part, activity.attempt, activity.leased_until, change.now);
    note_ended(change.rows, activity, CountAttempt::yes);
    activity.token.reset();
    activity.worker.clear();
    activity.leased_until = change.now;
    activity.claimed_at.reset();
    // Without a delay it keeps its place in the queue.
    if (wait > Millis(0)) activity.visible_at = later(change.now, wait);
    activity.unregistered = 0;
    update_activity(change.rows, activity);
}

/// The handler has ended with the holder.
void end_stopping(Change& change, const StoppingKey& key) {
    Run& run = change.rows.run_of(key.first.run.key);
    remove_stopping(change.rows, run, key);
    note_stopped(change.rows, key.second);
    settle(change, run);
}

}  // namespace

void apply(Change& change, const ReleaseHolder& part) {
    Rows& rows = change.rows;
    std::uint32_t left = part.limit;
    for (const RunKey key : rows.locked_by(part.holder, left)) {
        unlock(change, part, rows.run_of(key));
        --left;
    }
    for (const ActivityRef& ref : rows.leased_by(part.holder, left)) {
        take_back(change, part, *rows.find_activity(ref));
        --left;
    }
    for (const StoppingKey& key : rows.stopping_by(part.holder, left)) {
        end_stopping(change, key);
        --left;
    }
    change.answer.swept = part.limit - left;
    change.answer.changed = change.answer.swept > 0;
    if (left == 0) return;
    if (rows.has_limits()) rows.end_uses(part.holder);
    if (forget_sessions_of(rows, part.holder)) change.answer.changed = true;
    rows.notices.activities_ready = true;
    rows.forget_holder(part.holder);
}

}  // namespace belay::store
