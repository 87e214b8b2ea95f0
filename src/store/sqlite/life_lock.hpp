// Which holders of leases live: a lock for each, which dies with its process.
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
/// Only who sees the same one can tell that a lock is gone.
struct LifePlace {
    std::string boot;
    FileIdentity file;
    bool operator==(const LifePlace&) const = default;
};

/// Locks of the open file description on the file of FileLock, under a description of its own: the
/// kernel releases them when the process is dead, in whatever way, and not before. A stopped
/// process keeps them. Each holder has the byte that its id names, far behind those of FileLock: no
/// byte is ever given to a second one.
///
/// A child of fork(2) has no part in it. The guardian of the programs that this process runs has
/// one: so a holder is dead when its programs are, too.
class LifeLock {
public:
    /// Opens the file, which is there. A lock that cannot be opened holds nothing.
    explicit LifeLock(const std::string& database);

    /// Where the locks are; none if nobody could ever tell that they are gone.
    [[nodiscard]] const std::optional<LifePlace>& place() const noexcept { return place_; }
    /// False if it cannot be held.
    [[nodiscard]] bool hold(std::uint64_t holder) const;

    /// From now on it is held until the process ends, though this object is destroyed.
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

/// Whether anybody holds the lock of a holder; `descriptor` is that of another description of the
/// same file.
[[nodiscard]] bool is_life_held(int descriptor, std::uint64_t holder);
/// The place that `descriptor` is one of.
[[nodiscard]] std::optional<LifePlace> life_place_of(int descriptor);

}  // namespace belay::sqlite
