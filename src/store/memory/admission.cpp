#include "store/memory/admission.hpp"

#include "store/memory/sessions.hpp"

#include <algorithm>
#include <utility>

namespace belay::memory {

namespace {

/// False if there is none.
bool remove_use(Tables& tables, LeaseToken token) {
    const auto use = tables.uses.find(token);
    if (use == tables.uses.end()) return false;
    const auto queue = tables.uses_of.find(use->second.queue);
    BELAY_ASSERT(queue != tables.uses_of.end() && queue->second.erase(token) == 1);
    if (queue->second.empty()) tables.uses_of.erase(queue);
    tables.uses.erase(use);
    return true;
}

void add_use(Tables& tables, LeaseToken token, QueueUse use) {
    tables.uses_of[use.queue].insert(token);
    tables.uses.insert_or_assign(token, std::move(use));
}

/// What counts no more goes when the next one comes.
void drop_old_uses(Tables& tables,
                   const QueueLimits& limits,
                   const std::string& queue,
                   Timestamp now) {
    const auto tokens = tables.uses_of.find(queue);
    if (tokens == tables.uses_of.end()) return;
    const Timestamp not_counted = store::not_counted_from(limits, now);
    for (const LeaseToken token : std::set<LeaseToken>(tokens->second)) {
        const QueueUse& use = tables.uses.at(token);
        if (use.until <= now && use.begun_at <= not_counted) (void)remove_use(tables, token);
    }
}

/// It does not run any more, but may still count as begun.
void end_use(Tables& tables, LeaseToken token) {
    const auto use = tables.uses.find(token);
    if (use == tables.uses.end()) return;
    use->second.until = Timestamp();
    tables.notices.activities_ready = true;
}

}  // namespace

std::optional<store::QueueRoom> AdmissionRows::room_of(const std::string& queue) {
    const auto limits = tables_.limits.find(queue);
    if (limits == tables_.limits.end()) return std::nullopt;
    store::QueueRoom room(limits->second.limits, now_);
    const auto tokens = tables_.uses_of.find(queue);
    if (tokens == tables_.uses_of.end()) return room;
    const auto& rate = limits->second.limits.started;
    for (const LeaseToken token : tokens->second) {
        const QueueUse& use = tables_.uses.at(token);
        if (use.until > now_) room.add_running(use.key, use.until);
        if (rate && use.begun_at > store::not_counted_from(*rate, now_)) {
            room.add_started(1, use.begun_at);
        }
    }
    return room;
}

void AdmissionRows::add_starts_of(const std::string& queue,
                                  const std::string& key,
                                  store::QueueRoom& room) {
    const StartRate& rate = tables_.limits.at(queue).limits.started_per_key.value();
    const auto tokens = tables_.uses_of.find(queue);
    if (tokens == tables_.uses_of.end()) return;
    for (const LeaseToken token : tokens->second) {
        const QueueUse& use = tables_.uses.at(token);
        if (use.key == key && use.begun_at > store::not_counted_from(rate, now_)) {
            room.add_started_of(key, 1, use.begun_at);
        }
    }
}

std::optional<store::Session> AdmissionRows::session(const SessionKey& key) {
    const auto found = tables_.sessions.find(key);
    return found == tables_.sessions.end() ? std::nullopt : std::optional(found->second);
}

store::OwnedSessions AdmissionRows::owned(std::uint64_t holder) {
    store::OwnedSessions owned;
    const auto keys = tables_.sessions_of.find(holder);
    if (keys == tables_.sessions_of.end()) return owned;
    for (const SessionKey& key : keys->second) {
        const Timestamp until = tables_.sessions.at(key).until;
        if (until <= now_) continue;
        ++owned.count;
        owned.first_until = std::min(owned.first_until.value_or(until), until);
    }
    return owned;
}

SessionKey session_of(const Tables& tables, const Activity& activity) {
    if (activity.about.session.empty()) return {};
    return {find_run(tables, activity.ref.run)->about.name.space, activity.about.session};
}

void note_begun(Tables& tables, const Activity& activity, Millis idle, Timestamp now) {
    const LeaseToken token = activity.token.value();
    const auto limits = tables.limits.find(activity.about.queue);
    if (limits != tables.limits.end()) {
        drop_old_uses(tables, limits->second.limits, activity.about.queue, now);
        add_use(tables,
                token,
                QueueUse{
                    activity.about.queue, activity.about.fairness_key, now, activity.leased_until});
    }
    enter_session(tables, activity, idle, now);
}

void note_renewed(Tables& tables, const Activity& activity) {
    const LeaseToken token = activity.token.value();
    if (tables.limits.contains(activity.about.queue)) {
        // It may have gone when another began after the lease had run out, if the clock was set
        // back since. Then it was begun so long ago that no rate counts it.
        const auto use = tables.uses.find(token);
        const Timestamp begun_at = use == tables.uses.end() ? Timestamp() : use->second.begun_at;
        add_use(tables,
                token,
                QueueUse{activity.about.queue,
                         activity.about.fairness_key,
                         begun_at,
                         activity.leased_until});
    }
    stay_in_session(tables, activity);
}

void note_ended(Tables& tables, const Activity& activity, CountAttempt count, Timestamp now) {
    const LeaseToken token = activity.token.value();
    if (count == CountAttempt::yes) {
        note_stopped(tables, token, now);
        return;
    }
    if (remove_use(tables, token)) tables.notices.activities_ready = true;
    leave_session(tables, token, store::Kept::no_longer, now);
}

void note_interrupted(Tables& tables, LeaseToken token, Timestamp now) {
    end_use(tables, token);
    leave_session(tables, token, store::Kept::no_longer, now);
}

void note_stopping(Tables& tables, LeaseToken token, Timestamp until) {
    const auto use = tables.uses.find(token);
    if (use != tables.uses.end()) use->second.until = until;
    stop_in_session(tables, token, until);
}

void note_stopped(Tables& tables, LeaseToken token, Timestamp now) {
    end_use(tables, token);
    leave_session(tables, token, store::Kept::idle, now);
}

void set_limits(Tables& tables, const SetQueueLimits& part, Timestamp now) {
    tables.notices.activities_ready = true;
    if (!part.limits) {
        tables.limits.erase(part.queue);
        if (const auto tokens = tables.uses_of.find(part.queue); tokens != tables.uses_of.end()) {
            for (const LeaseToken token : std::set<LeaseToken>(tokens->second)) {
                (void)remove_use(tables, token);
            }
        }
        return;
    }
    const bool fresh = !tables.limits.contains(part.queue);
    tables.limits.insert_or_assign(part.queue,
                                   StoredQueueLimits{part.queue, *part.limits, now, part.by});
    if (!fresh) return;
    // What runs already takes up room; when it was begun, nobody has written down.
    for (const auto& [ref, activity] : tables.activities) {
        if (activity.about.queue != part.queue || !activity.token) continue;
        if (activity.leased_until <= now) continue;
        add_use(
            tables,
            *activity.token,
            QueueUse{part.queue, activity.about.fairness_key, Timestamp(), activity.leased_until});
    }
    for (const auto& [key, record] : tables.stopping) {
        if (record.queue != part.queue || record.until <= now) continue;
        add_use(tables,
                key.second,
                QueueUse{part.queue, record.fairness_key, Timestamp(), record.until});
    }
}

}  // namespace belay::memory
