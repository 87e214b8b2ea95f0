// The decision whether limits of queues and sessions admit an activity: for all stores.
#pragma once

#include "store/rules/queue_room.hpp"
#include "store/rules/rows.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace belay::store {

/// Decides for one activity after the other, in the order of their queue, for leases to one holder.
/// An admitted activity counts for those after it.
class Admission {
public:
    Admission(Rows& rows, std::uint64_t holder, std::uint32_t sessions, Timestamp now)
        : rows_(rows), holder_(holder), sessions_(sessions), now_(now) {}

    /// `session`: no session if its name is empty. `until`: the end of the lease that it would
    /// have.
    [[nodiscard]] bool admit(const std::string& queue,
                             const std::string& key,
                             const SessionKey& session,
                             Timestamp until);
    /// True if it cannot be leased to any other holder either: there is no room for it, or another
    /// holder owns its session.
    [[nodiscard]] bool must_wait(const std::string& queue,
                                 const std::string& key,
                                 const SessionKey& session);
    /// True if nothing more of a queue is admitted.
    [[nodiscard]] bool is_full(const std::string& queue);
    /// True if limits allow another one. If not, `ready_in` returns when they may.
    [[nodiscard]] bool has_room(const std::string& queue, const std::string& key);
    /// Returns how long until time alone may admit something that was refused. Returns none if
    /// nothing was refused or time cannot help.
    [[nodiscard]] ReadyIn ready_in() const { return ready_in_; }

private:
    struct Room {
        std::optional<QueueRoom> room;
        std::set<std::string> keys;  ///< Keys whose starts were added.
    };

    [[nodiscard]] Room& room_of(const std::string& queue);
    [[nodiscard]] bool has(const std::string& queue, Room& room, const std::string& key);
    [[nodiscard]] bool is_of_another(const SessionKey& session);
    [[nodiscard]] bool may_enter(const SessionKey& session);
    void wait(const ReadyIn& time);

    Rows& rows_;
    std::uint64_t holder_;
    std::uint32_t sessions_;
    Timestamp now_;
    std::map<std::string, Room> rooms_;
    std::map<SessionKey, bool> known_;    ///< True for a session of the holder.
    std::set<SessionKey> entered_;        ///< Sessions that had no holder.
    std::optional<OwnedSessions> owned_;  ///< The sessions of the holder before it entered any.
    ReadyIn ready_in_;
};

}  // namespace belay::store
