// A file as the kernel shows it, and as it would be found after a loss of power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace belay::support {

/// The source of a disk's decisions: any number, each as likely.
using Chance = std::function<std::uint64_t()>;

/// Writes since the last sync may be on the disk or not, in any order: a write is there, or it is
/// not, or some of its sectors are.
class DiskFile {
public:
    /// A disk writes a sector whole or not at all.
    static constexpr std::size_t kSector = 512;

    [[nodiscard]] std::size_t size() const noexcept { return shown_.size(); }
    /// Copies the bytes that are there and returns their number.
    std::size_t read(std::size_t at, std::size_t size, char* to) const;
    void write(std::size_t at, const char* data, std::size_t size);
    void truncate(std::size_t size);

    /// Everything that was written is on the disk.
    void sync();
    /// A sync that failed: some of it is on the disk, and nobody will try the rest again, although
    /// reads still show it.
    void fail_sync(const Chance& chance);
    /// A loss of power: only the content on the disk is left.
    void lose_power(const Chance& chance);

    /// For a test that damages it, now and on the disk.
    void damage(std::size_t at, const std::string& bytes);

private:
    struct Change {
        std::size_t at = 0;  ///< For a truncation, the new size.
        std::string bytes;
        bool truncation = false;
    };
    static void apply(std::string& content, const Change& change);
    void apply_some(const Change& change, const Chance& chance);

    std::string shown_;
    std::string stored_;
    std::vector<Change> unsynced_;
};

}  // namespace belay::support
