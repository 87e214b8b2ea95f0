// What lists find runs by: blocks of runs, instead of an entry for each run.
#pragma once

#include "store/rules/records.hpp"
#include "store/sqlite/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

namespace belay::sqlite {

/// A block has the runs whose keys are equal but for so many bits; times of lists are told apart
/// but for so many. Migration 0020 says the same.
inline constexpr unsigned kBlockBits = 24;
inline constexpr unsigned kMomentBits = 2;

[[nodiscard]] constexpr std::int64_t block_of(std::int64_t key) noexcept {
    return key >> kBlockBits;
}
/// A number for each four milliseconds.
[[nodiscard]] constexpr std::int64_t moment_of(std::int64_t ms) noexcept {
    return ms >> kMomentBits;
}
[[nodiscard]] inline std::int64_t moment_of(Timestamp at) { return moment_of(to_unix_ms(at)); }

/// As `run_block.kind` has it.
enum class BlockKind : std::uint8_t { definition = 1, version = 2, owner = 3, created = 4 };

/// The kind of what ended in this way.
[[nodiscard]] constexpr BlockKind ended_as(Status status) noexcept {
    return static_cast<BlockKind>(10 + static_cast<std::uint8_t>(status));
}

/// Enters runs into the table `run_block`, inside one transaction. What was entered once costs
/// nothing when it is entered again, and most of a group has most in common.
class Blocks {
public:
    explicit Blocks(Connection& connection) : connection_(connection) {}

    /// Runs of the namespace that have this value.
    void enter(const std::string& space, BlockKind kind, const std::string& value, RunKey run);
    /// Runs of the namespace that began or ended at this time.
    void enter(const std::string& space, BlockKind kind, Timestamp at, RunKey run);
    /// The run does not have that version any more.
    void leave_version(const std::string& space, const std::string& version, RunKey run);
    /// The run is deleted. `owner`: as its row had it.
    void leave(const store::Run& run, const store::RunCode& code, const std::string& owner);
    /// At the end of the transaction: takes out what was left, unless another run of its block
    /// needs it.
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
    /// The same, of somebody else's texts.
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
    /// Takes from `left` what runs of the block have.
    void spare(std::int64_t block, Entries& left);

    Connection& connection_;
    Entries known_;                         ///< They are there.
    std::map<std::int64_t, Entries> left_;  ///< By block: one run fewer needs them.
};

}  // namespace belay::sqlite
