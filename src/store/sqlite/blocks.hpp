// The index by which lists find runs: blocks of runs, instead of an entry for each run.
#pragma once

#include "store/rules/records.hpp"
#include "store/sqlite/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

namespace belay::sqlite {

/// The runs of a block have equal keys except for this many low bits. Times of lists are rounded
/// down by this many bits. Migration 0020 has the same numbers.
inline constexpr unsigned kBlockBits = 24;
inline constexpr unsigned kMomentBits = 2;

[[nodiscard]] constexpr std::int64_t block_of(std::int64_t key) noexcept {
    return key >> kBlockBits;
}
/// Returns a number for each four milliseconds.
[[nodiscard]] constexpr std::int64_t moment_of(std::int64_t ms) noexcept {
    return ms >> kMomentBits;
}
[[nodiscard]] inline std::int64_t moment_of(Timestamp at) { return moment_of(to_unix_ms(at)); }

/// The values of `run_block.kind`.
enum class BlockKind : std::uint8_t { definition = 1, version = 2, owner = 3, created = 4 };

/// Returns the kind for runs that ended with this status.
[[nodiscard]] constexpr BlockKind ended_as(Status status) noexcept {
    return static_cast<BlockKind>(10 + static_cast<std::uint8_t>(status));
}

/// The values of the column `child` of runs. Stored as these integers for ever.
enum class Kinship : std::uint8_t {
    root = 0,
    child = 1,
    part = 2,  ///< A child that lists leave out: NewInstance::part.
};

/// Enters runs into the table `run_block`, inside one transaction. A repeated entry costs nothing,
/// and most runs of a group have most entries in common.
class Blocks {
public:
    explicit Blocks(Connection& connection) : connection_(connection) {}

    /// Enters a run of the namespace that has this value.
    void enter(const std::string& space, BlockKind kind, const std::string& value, RunKey run);
    /// Enters a run of the namespace that began or ended at this time.
    void enter(const std::string& space, BlockKind kind, Timestamp at, RunKey run);
    /// Called when the run does not have that version any more.
    void leave_version(const std::string& space, const std::string& version, RunKey run);
    /// Called when the run is deleted. `owner`: as its row had it.
    void leave(const store::Run& run, const store::RunCode& code, const std::string& owner);
    /// Called at the end of the transaction. Removes the entries that were left, unless another run
    /// of the block needs them.
    void finish();

private:
    struct Entry {
        std::string space;
        BlockKind kind;
        std::string value;
        std::int64_t at;
        std::int64_t block;
        bool operator==(const Entry&) const = default;
    };
    /// The same with references to the caller's texts.
    struct Named {
        const std::string& space;
        BlockKind kind;
        const std::string& value;
        std::int64_t at;
        std::int64_t block;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(const auto& entry) const noexcept;
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(const auto& a, const auto& b) const noexcept {
            return a.block == b.block && a.at == b.at && a.kind == b.kind && a.value == b.value &&
                   a.space == b.space;
        }
    };

    using Entries = std::unordered_set<Entry, Hash, Equal>;

    void enter(const Named& entry);
    void leave(const Named& entry);
    /// Removes from `left` the entries that runs of the block have.
    void spare(std::int64_t block, Entries& left);

    Connection& connection_;
    Entries known_;                         ///< Entries that are in the table.
    std::map<std::int64_t, Entries> left_;  ///< By block: entries that one run fewer needs.
};

}  // namespace belay::sqlite
