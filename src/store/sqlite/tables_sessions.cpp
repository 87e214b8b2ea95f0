// Sessions, their holders, and the attempts that run in them.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

using store::SessionKey;

std::optional<store::Session> Tables::find_session(const SessionKey& key) {
    Query query = connection_.use(Sql::session_find);
    query.bind(key.first, key.second);
    if (!query.step()) return std::nullopt;
    using Row = columns::session_find;
    return store::Session{query.number(Row::holder),
                          query.text(Row::worker),
                          query.time(Row::until),
                          query.duration(Row::idle)};
}

void Tables::put_session(const SessionKey& key, const store::Session& session) {
    connection_.use(Sql::session_put)
        .bind(key.first, key.second, session.holder, session.worker, session.until, session.idle)
        .run();
}

void Tables::set_session_until(const SessionKey& key, Timestamp until) {
    connection_.use(Sql::session_until).bind(key.first, key.second, until).run();
}

void Tables::erase_session(const SessionKey& key) {
    connection_.use(Sql::session_delete).bind(key.first, key.second).run();
}

store::OwnedSessions Tables::owned_sessions(std::uint64_t holder) {
    store::OwnedSessions owned;
    Query query = connection_.use(Sql::session_owned);
    query.bind(holder, now());
    if (query.step()) {
        owned.count = query.number(columns::session_owned::count);
        owned.first_until = query.maybe_time(columns::session_owned::earliest);
    }
    return owned;
}

std::vector<std::pair<SessionKey, Timestamp>> Tables::sessions_of(std::uint64_t holder) {
    std::vector<std::pair<SessionKey, Timestamp>> owned;
    Query query = connection_.use(Sql::session_of_holder);
    query.bind(holder);
    using Row = columns::session_of_holder;
    while (query.step()) {
        owned.emplace_back(SessionKey{query.text(Row::space), query.text(Row::name)},
                           query.time(Row::until));
    }
    return owned;
}

std::vector<SessionKey> Tables::sessions_past(std::uint32_t max) {
    std::vector<SessionKey> past;
    Query query = connection_.use(Sql::session_past);
    query.bind(now(), max);
    using Row = columns::session_past;
    while (query.step()) past.emplace_back(query.text(Row::space), query.text(Row::name));
    return past;
}

// ---- Attempts that run in them -----------------------------------------------------------------

std::optional<SessionKey> Tables::session_used_by(LeaseToken token) {
    // Most files have no sessions at all: then one look is enough for all changes of a group.
    if (!has_session_uses_) has_session_uses_ = connection_.use(Sql::session_use_any).step();
    if (!*has_session_uses_) return std::nullopt;
    Query query = connection_.use(Sql::session_use_find);
    query.bind(token.holder, token.serial);
    if (!query.step()) return std::nullopt;
    using Row = columns::session_use_find;
    return SessionKey{query.text(Row::space), query.text(Row::name)};
}

void Tables::put_session_use(LeaseToken token, const SessionKey& key, Timestamp until) {
    connection_.use(Sql::session_use_put)
        .bind(token.holder, token.serial, key.first, key.second, until)
        .run();
    has_session_uses_ = true;
}

void Tables::erase_session_use(LeaseToken token) {
    connection_.use(Sql::session_use_delete).bind(token.holder, token.serial).run();
}

void Tables::erase_session_uses(const SessionKey& key, Timestamp until) {
    connection_.use(Sql::session_use_delete_past).bind(key.first, key.second, until).run();
}

Timestamp Tables::session_busy_until(const SessionKey& key, std::uint64_t holder) {
    Query query = connection_.use(Sql::session_use_busy);
    query.bind(key.first, key.second, holder);
    using Row = columns::session_use_busy;
    const std::optional<Timestamp> busy =
        query.step() ? query.maybe_time(Row::latest) : std::nullopt;
    return busy.value_or(Timestamp());
}

}  // namespace belay::sqlite
