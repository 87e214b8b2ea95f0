#include "store/rules/activities.hpp"

#include "store/rules/inbox.hpp"
#include "store/rules/queue_room.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>

namespace belay::store {

namespace {

/// Puts it in line, or makes it wait.
void find_place(Activity& activity, Timestamp now) {
    const Timestamp at = activity.claimable_at();
    activity.waits_until = at <= now ? std::nullopt : std::optional(at);
}

/// Sets or removes the timer of an activity that must start by some time.
void refresh_start_timer(Rows& rows, const Activity& activity, bool must_start) {
    if (!activity.schedule_to_start) return;
    const ActivityRef& ref = activity.ref;
    Run& run = rows.run_of(ref.run.key);
    const std::optional<MessageNo> timer = find_timer(rows, run, ref.execution, ref.command);
    if (must_start == timer.has_value()) return;
    if (!must_start) {
        remove_waiting(rows, run, *timer);
        return;
    }
    const Timestamp until = *activity.schedule_to_start;
    add_timed(
        rows, run, until, op::activity_not_started(ref, rows.name_of(ref), until), ref.command);
}

}  // namespace

void add_activity(Rows& rows, Run& run, Activity& activity, const NewActivity& about) {
    find_place(activity, rows.now());
    const QueueLimits* const limits = rows.limits_of(about.queue);
    const bool by_key = limits != nullptr && limits_keys(*limits);
    rows.insert_activity(activity, about, by_key ? about.fairness_key : std::string());
    if (!activity.token) rows.notices.activities_ready = true;
    ++run.activities;
    run.last_activity = std::max(run.last_activity, activity.ref.command);
    rows.touch(run);
    if (activity.must_start()) refresh_start_timer(rows, activity, true);
}

void update_activity(Rows& rows, Activity& activity) {
    find_place(activity, rows.now());
    rows.write_activity(activity);
    if (!activity.token) rows.notices.activities_ready = true;
    refresh_start_timer(rows, activity, activity.must_start());
}

void forget_start_time(Rows& rows, Activity& activity) {
    if (!activity.schedule_to_start) return;
    activity.schedule_to_start.reset();
    rows.forget_start_time(activity.ref);
}

void remove_activity(Rows& rows, Run& run, const Activity& activity) {
    refresh_start_timer(rows, activity, false);
    rows.erase_activity(activity);
    count_down(rows, run.activities, "activities");
    rows.touch(run);
}

std::vector<ActivityRef> activities_of(Rows& rows, const Run& run) {
    if (run.activities == 0) return {};
    return rows.activities_of(run);
}

void add_stopping(
    Rows& rows, Run& run, const StoppingKey& key, const std::string& worker, Timestamp until) {
    if (!rows.insert_stopping(key, worker, until)) return;
    ++run.stopping;
    rows.touch(run);
}

void remove_stopping(Rows& rows, Run& run, const StoppingKey& key) {
    rows.erase_stopping(key);
    count_down(rows, run.stopping, "handlers that stop");
    rows.touch(run);
}

}  // namespace belay::store
