#include "store/rules/queue_uses.hpp"

#include "store/rules/queue_room.hpp"
#include "store/rules/sessions.hpp"

namespace belay::store {

namespace {

/// Sets how long an attempt runs. Returns false if the attempt does not count for limits.
bool set_use(Rows& rows, LeaseToken token, Timestamp until) {
    return rows.has_limits() && rows.set_use_until(token, until);
}

/// Ends a use. It may still count as begun.
void end_use(Rows& rows, LeaseToken token) {
    if (set_use(rows, token, Timestamp())) rows.notices.activities_ready = true;
}

}  // namespace

void note_begun(Rows& rows, const Activity& activity, const std::string& key, Millis idle) {
    if (const QueueLimits* const limits = rows.limits_of(activity.queue); limits != nullptr) {
        // Uses that no longer count are removed when the next one comes.
        rows.erase_uses_past(activity.queue, not_counted_from(*limits, rows.now()));
        rows.put_use(activity.token.value(),
                     QueueUse{activity.queue, key, rows.now(), activity.leased_until});
    }
    enter_session(rows, activity, idle);
}

void note_renewed(Rows& rows, const Activity& activity) {
    if (rows.limits_of(activity.queue) != nullptr) rows.renew_use(activity);
    stay_in_session(rows, activity);
}

void note_ended(Rows& rows, const Activity& activity, CountAttempt count) {
    const LeaseToken token = activity.token.value();
    if (count == CountAttempt::yes) {
        end_use(rows, token);
    } else if (rows.has_limits() && rows.erase_use(token)) {
        rows.notices.activities_ready = true;
    }
    if (activity.session.empty()) return;
    leave_session(rows, token, count == CountAttempt::yes ? Kept::idle : Kept::no_longer);
}

void note_interrupted(Rows& rows, const Activity& activity) {
    const LeaseToken token = activity.token.value();
    end_use(rows, token);
    if (!activity.session.empty()) leave_session(rows, token, Kept::no_longer);
}

void note_canceled(Rows& rows, const Activity& activity, Timestamp until) {
    // An attempt whose lease has expired may be forgotten already while its handler still runs.
    if (rows.limits_of(activity.queue) != nullptr) rows.renew_use(activity);
    note_stopping(rows, activity.token.value(), until);
}

void note_stopping(Rows& rows, LeaseToken token, Timestamp until) {
    (void)set_use(rows, token, until);
    stop_in_session(rows, token, until);
}

void note_stopped(Rows& rows, LeaseToken token) {
    end_use(rows, token);
    leave_session(rows, token, Kept::idle);
}

void set_limits(Rows& rows, const SetQueueLimits& part) {
    const QueueLimits* const before = rows.limits_of(part.queue);
    const bool fresh = before == nullptr;
    const bool had_lanes = before != nullptr && limits_keys(*before);
    const bool has_lanes = part.limits && limits_keys(*part.limits);
    if (has_lanes != had_lanes) rows.set_lanes(part.queue, has_lanes);
    rows.notices.activities_ready = true;
    rows.put_limits(part);
    if (!part.limits) {
        rows.erase_uses(part.queue);
    } else if (fresh) {
        // A handler that runs already takes up room. Its start time is not recorded.
        rows.fill_uses(part.queue);
    }
}

}  // namespace belay::store
