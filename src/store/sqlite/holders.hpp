// The holders of leases that this store object has registered in the file.
#pragma once

#include "store/sqlite/connection.hpp"
#include "store/sqlite/life_lock.hpp"
#include <belay/store/query.hpp>

#include <map>
#include <string>
#include <vector>

namespace belay::sqlite {

/// A row: whose leases end with a lock. A holder without one is never taken for dead, because
/// nothing is known of it: it is an older program's, or was imported.
struct RegisteredHolder {
    std::uint64_t holder = 0;
    std::uint64_t registration = 0;  ///< Of the store object that wrote it.
    LifePlace place;
    bool operator==(const RegisteredHolder&) const = default;
};

[[nodiscard]] std::vector<RegisteredHolder> read_holders(Connection& connection);

/// Registers each holder with its first lease, in the same transaction. The lock is taken before:
/// from then on whoever finds the row and not the lock knows that the holder is dead. Used by the
/// writer, under the write lock.
class Holders {
public:
    explicit Holders(const std::string& database);

    /// In the transaction that gives a lease of this length. `now` is its time.
    void promise(Connection& connection, std::uint64_t holder, Timestamp now, Millis lease);
    /// The transaction was committed, or nobody knows; or it was rolled back.
    void keep();
    void drop() noexcept { pending_.clear(); }

    [[nodiscard]] bool empty() const noexcept { return until_.empty(); }
    /// Takes the rows back, before the locks go with this object. What is held keeps its leases:
    /// handlers may still run in this process.
    void withdraw(Connection& connection) const;
    /// The rows stay. So the locks must, until the process ends.
    void leave_behind() { lock_.leave_behind(); }

    /// Marks the rows of this object. Any thread.
    [[nodiscard]] std::uint64_t registration() const noexcept { return registration_; }

private:
    LifeLock lock_;
    const std::uint64_t registration_;
    /// Those that are registered: what the file says of when their leases end at the latest.
    std::map<std::uint64_t, Timestamp> until_;
    std::map<std::uint64_t, Timestamp> pending_;  ///< The same, of this transaction.
};

}  // namespace belay::sqlite
