// Limits of queues, and sessions: what activities that are leased take up, and who may take one.
#include "store/sqlite/tables.hpp"

#include <algorithm>

namespace belay::sqlite {

namespace {

void bind_rate(Query& query, const std::optional<StartRate>& rate) {
    if (rate) {
        query.bind(rate->count, rate->per.count());
    } else {
        query.bind(nullptr, nullptr);
    }
}

}  // namespace

const LimitsByQueue& Tables::limits() {
    if (limits_ == nullptr) limits_ = known_limits_.get(connection_);
    return *limits_;
}

const QueueLimits* Tables::limits_of(const std::string& queue) {
    const auto found = limits().find(queue);
    return found == limits().end() ? nullptr : &found->second;
}

std::optional<store::QueueRoom> Tables::room_of(const std::string& queue) {
    const QueueLimits* const limits = limits_of(queue);
    if (limits == nullptr) return std::nullopt;
    store::QueueRoom room(*limits, now_);
    Query running = connection_.use(Sql::queue_use_running);
    running.bind(queue, now_);
    while (running.step()) room.add_running(running.text(0), running.time(1));
    if (const auto& rate = limits->started) {
        Query started = connection_.use(Sql::queue_use_started);
        started.bind(queue, store::not_counted_from(*rate, now_), std::max(rate->count, 1U));
        if (started.step() && !started.null(1)) {
            room.add_started(started.number(0), started.time(1));
        }
    }
    return room;
}

void Tables::add_starts_of(const std::string& queue,
                           const std::string& key,
                           store::QueueRoom& room) {
    const StartRate& rate = limits_of(queue)->started_per_key.value();
    Query started = connection_.use(Sql::queue_use_started_of);
    started.bind(queue, key, store::not_counted_from(rate, now_), std::max(rate.count, 1U));
    if (started.step() && !started.null(1)) {
        room.add_started_of(key, started.number(0), started.time(1));
    }
}

void Tables::note_begun(const Activity& activity, const std::string& key, Millis idle) {
    const LeaseToken token = activity.token.value();
    if (const QueueLimits* const limits = limits_of(activity.queue); limits != nullptr) {
        // What counts no more goes when the next one comes.
        if (uses_cleaned_.insert(activity.queue).second) {
            connection_.use(Sql::queue_use_delete_past)
                .bind(activity.queue, now_, store::not_counted_from(*limits, now_))
                .run();
        }
        connection_.use(Sql::queue_use_put)
            .bind(token.holder, token.serial, activity.queue, key, now_, activity.leased_until)
            .run();
    }
    enter_session(activity, idle);
}

void Tables::note_renewed(const Activity& activity) {
    if (limits_of(activity.queue) != nullptr) {
        const ActivityRef ref = activity.ref;
        connection_.use(Sql::queue_use_renew).bind(ref.run.key, ref.execution, ref.command).run();
    }
    stay_in_session(activity);
}

void Tables::note_ended(const Activity& activity, CountAttempt count) {
    const LeaseToken token = activity.token.value();
    if (count == CountAttempt::yes) {
        end_use(token);
    } else if (!limits().empty() &&
               connection_.use(Sql::queue_use_delete).bind(token.holder, token.serial).run() > 0) {
        notices.activities_ready = true;
    }
    if (activity.session.empty()) return;
    leave_session(token, count == CountAttempt::yes ? store::Kept::idle : store::Kept::no_longer);
}

void Tables::note_interrupted(const Activity& activity) {
    const LeaseToken token = activity.token.value();
    end_use(token);
    if (!activity.session.empty()) leave_session(token, store::Kept::no_longer);
}

bool Tables::set_use(LeaseToken token, Timestamp until) {
    if (limits().empty()) return false;
    return connection_.use(Sql::queue_use_until).bind(token.holder, token.serial, until).run() > 0;
}

/// It does not run any more, but may still count as begun.
void Tables::end_use(LeaseToken token) {
    if (set_use(token, Timestamp())) notices.activities_ready = true;
}

void Tables::note_stopping(LeaseToken token, Timestamp until) {
    (void)set_use(token, until);
    stop_in_session(token, until);
}

void Tables::note_stopped(LeaseToken token) {
    end_use(token);
    leave_session(token, store::Kept::idle);
}

void Tables::set_limits(const SetQueueLimits& part) {
    const QueueLimits* const before = limits_of(part.queue);
    const bool fresh = before == nullptr;
    const bool had_lanes = before != nullptr && store::limits_keys(*before);
    const bool has_lanes = part.limits && store::limits_keys(*part.limits);
    if (has_lanes != had_lanes) {
        connection_.use(has_lanes ? Sql::lane_set : Sql::lane_clear).bind(part.queue).run();
    }
    notices.activities_ready = true;
    if (!part.limits) {
        connection_.use(Sql::queue_limit_delete).bind(part.queue).run();
        connection_.use(Sql::queue_use_clear).bind(part.queue).run();
    } else {
        const QueueLimits& limits = *part.limits;
        Query query = connection_.use(Sql::queue_limit_put);
        query.bind(part.queue, now_, part.by, limits.running, limits.running_per_key);
        bind_rate(query, limits.started);
        bind_rate(query, limits.started_per_key);
        query.run();
        // What runs already takes up room; when it was begun, nobody has written down.
        if (fresh) connection_.use(Sql::queue_use_fill).bind(part.queue, now_).run();
    }
    known_limits_.forget();
    limits_ = read_limits(connection_);
}

}  // namespace belay::sqlite
