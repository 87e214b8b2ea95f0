#include "store/admission.hpp"

#include <algorithm>

namespace belay::store {

Timestamp kept_until(const Session& session, Kept kept, Timestamp busy, Timestamp now) {
    const bool for_ever = session.idle > Timestamp::max() - now;
    Timestamp until = for_ever ? Timestamp::max() : now + session.idle;
    if (kept == Kept::no_longer) until = std::min(until, session.until);
    return std::max(until, busy);
}

std::optional<QueueRoom>& Admission::room_of(const std::string& queue) {
    const auto found = rooms_.find(queue);
    if (found != rooms_.end()) return found->second;
    return rooms_.emplace(queue, rows_.room_of(queue)).first->second;
}

bool Admission::is_full(const std::string& queue) {
    const std::optional<QueueRoom>& room = room_of(queue);
    return room && room->full();
}

bool Admission::admit(const std::string& queue,
                      const std::string& key,
                      const SessionKey& session,
                      Timestamp until) {
    std::optional<QueueRoom>& room = room_of(queue);
    if (room && !room->has(key)) {
        wait(room->ready_in());
        return false;
    }
    if (!session.second.empty() && !may_enter(session)) return false;
    if (room) room->add(key, now_, until);
    return true;
}

bool Admission::must_wait(const std::string& queue,
                          const std::string& key,
                          const SessionKey& session) {
    const std::optional<QueueRoom>& room = room_of(queue);
    return (room && !room->has(key)) || is_of_another(session);
}

/// None is, if its name is empty.
bool Admission::is_of_another(const SessionKey& session) {
    if (session.second.empty() || entered_.contains(session)) return false;
    if (const auto known = known_.find(session); known != known_.end()) return !known->second;
    const std::optional<Session> owned = rows_.session(session);
    if (!owned || owned->until <= now_) return false;
    const bool mine = owned->holder == holder_;
    if (!mine) wait(owned->until - now_);
    known_.emplace(session, mine);
    return !mine;
}

/// Whether the session is the holder's, or can be.
bool Admission::may_enter(const SessionKey& session) {
    if (is_of_another(session)) return false;
    if (entered_.contains(session) || known_.contains(session)) return true;
    const OwnedSessions others = rows_.owned(holder_);
    if (others.count + entered_.size() >= sessions_) {
        if (others.first_until) wait(*others.first_until - now_);
        return false;
    }
    entered_.insert(session);
    return true;
}

void Admission::wait(const ReadyIn& time) {
    if (time) ready_in_ = ready_in_ ? std::min(*ready_in_, *time) : *time;
}

}  // namespace belay::store
