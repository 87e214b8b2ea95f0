// Claims of activities.
#include "store/rules/activities.hpp"
#include "store/rules/claims.hpp"
#include "store/rules/queue_search.hpp"
#include "store/rules/queue_uses.hpp"

#include <algorithm>

namespace belay::store {

namespace {

/// The most input that a claim returns, not counting the last activity. The input is read inside a
/// transaction, and the claiming process may not have memory for everything that it could begin.
constexpr std::size_t kMostBytes = 16U << 20U;

/// The time for which an unreadable activity is put off. It does not become readable by itself.
constexpr Millis kUnreadableFor{3'600'000};

struct NextActivities {
    std::vector<PlaceInLine> found;
    ReadyIn ready_in;          ///< For activities in line that are not claimed.
    std::uint64_t marked = 0;  ///< The number of activities whose names nobody seems to have.
};

std::vector<std::string> queues_of(Rows& rows, const ClaimActivities& request) {
    std::vector<std::string> queues;
    if (request.any_queue) {
        queues = rows.queues_in_line();
    } else {
        const std::set<std::string> named(request.queues.begin(), request.queues.end());
        queues.assign(named.begin(), named.end());
    }
    if (rows.has_pauses()) {
        std::erase_if(queues, [&](const std::string& queue) {
            return rows.is_paused(PauseKind::queue, queue);
        });
    }
    return queues;
}

/// Writes the findings of a look through the line.
void note_seen(Rows& rows, const ActivityChooser& chooser) {
    for (const ActivityRef& ref : chooser.late()) {
        // Puts it out of the way of claims until the turn that hears of it.
        Activity activity = *rows.find_activity(ref);
        activity.visible_at = Timestamp::max();
        update_activity(rows, activity);
    }
    for (const ActivityChooser::WithoutCode& one : chooser.without_code()) {
        Activity activity = *rows.find_activity(one.activity);
        activity.unregistered = one.unregistered;
        update_activity(rows, activity);
    }
}

NextActivities next_activities(Rows& rows, const ClaimActivities& request) {
    rows.promote_activities();
    QueueSearch finder(rows, request);
    for (const std::string& queue : queues_of(rows, request)) finder.search(queue);
    note_seen(rows, finder.chooser());
    NextActivities next;
    next.marked = finder.chooser().without_code().size();
    next.ready_in = finder.chooser().ready_in();
    next.found = std::move(finder.found);
    std::sort(next.found.begin(), next.found.end());
    if (next.found.size() > request.max) {
        next.found.resize(request.max);
        next.ready_in = Millis(0);
    }
    return next;
}

/// Keeps the activity out of line for a while, because every claim would fail on it.
void take_out_of_line(Rows& rows, Activity activity, Millis time) {
    activity.token.reset();
    activity.claimed_at.reset();
    activity.worker.clear();
    activity.leased_until = Timestamp();
    activity.visible_at = later(rows.now(), time);
    update_activity(rows, activity);
}

/// Leases the activity and fills in the values that are decided now.
void take(Rows& rows,
          const ClaimActivities& request,
          LeaseToken token,
          Activity& activity,
          ClaimedActivity& item) {
    ++activity.attempt;
    activity.token = token;
    activity.worker = request.worker;
    activity.leased_until = later(rows.now(), request.lease);
    activity.claimed_at = rows.now();
    update_activity(rows, activity);
    note_begun(rows, activity, item.fairness_key, request.session_idle);
    item.attempt = activity.attempt;
    item.unregistered = activity.unregistered;
    item.token = token;
    item.claimed_at = rows.now();
    item.leased_until = activity.leased_until;
}

}  // namespace

ClaimActivities::Answer claim(Rows& rows, const ClaimActivities& request) {
    // Drops the notices of the claim: a lease that ends later is not news.
    Notices kept = std::exchange(rows.notices, Notices());
    ClaimActivities::Answer answer;
    const Timestamp now = rows.now();
    const NextActivities next = next_activities(rows, request);
    answer.marked = next.marked;
    std::size_t bytes = 0;
    for (const PlaceInLine& place : next.found) {
        if (bytes > kMostBytes) {
            answer.ready_in = Millis(0);
            break;
        }
        Activity activity;
        ClaimedActivity item;
        try {
            rows.read_claimable(place.activity, activity, item);
        } catch (const std::exception& failure) {
            if (!rows.is_unreadable(failure)) throw;
            take_out_of_line(rows, std::move(activity), kUnreadableFor);
            continue;
        }
        take(rows, request, token_at(request.first_token, answer.claimed.size()), activity, item);
        shorten(answer.ready_in, std::max(activity.leased_until - now, Millis(0)));
        bytes += item.input.bytes.size();
        answer.claimed.push_back(std::move(item));
    }
    if (next.ready_in) shorten(answer.ready_in, *next.ready_in);
    if (const auto first = rows.first_waiting()) shorten(answer.ready_in, *first - now);
    rows.finish_transition();
    rows.notices = std::move(kept);
    return answer;
}

}  // namespace belay::store
