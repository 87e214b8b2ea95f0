// What limits of queues and sessions say of activities that could be taken: for all stores.
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

/// Asked of one activity after the other, in the order of their queue, by whoever would lease them
/// to one holder. What was admitted counts for those after it.
class Admission {
public:
    Admission(Rows& rows, std::uint64_t holder, std::uint32_t sessions, Timestamp now)
        : rows_(rows), holder_(holder), sessions_(sessions), now_(now) {}

    /// `session`: none, if its name is empty. `until`: the end of the lease it would have.
    [[nodiscard]] bool admit(const std::string& queue,
                             const std::string& key,
                             const SessionKey& session,
                             Timestamp until);
    /// It cannot be leased to anybody else either: there is no room for it, or its session is of
    /// another holder, who alone can have it.
    [[nodiscard]] bool must_wait(const std::string& queue,
                                 const std::string& key,
                                 const SessionKey& session);
    /// Nothing more of a queue is admitted.
    [[nodiscard]] bool is_full(const std::string& queue);
    /// Limits allow another one. If they do not, `ready_in` says when.
    [[nodiscard]] bool has_room(const std::string& queue, const std::string& key);
    /// How long until time alone may admit something that was not; none: nothing was refused, or
    /// it cannot.
    [[nodiscard]] ReadyIn ready_in() const { return ready_in_; }

private:
    struct Room {
        std::optional<QueueRoom> room;
        std::set<std::string> keys;  ///< Whose starts were added.
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
    std::map<SessionKey, bool> known_;    ///< Whether they are the holder's.
    std::set<SessionKey> entered_;        ///< That were nobody's.
    std::optional<OwnedSessions> owned_;  ///< Those of the holder before it entered any.
    ReadyIn ready_in_;
};

}  // namespace belay::store
