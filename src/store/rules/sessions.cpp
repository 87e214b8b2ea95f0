#include "store/rules/sessions.hpp"

#include <algorithm>

namespace belay::store {

namespace {

SessionKey session_of(Rows& rows, const Activity& activity) {
    return {rows.run_of(activity.ref.run.key).name.space, activity.session};
}

/// Returns until when a session is kept that an attempt has left. `busy`: until when its other
/// attempts run.
Timestamp kept_until(const Session& session, Kept kept, Timestamp busy, Timestamp now) {
    Timestamp until = later(now, session.idle);
    if (kept == Kept::no_longer) until = std::min(until, session.until);
    return std::max(until, busy);
}

/// Keeps the session until `until` or longer, if this holder still has it.
void keep_session(Rows& rows, const SessionKey& key, std::uint64_t holder, Timestamp until) {
    const std::optional<Session> found = rows.find_session(key);
    if (!found || found->holder != holder || found->until >= until) return;
    rows.set_session_until(key, until);
}

void forget_session(Rows& rows, const SessionKey& key) {
    rows.erase_session_uses(key, Timestamp::max());
    rows.erase_session(key);
}

}  // namespace

void enter_session(Rows& rows, const Activity& activity, Millis idle) {
    if (activity.session.empty()) return;
    const LeaseToken token = activity.token.value();
    const SessionKey key = session_of(rows, activity);
    const std::optional<Session> before = rows.find_session(key);
    const bool had_it = before && before->holder == token.holder;
    // Lost attempts have no end. Attempts of an earlier holder are not this holder's.
    rows.erase_session_uses(key, had_it ? rows.now() : Timestamp::max());
    rows.put_session_use(token, key, activity.leased_until);
    Session session{token.holder, activity.worker, activity.leased_until, idle};
    if (had_it) session.until = std::max(session.until, before->until);
    rows.put_session(key, session);
}

void stay_in_session(Rows& rows, const Activity& activity) {
    if (activity.session.empty()) return;
    const LeaseToken token = activity.token.value();
    const SessionKey key = session_of(rows, activity);
    rows.put_session_use(token, key, activity.leased_until);
    keep_session(rows, key, token.holder, activity.leased_until);
}

void stop_in_session(Rows& rows, LeaseToken token, Timestamp until) {
    const std::optional<SessionKey> key = rows.session_used_by(token);
    if (!key) return;
    rows.put_session_use(token, *key, until);
    keep_session(rows, *key, token.holder, until);
}

void leave_session(Rows& rows, LeaseToken token, Kept kept) {
    const std::optional<SessionKey> key = rows.session_used_by(token);
    if (!key) return;
    rows.erase_session_use(token);
    const std::optional<Session> found = rows.find_session(*key);
    if (!found || found->holder != token.holder) return;
    const Timestamp busy = rows.session_busy_until(*key, token.holder);
    const Timestamp until = kept_until(*found, kept, busy, rows.now());
    // Others were told a longer wait.
    if (until < found->until) rows.notices.activities_ready = true;
    rows.set_session_until(*key, until);
}

bool release_sessions(Rows& rows, std::uint64_t holder) {
    bool changed = false;
    for (const auto& [key, until] : rows.sessions_of(holder)) {
        const Timestamp busy = rows.session_busy_until(key, holder);
        if (busy <= rows.now()) {
            forget_session(rows, key);
        } else if (busy < until) {
            rows.set_session_until(key, busy);
        } else {
            continue;
        }
        changed = true;
    }
    if (changed) rows.notices.activities_ready = true;
    return changed;
}

bool forget_sessions_of(Rows& rows, std::uint64_t holder) {
    const auto owned = rows.sessions_of(holder);
    for (const auto& [key, until] : owned) forget_session(rows, key);
    if (!owned.empty()) rows.notices.activities_ready = true;
    return !owned.empty();
}

std::uint64_t forget_sessions(Rows& rows, std::uint32_t max) {
    const std::vector<SessionKey> past = rows.sessions_past(max);
    for (const SessionKey& key : past) forget_session(rows, key);
    return past.size();
}

}  // namespace belay::store
