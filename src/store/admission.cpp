#include "store/admission.hpp"

#include <algorithm>

namespace belay::store {

Timestamp kept_until(const Session& session, Kept kept, Timestamp busy, Timestamp now) {
    const bool for_ever = session.idle > Timestamp::max() - now;
    Timestamp until = for_ever ? Timestamp::max() : now + session.idle;
    if (kept == Kept::no_longer) until = std::min(until, session.until);
    return std::max(until, busy);
}

Admission::Room& Admission::room_of(const std::string& queue) {
    const auto found = rooms_.find(queue);
    if (found != rooms_.end()) return found->second;
    return rooms_.emplace(queue, Room{rows_.room_of(queue), {}}).first->second;
}

/// What a key has begun is asked for when that first matters: there may be many keys.
bool Admission::has(const std::string& queue, Room& room, const std::string& key) {
    if (!room.room) return true;
    if (room.room->counts_starts_of(key) && room.keys.insert(key).second) {
        rows_.add_starts_of(queue, key, *room.room);
    }
    return room.room->has(key);
}

bool Admission::is_full(const std::string& queue) {
    const Room& room = room_of(queue);
    return room.room && room.room->full();
}

bool Admission::has_room(const std::string& queue, const std::string& key) {
    Room& room = room_of(queue);
    if (has(queue, room, key)) return true;
    wait(room.room->ready_in());
    return false;
}

bool Admission::admit(const std::string& queue,
                      const std::string& key,
                      const SessionKey& session,
                      Timestamp until) {
    if (!has_room(queue, key)) return false;
    if (!session.second.empty() && !may_enter(session)) return false;
    if (Room& room = room_of(queue); room.room) room.room->add(key, now_, until);
    return true;
}

bool Admission::must_wait(const std::string& queue,
                          const std::string& key,
                          const SessionKey& session) {
    return !has(queue, room_of(queue), key) || is_of_another(session);
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
    if (!owned_) owned_ = rows_.owned(holder_);
    if (owned_->count + entered_.size() >= sessions_) {
        if (owned_->first_until) wait(*owned_->first_until - now_);
        return false;
    }
    entered_.insert(session);
    return true;
}

void Admission::wait(const ReadyIn& time) {
    if (time) ready_in_ = ready_in_ ? std::min(*ready_in_, *time) : *time;
}

}  // namespace belay::store
