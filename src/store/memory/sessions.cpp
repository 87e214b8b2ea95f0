#include "store/memory/sessions.hpp"

#include "store/memory/admission.hpp"

#include <algorithm>
#include <utility>

namespace belay::memory {

namespace {

void remove_session(Tables& tables, const SessionKey& key) {
    const auto found = tables.sessions.find(key);
    if (found == tables.sessions.end()) return;
    const store::Session& session = found->second;
    const auto keys = tables.sessions_of.find(session.holder);
    BELAY_ASSERT(keys != tables.sessions_of.end() && keys->second.erase(key) == 1);
    if (keys->second.empty()) tables.sessions_of.erase(keys);
    tables.sessions_until.erase({session.until, key});
    tables.sessions.erase(found);
}

void put_session(Tables& tables, const SessionKey& key, store::Session session) {
    remove_session(tables, key);
    tables.sessions_of[session.holder].insert(key);
    tables.sessions_until.insert({session.until, key});
    tables.sessions.emplace(key, std::move(session));
}

void remove_session_use(Tables& tables, LeaseToken token) {
    const auto use = tables.session_uses.find(token);
    BELAY_ASSERT(use != tables.session_uses.end());
    const auto tokens = tables.session_uses_of.find(use->second.session);
    BELAY_ASSERT(tokens != tables.session_uses_of.end() && tokens->second.erase(token) == 1);
    if (tokens->second.empty()) tables.session_uses_of.erase(tokens);
    tables.session_uses.erase(use);
}

void put_session_use(Tables& tables, LeaseToken token, const SessionKey& key, Timestamp until) {
    tables.session_uses_of[key].insert(token);
    tables.session_uses.insert_or_assign(token, SessionUse{key, until});
}

/// Removes the uses of a session that ran no longer than until then.
void remove_session_uses(Tables& tables, const SessionKey& key, Timestamp until) {
    const auto tokens = tables.session_uses_of.find(key);
    if (tokens == tables.session_uses_of.end()) return;
    for (const LeaseToken token : std::set<LeaseToken>(tokens->second)) {
        if (tables.session_uses.at(token).until <= until) remove_session_use(tables, token);
    }
}

/// Until when something of a session runs that its holder has; the beginning of time, if nothing
/// does.
Timestamp busy_until(const Tables& tables, const SessionKey& key, std::uint64_t holder) {
    Timestamp busy{};
    const auto tokens = tables.session_uses_of.find(key);
    if (tokens == tables.session_uses_of.end()) return busy;
    for (const LeaseToken token : tokens->second) {
        if (token.holder != holder) continue;
        busy = std::max(busy, tables.session_uses.at(token).until);
    }
    return busy;
}

/// Keeps a session of this holder at least until then.
void keep_session(Tables& tables, const SessionKey& key, std::uint64_t holder, Timestamp until) {
    const auto found = tables.sessions.find(key);
    if (found == tables.sessions.end() || found->second.holder != holder) return;
    store::Session session = found->second;
    session.until = std::max(session.until, until);
    put_session(tables, key, std::move(session));
}

}  // namespace

void enter_session(Tables& tables, const Activity& activity, Millis idle, Timestamp now) {
    if (activity.about.session.empty()) return;
    const LeaseToken token = activity.token.value();
    const SessionKey key = session_of(tables, activity);
    store::Session session{token.holder, activity.worker, activity.leased_until, idle};
    const auto found = tables.sessions.find(key);
    const bool had_it = found != tables.sessions.end() && found->second.holder == token.holder;
    if (had_it) session.until = std::max(session.until, found->second.until);
    // Attempts that were lost have no end; those of whoever had it before are none of its own.
    remove_session_uses(tables, key, had_it ? now : Timestamp::max());
    put_session_use(tables, token, key, activity.leased_until);
    put_session(tables, key, std::move(session));
}

void stay_in_session(Tables& tables, const Activity& activity) {
    if (activity.about.session.empty()) return;
    const LeaseToken token = activity.token.value();
    const SessionKey key = session_of(tables, activity);
    put_session_use(tables, token, key, activity.leased_until);
    keep_session(tables, key, token.holder, activity.leased_until);
}

void stop_in_session(Tables& tables, LeaseToken token, Timestamp until) {
    const auto use = tables.session_uses.find(token);
    if (use == tables.session_uses.end()) return;
    use->second.until = until;
    keep_session(tables, use->second.session, token.holder, until);
}

void leave_session(Tables& tables, LeaseToken token, store::Kept kept, Timestamp now) {
    const auto use = tables.session_uses.find(token);
    if (use == tables.session_uses.end()) return;
    const SessionKey key = use->second.session;
    remove_session_use(tables, token);
    const auto found = tables.sessions.find(key);
    if (found == tables.sessions.end() || found->second.holder != token.holder) return;
    store::Session session = found->second;
    session.until = store::kept_until(session, kept, busy_until(tables, key, session.holder), now);
    // Others have been told that it would take longer.
    if (session.until < found->second.until) tables.notices.activities_ready = true;
    put_session(tables, key, std::move(session));
}

bool release_sessions(Tables& tables, std::uint64_t holder, Timestamp now) {
    const auto keys = tables.sessions_of.find(holder);
    if (keys == tables.sessions_of.end()) return false;
    bool changed = false;
    for (const SessionKey& key : std::set<SessionKey>(keys->second)) {
        const Timestamp busy = busy_until(tables, key, holder);
        store::Session session = tables.sessions.at(key);
        if (busy <= now) {
            forget_session(tables, key);
        } else if (busy < session.until) {
            session.until = busy;
            put_session(tables, key, std::move(session));
        } else {
            continue;
        }
        changed = true;
    }
    if (changed) tables.notices.activities_ready = true;
    return changed;
}

void forget_session(Tables& tables, const SessionKey& key) {
    remove_session_uses(tables, key, Timestamp::max());
    remove_session(tables, key);
}

}  // namespace belay::memory
