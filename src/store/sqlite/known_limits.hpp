// The limits of queues, known from one group of changes to the next.
#pragma once

#include "store/sqlite/connection.hpp"
#include <belay/queue_limits.hpp>

#include <map>
#include <memory>
#include <string>

namespace belay::sqlite {

using LimitsByQueue = std::map<std::string, QueueLimits>;

[[nodiscard]] QueueLimits read_limits(const Query<columns::queue_limit_list>& query);
/// As they are in the file.
[[nodiscard]] std::shared_ptr<const LimitsByQueue> read_limits(Connection& connection);

/// Nearly every change asks whether its queue has limits, and nearly no queue has. So they are read
/// only when they may have changed: SQLite tells whether anybody else has written the file, and who
/// writes them here calls `forget`. Belongs to one connection, and is used inside its transactions.
class KnownLimits {
public:
    /// As they were when the transaction began.
    [[nodiscard]] const std::shared_ptr<const LimitsByQueue>& get(Connection& connection);
    /// They change with this transaction.
    void forget() noexcept { limits_.reset(); }
    /// Commits; what was known stays known.
    void commit(Connection& connection, Transaction& transaction);

private:
    [[nodiscard]] bool are_true(const Connection& connection) const;

    std::shared_ptr<const LimitsByQueue> limits_;
    std::uint32_t version_ = 0;  ///< Of the file, in which they are true.
};

}  // namespace belay::sqlite
