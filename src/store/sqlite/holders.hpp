// The holders of leases that this store object has registered in the file.
#pragma once

#include "store/sqlite/connection.hpp"
#include "store/sqlite/life_lock.hpp"
#include <belay/store/query.hpp>

#include <map>
#include <string>
#include <vector>

namespace belay::sqlite {

/// A row: a holder whose leases end with a lock. A holder without a row is never taken for dead,
/// because nothing is known of it. It is an older program's, or was imported.
struct RegisteredHolder {
    std::uint64_t holder = 0;
    std::uint64_t registration = 0;  ///< The store object that wrote it.
    LifePlace place;
    bool operator==(const RegisteredHolder&) const = default;
};

[[nodiscard]] std::vector<RegisteredHolder> read_holders(Connection& connection);

/// Registers each holder with its first lease, in the same transaction. The lock is taken before
/// that. From then on a row without a lock means that the holder is dead. Used by the writer, under
/// the write lock.
class Holders {
public:
    explicit Holders(const std::string& database);

    /// Called in the transaction that gives a lease of this length. `now` is its time.
    void promise(Connection& connection, std::uint64_t holder, Timestamp now, Millis lease);
    /// Called when the transaction was committed or that is unknown; `drop` if it was rolled back.
    void keep();
    void drop() noexcept { pending_.clear(); }

    [[nodiscard]] bool empty() const noexcept { return until_.empty(); }
    /// Removes the rows, before this object releases the locks. The leases stay as they are,
    /// because handlers may still run in this process.
    void withdraw(Connection& connection) const;
    /// Leaves the rows. So the locks must stay too, until the process ends.
    void leave_behind() { lock_.leave_behind(); }

    /// The mark of the rows of this object. Any thread.
    [[nodiscard]] std::uint64_t registration() const noexcept { return registration_; }

private:
    LifeLock lock_;
    const std::uint64_t registration_;
    /// Registered holders: the latest end of their leases according to the file.
    std::map<std::uint64_t, Timestamp> until_;
    std::map<std::uint64_t, Timestamp> pending_;  ///< The same for this transaction.
};

}  // namespace belay::sqlite
