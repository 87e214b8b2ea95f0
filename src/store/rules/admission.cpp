#include "store/rules/admission.hpp"

#include <algorithm>

namespace belay::store {

namespace {

/// Returns none for a queue without limits. Leaves out the starts that rates of keys count.
std::optional<QueueRoom> find_room(Rows& rows, const std::string& queue) {
    const QueueLimits* const limits = rows.limits_of(queue);
    if (limits == nullptr) return std::nullopt;
    QueueRoom room(*limits, rows.now());
    rows.each_running(
        queue, [&](const std::string& key, Timestamp until) { room.add_running(key, until); });
    if (const auto& rate = limits->started) {
        const Timestamp after = not_counted_from(*rate, rows.now());
        const auto begun = rows.begun_after(queue, nullptr, after, std::max(rate->count, 1U));
        if (begun) room.add_started(begun->count, begun->first);
    }
    return room;
}

/// Adds the starts that the rate of one key counts.
void add_starts_of(Rows& rows, const std::string& queue, const std::string& key, QueueRoom& room) {
    const StartRate& rate = rows.limits_of(queue)->started_per_key.value();
    const Timestamp after = not_counted_from(rate, rows.now());
    const auto begun = rows.begun_after(queue, &key, after, std::max(rate.count, 1U));
    if (begun) room.add_started_of(key, begun->count, begun->first);
}

}  // namespace

Admission::Room& Admission::room_of(const std::string& queue) {
    const auto found = rooms_.find(queue);
    if (found != rooms_.end()) return found->second;
    return rooms_.emplace(queue, Room{find_room(rows_, queue), {}}).first->second;
}

/// Reads the starts of a key only when they first matter, because there may be many keys.
bool Admission::has(const std::string& queue, Room& room, const std::string& key) {
    if (!room.room) return true;
    if (room.room->counts_starts_of(key) && room.keys.insert(key).second) {
        add_starts_of(rows_, queue, key, *room.room);
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

/// False for an activity without a session, whose session name is empty.
bool Admission::is_of_another(const SessionKey& session) {
    if (session.second.empty() || entered_.contains(session)) return false;
    if (const auto known = known_.find(session); known != known_.end()) return !known->second;
    const std::optional<Session> owned = rows_.find_session(session);
    if (!owned || owned->until <= now_) return false;
    const bool mine = owned->holder == holder_;
    if (!mine) wait(owned->until - now_);
    known_.emplace(session, mine);
    return !mine;
}

/// True if the session is the holder's or can be.
bool Admission::may_enter(const SessionKey& session) {
    if (is_of_another(session)) return false;
    if (entered_.contains(session) || known_.contains(session)) return true;
    if (!owned_) owned_ = rows_.owned_sessions(holder_);
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
