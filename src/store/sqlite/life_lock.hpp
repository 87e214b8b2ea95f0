// The sign of life of a holder of leases: a lock for each, which dies with its process.
#pragma once

#include "base/lifelines.hpp"
#include "store/sqlite/file_identity.hpp"
#include "store/sqlite/unshared_descriptor.hpp"
#include <belay/error.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace belay::sqlite {

/// The file beside the database that has the locks, and the boot of the kernel that keeps them.
/// Only a process that sees the same place can tell that a lock is gone.
struct LifePlace {
    std::string boot;
    FileIdentity file;
    bool operator==(const LifePlace&) const = default;
};

/// Locks of the open file description on the file of FileLock, under a description of its own. The
/// kernel releases them when the process is dead, in whatever way, and not before. A stopped
/// process keeps them. The id of a holder gives its byte, far behind those of FileLock. No byte is
/// ever given to a second holder.
///
/// A child of fork(2) does not share the locks. The guardian of the programs that this process runs
/// shares them. So a holder is dead only when its programs are, too.
class LifeLock {
public:
    /// Opens the file, which must be there. If it cannot be opened, the object holds no locks.
    explicit LifeLock(const std::string& database);

    /// The place of the locks. None if nobody could ever tell that they are gone.
    [[nodiscard]] const std::optional<LifePlace>& place() const noexcept { return place_; }
    /// Returns false if the lock cannot be taken.
    [[nodiscard]] bool hold(std::uint64_t holder) const;

    /// Keeps the locks until the process ends, even if this object is destroyed.
    void leave_behind();

private:
    struct Open {
        UnsharedDescriptor descriptor;
        base::Lifeline lifeline;
        explicit Open(const std::string& path);
    };

    std::unique_ptr<Open> open_;
    std::optional<LifePlace> place_;
};

/// True if any process holds the lock of a holder. `descriptor` belongs to another description of
/// the same file.
[[nodiscard]] bool is_life_held(int descriptor, std::uint64_t holder);
/// Returns the place of `descriptor`. Returns none if it cannot be known.
[[nodiscard]] std::optional<LifePlace> life_place_of(int descriptor);

}  // namespace belay::sqlite
