// The limits of queues, kept from one group of changes to the next.
#pragma once

#include "store/sqlite/connection.hpp"
#include <belay/pause.hpp>
#include <belay/queue_limits.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace belay::sqlite {

using LimitsByQueue = std::map<std::string, QueueLimits>;
using PausedNames = std::set<std::pair<PauseKind, std::string>>;

[[nodiscard]] QueueLimits read_limits(const Query<columns::queue_limit_list>& query);
/// Reads the limits from the file.
[[nodiscard]] std::shared_ptr<const LimitsByQueue> read_limits(Connection& connection);

/// Reads what is paused from the file.
[[nodiscard]] std::shared_ptr<const PausedNames> read_pauses(Connection& connection);

/// Keeps the limits of all queues, and what is paused. Nearly every change asks for the limits of
/// its queue, and nearly no queue has any. So they are read only when they may have changed. SQLite
/// tells if another connection has written the file. The code that writes them here calls `forget`.
/// Belongs to one connection and is used inside its transactions.
class QueueLimitsCache {
public:
    /// Returns the limits as they were when the transaction began.
    [[nodiscard]] const std::shared_ptr<const LimitsByQueue>& get(Connection& connection);
    /// Returns what was paused then.
    [[nodiscard]] const std::shared_ptr<const PausedNames>& pauses(Connection& connection);
    /// Called when this transaction changes them.
    void forget() noexcept {
        limits_.reset();
        pauses_.reset();
    }
    /// Commits, and keeps the limits that are known.
    void commit(Connection& connection, Transaction& transaction);

private:
    [[nodiscard]] bool are_true(const Connection& connection) const;
    void refresh(Connection& connection);

    std::shared_ptr<const LimitsByQueue> limits_;
    std::shared_ptr<const PausedNames> pauses_;
    std::uint32_t version_ = 0;  ///< The version of the file in which they are true.
};

}  // namespace belay::sqlite
