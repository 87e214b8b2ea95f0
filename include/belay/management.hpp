// Results of deletion and pruning.
#pragma once

#include <belay/filter.hpp>
#include <belay/status.hpp>
#include <belay/store/answer.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// The old executions of a continue-as-new chain. An execution must meet all conditions that are
/// set; with nothing set, all but the current one are old. The current one never is.
class PruneOptions {
public:
    PruneOptions() = default;

    /// Keeps the last `count` executions. The current one is the last: 0 and 1 mean the same.
    PruneOptions& keep_last(std::uint32_t count) {
        keep_last_ = count;
        return *this;
    }
    /// Prunes only those that ended before this time.
    PruneOptions& completed_before(Timestamp time) {
        completed_before_ = time;
        return *this;
    }
    /// Bulk pruning: includes old executions of instances that have not ended. (For a single named
    /// instance they always are.)
    PruneOptions& include_running(bool include = true) {
        include_running_ = include;
        return *this;
    }

    [[nodiscard]] std::optional<std::uint32_t> keep_last() const noexcept { return keep_last_; }
    [[nodiscard]] std::optional<Timestamp> completed_before() const noexcept {
        return completed_before_;
    }
    /// Returns the value that `include_running` has set.
    [[nodiscard]] bool includes_running() const noexcept { return include_running_; }

private:
    std::optional<std::uint32_t> keep_last_;
    std::optional<Timestamp> completed_before_;
    bool include_running_ = false;
};

/// The counts of a deletion, of one instance or of many.
using DeleteInstanceResult = DeleteCounts;

/// The counts of a pruning.
struct PruneResult {
    std::uint64_t instances = 0;  ///< 1, or, for bulk pruning, the instances that lost executions.
    std::uint64_t executions = 0;
    std::uint64_t events = 0;
    bool operator==(const PruneResult&) const = default;
};

/// The result that a bulk deletion would have.
struct DeletionPreview {
    std::vector<std::string> ids;  ///< Roots that would be deleted, with all below them, in this
                                   ///< order.
    /// They match too, but stay: something below them has not ended, or an earlier run of their id.
    std::uint64_t still_needed = 0;
};

/// The result that a bulk pruning would have.
struct PrunePreview {
    std::vector<std::string> ids;  ///< Instances that would lose executions ...
    std::uint64_t executions = 0;  ///< ... and the number of executions together.
};

/// An instance and everything below it.
struct InstanceTree {
    std::string root_id;
    /// The root and all below it, children before their parents: the order of deletion.
    std::vector<std::string> all_ids;

    /// True if it has no children.
    [[nodiscard]] bool is_root_only() const noexcept { return all_ids.size() == 1; }
    /// Returns the number of instances, the root included.
    [[nodiscard]] std::size_t size() const noexcept { return all_ids.size(); }
};

}  // namespace belay
