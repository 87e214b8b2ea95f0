// Who has which session, and what runs of it.
#include "store/sqlite/tables.hpp"

#include <algorithm>

namespace belay::sqlite {

using store::SessionKey;

std::optional<store::Session> Tables::session(const SessionKey& key) {
    Query query = connection_.use(Sql::session_find);
    query.bind(key.first, key.second);
    if (!query.step()) return std::nullopt;
    return store::Session{query.number(0), query.text(1), query.time(2), Millis(query.integer(3))};
}

store::OwnedSessions Tables::owned(std::uint64_t holder) {
    store::OwnedSessions owned;
    Query query = connection_.use(Sql::session_owned);
    query.bind(holder, now_);
    if (query.step()) {
        owned.count = query.number(0);
        owned.first_until = query.maybe_time(1);
    }
    return owned;
}

SessionKey Tables::session_of(const Activity& activity) {
    if (activity.session.empty()) return {};
    return {run_of(activity.ref.run.key).name.space, activity.session};
}

// ---- What runs of them -------------------------------------------------------------------------

std::optional<SessionKey> Tables::session_used_by(LeaseToken token) {
    // Most have no sessions at all: then one look is enough for all changes of a group.
    if (!has_session_uses_) has_session_uses_ = connection_.use(Sql::session_use_any).step();
    if (!*has_session_uses_) return std::nullopt;
    Query query = connection_.use(Sql::session_use_find);
    query.bind(token.holder, token.serial);
    if (!query.step()) return std::nullopt;
    return SessionKey{query.text(0), query.text(1)};
}

void Tables::put_session_use(LeaseToken token, const SessionKey& key, Timestamp until) {
    connection_.use(Sql::session_use_put)
        .bind(token.holder, token.serial, key.first, key.second, until)
        .run();
    has_session_uses_ = true;
}

void Tables::delete_session_uses(const SessionKey& key, Timestamp until) {
    connection_.use(Sql::session_use_delete_past).bind(key.first, key.second, until).run();
}

Timestamp Tables::busy_until(const SessionKey& key, std::uint64_t holder) {
    Query query = connection_.use(Sql::session_use_busy);
    query.bind(key.first, key.second, holder);
    const std::optional<Timestamp> busy = query.step() ? query.maybe_time(0) : std::nullopt;
    return busy.value_or(Timestamp());
}

void Tables::enter_session(const Activity& activity, Millis idle) {
    if (activity.session.empty()) return;
    const LeaseToken token = activity.token.value();
    const SessionKey key = session_of(activity);
    const std::optional<store::Session> before = session(key);
    const bool had_it = before && before->holder == token.holder;
    // Attempts that were lost have no end; those of whoever had it before are none of its own.
    delete_session_uses(key, had_it ? now_ : Timestamp::max());
    put_session_use(token, key, activity.leased_until);
    connection_.use(Sql::session_put)
        .bind(key.first,
              key.second,
              token.holder,
              activity.worker,
              activity.leased_until,
              idle.count())
        .run();
}

void Tables::stay_in_session(const Activity& activity) {
    if (activity.session.empty()) return;
    const LeaseToken token = activity.token.value();
    const SessionKey key = session_of(activity);
    put_session_use(token, key, activity.leased_until);
    keep_session(key, token.holder, activity.leased_until);
}

void Tables::stop_in_session(LeaseToken token, Timestamp until) {
    const std::optional<SessionKey> key = session_used_by(token);
    if (!key) return;
    connection_.use(Sql::session_use_until).bind(token.holder, token.serial, until).run();
    keep_session(*key, token.holder, until);
}

void Tables::leave_session(LeaseToken token, store::Kept kept) {
    const std::optional<SessionKey> key = session_used_by(token);
    if (!key) return;
    connection_.use(Sql::session_use_delete).bind(token.holder, token.serial).run();
    const std::optional<store::Session> found = session(*key);
    if (!found || found->holder != token.holder) return;
    const Timestamp until = store::kept_until(*found, kept, busy_until(*key, token.holder), now_);
    // Others have been told that it would take longer.
    if (until < found->until) notices.activities_ready = true;
    set_session_until(*key, until);
}

// ---- How long they are kept --------------------------------------------------------------------

/// At least until then, if it is still this holder's.
void Tables::keep_session(const SessionKey& key, std::uint64_t holder, Timestamp until) {
    connection_.use(Sql::session_extend).bind(key.first, key.second, holder, until).run();
}

void Tables::set_session_until(const SessionKey& key, Timestamp until) {
    connection_.use(Sql::session_until).bind(key.first, key.second, until).run();
}

bool Tables::release_sessions(std::uint64_t holder) {
    std::vector<std::pair<SessionKey, Timestamp>> owned;
    {
        Query query = connection_.use(Sql::session_of_holder);
        query.bind(holder);
        while (query.step()) {
            owned.emplace_back(SessionKey{query.text(0), query.text(1)}, query.time(2));
        }
    }
    bool changed = false;
    for (const auto& [key, until] : owned) {
        const Timestamp busy = busy_until(key, holder);
        if (busy <= now_) {
            forget_session(key);
        } else if (busy < until) {
            set_session_until(key, busy);
        } else {
            continue;
        }
        changed = true;
    }
    if (changed) notices.activities_ready = true;
    return changed;
}

void Tables::forget_session(const SessionKey& key) {
    delete_session_uses(key, Timestamp::max());
    connection_.use(Sql::session_delete).bind(key.first, key.second).run();
}

std::uint64_t Tables::forget_sessions_past(std::uint32_t max) {
    std::vector<SessionKey> past;
    {
        Query query = connection_.use(Sql::session_past);
        query.bind(now_, max);
        while (query.step()) past.emplace_back(query.text(0), query.text(1));
    }
    for (const SessionKey& key : past) forget_session(key);
    return past.size();
}

}  // namespace belay::sqlite
