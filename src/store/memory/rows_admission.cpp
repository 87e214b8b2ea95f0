// Limits of queues with the uses that count for them, sessions, and rates of starts.
#include "store/memory/table_rows.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace belay::memory {

namespace {

/// Returns a copy of the tokens that an index has under a key.
template <class Index, class Key>
std::set<LeaseToken> tokens_of(const Index& index, const Key& key) {
    const auto found = index.find(key);
    return found == index.end() ? std::set<LeaseToken>() : found->second;
}

}  // namespace

// ---- Limits ------------------------------------------------------------------------------------

const QueueLimits* TableRows::limits_of(const std::string& queue) {
    const auto found = tables_.limits.find(queue);
    return found == tables_.limits.end() ? nullptr : &found->second.limits;
}

void TableRows::put_pause(const SetPause& part) {
    const std::pair key(part.kind, part.paused);
    if (part.on) {
        tables_.pauses[key] = Pause{part.kind, part.paused, now(), part.by, part.reason};
    } else {
        tables_.pauses.erase(key);
    }
}

void TableRows::put_limits(const SetQueueLimits& part) {
    if (part.limits) {
        tables_.limits.insert_or_assign(
            part.queue, StoredQueueLimits{part.queue, *part.limits, now(), part.by});
    } else {
        tables_.limits.erase(part.queue);
    }
}

void TableRows::each_running(const std::string& queue,
                             const std::function<void(const std::string&, Timestamp)>& visit) {
    for (const LeaseToken token : tokens_of(tables_.uses_of, queue)) {
        const QueueUse& use = tables_.uses.at(token);
        if (use.until > now()) visit(use.key, use.until);
    }
}

std::optional<store::BegunAttempts> TableRows::begun_after(const std::string& queue,
                                                           const std::string* key,
                                                           Timestamp after,
                                                           std::uint32_t most) {
    std::optional<store::BegunAttempts> begun;
    for (const LeaseToken token : tokens_of(tables_.uses_of, queue)) {
        const QueueUse& use = tables_.uses.at(token);
        if (use.begun_at <= after || (key != nullptr && use.key != *key)) continue;
        if (!begun) begun = store::BegunAttempts{0, use.begun_at};
        begun->count = std::min<std::uint64_t>(begun->count + 1, most);
        begun->first = std::min(begun->first, use.begun_at);
    }
    return begun;
}

void TableRows::put_use(LeaseToken token, const QueueUse& use) {
    tables_.uses_of[use.queue].insert(token);
    tables_.uses.insert_or_assign(token, use);
}

void TableRows::renew_use(const store::Activity& activity) {
    const LeaseToken token = activity.token.value();
    const auto found = tables_.uses.find(token);
    const Timestamp begun_at = found == tables_.uses.end() ? Timestamp() : found->second.begun_at;
    const std::string& key = tables_.activities.at(activity.ref).about.fairness_key;
    put_use(token, QueueUse{activity.queue, key, begun_at, activity.leased_until});
}

bool TableRows::set_use_until(LeaseToken token, Timestamp until) {
    const auto use = tables_.uses.find(token);
    if (use == tables_.uses.end()) return false;
    use->second.until = until;
    return true;
}

bool TableRows::erase_use(LeaseToken token) {
    if (!tables_.uses.contains(token)) return false;
    remove_use(tables_, token);
    return true;
}

void TableRows::end_uses(std::uint64_t holder) {
    auto use = tables_.uses.lower_bound(LeaseToken{holder, 0});
    for (; use != tables_.uses.end() && use->first.holder == holder; ++use) {
        use->second.until = Timestamp();
    }
}

void TableRows::erase_uses_past(const std::string& queue, Timestamp begun) {
    for (const LeaseToken token : tokens_of(tables_.uses_of, queue)) {
        const QueueUse& use = tables_.uses.at(token);
        if (use.until <= now() && use.begun_at <= begun) remove_use(tables_, token);
    }
}

void TableRows::erase_uses(const std::string& queue) {
    for (const LeaseToken token : tokens_of(tables_.uses_of, queue)) remove_use(tables_, token);
}

void TableRows::fill_uses(const std::string& queue) {
    for (const auto& [ref, row] : tables_.activities) {
        if (row.queue != queue || !row.token || row.leased_until <= now()) continue;
        put_use(*row.token, QueueUse{queue, row.about.fairness_key, Timestamp(), row.leased_until});
    }
    for (const auto& [key, record] : tables_.stopping) {
        if (record.queue != queue || record.until <= now()) continue;
        put_use(key.second, QueueUse{queue, record.fairness_key, Timestamp(), record.until});
    }
}

// ---- Sessions ----------------------------------------------------------------------------------

std::optional<store::Session> TableRows::find_session(const SessionKey& key) {
    const auto found = tables_.sessions.find(key);
    return found == tables_.sessions.end() ? std::nullopt : std::optional(found->second);
}

void TableRows::put_session(const SessionKey& key, const store::Session& session) {
    remove_session(tables_, key);
    tables_.sessions_of[session.holder].insert(key);
    tables_.sessions_until.insert({session.until, key});
    tables_.sessions.emplace(key, session);
}

void TableRows::set_session_until(const SessionKey& key, Timestamp until) {
    store::Session& session = tables_.sessions.at(key);
    tables_.sessions_until.erase({session.until, key});
    session.until = until;
    tables_.sessions_until.insert({until, key});
}

void TableRows::erase_session(const SessionKey& key) { remove_session(tables_, key); }

store::OwnedSessions TableRows::owned_sessions(std::uint64_t holder) {
    store::OwnedSessions owned;
    for (const auto& [key, until] : sessions_of(holder)) {
        if (until <= now()) continue;
        ++owned.count;
        owned.first_until = std::min(owned.first_until.value_or(until), until);
    }
    return owned;
}

std::vector<std::pair<SessionKey, Timestamp>> TableRows::sessions_of(std::uint64_t holder) {
    std::vector<std::pair<SessionKey, Timestamp>> found;
    const auto keys = tables_.sessions_of.find(holder);
    if (keys == tables_.sessions_of.end()) return found;
    for (const SessionKey& key : keys->second) {
        found.emplace_back(key, tables_.sessions.at(key).until);
    }
    return found;
}

std::vector<SessionKey> TableRows::sessions_past(std::uint32_t max) {
    std::vector<SessionKey> found;
    for (const auto& [until, key] : tables_.sessions_until) {
        if (until > now() || found.size() == max) break;
        found.push_back(key);
    }
    return found;
}

std::optional<SessionKey> TableRows::session_used_by(LeaseToken token) {
    const auto use = tables_.session_uses.find(token);
    return use == tables_.session_uses.end() ? std::nullopt : std::optional(use->second.session);
}

void TableRows::put_session_use(LeaseToken token, const SessionKey& key, Timestamp until) {
    tables_.session_uses_of[key].insert(token);
    tables_.session_uses.insert_or_assign(token, SessionUse{key, until});
}

void TableRows::erase_session_use(LeaseToken token) { remove_session_use(tables_, token); }

void TableRows::erase_session_uses(const SessionKey& key, Timestamp until) {
    for (const LeaseToken token : tokens_of(tables_.session_uses_of, key)) {
        if (tables_.session_uses.at(token).until <= until) remove_session_use(tables_, token);
    }
}

Timestamp TableRows::session_busy_until(const SessionKey& key, std::uint64_t holder) {
    Timestamp busy{};
    for (const LeaseToken token : tokens_of(tables_.session_uses_of, key)) {
        if (token.holder == holder) busy = std::max(busy, tables_.session_uses.at(token).until);
    }
    return busy;
}

// ---- Rates of starts ---------------------------------------------------------------------------

std::optional<store::RatePlace> TableRows::last_rate_place(const store::RateId& id) {
    constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();
    const auto behind = tables_.rate_places.upper_bound({id, kHighest});
    if (behind == tables_.rate_places.begin()) return std::nullopt;
    const auto last = std::prev(behind);
    return last->first.first == id ? std::optional(last->second) : std::nullopt;
}

std::optional<store::RatePlace> TableRows::find_rate_place(const store::RateId& id,
                                                           std::uint64_t number) {
    const auto found = tables_.rate_places.find({id, number});
    return found == tables_.rate_places.end() ? std::nullopt : std::optional(found->second);
}

void TableRows::insert_rate_place(const store::RateId& id, const store::RatePlace& place) {
    const RatePlaceKey key{id, place.number};
    const bool inserted = tables_.rate_places.emplace(key, place).second;
    BELAY_ASSERT(inserted);
    tables_.rate_places_until.emplace(place.counts_until, key);
}

void TableRows::erase_rate_places(const store::RateId& id, std::uint64_t up_to) {
    const auto first = tables_.rate_places.lower_bound({id, 0});
    const auto behind = tables_.rate_places.upper_bound({id, up_to});
    for (auto at = first; at != behind; ++at) {
        tables_.rate_places_until.erase({at->second.counts_until, at->first});
    }
    tables_.rate_places.erase(first, behind);
}

std::uint64_t TableRows::erase_rate_places_past(std::uint32_t max) {
    return erase_past(tables_.rate_places_until, tables_.rate_places, now(), max);
}

}  // namespace belay::memory
