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

/// Which executions of a continue-as-new chain are old. What is set must all be true of an
/// execution; with nothing set, all but the current one are. The current one never is.
class PruneOptions {
public:
    PruneOptions() = default;

    /// Not the last so many. The current one is the last: 0 and 1 mean the same.
    PruneOptions& keep_last(std::uint32_t count) {
        keep_last_ = count;
        return *this;
    }
    /// Only those that ended before this time.
    PruneOptions& completed_before(Timestamp time) {
        completed_before_ = time;
        return *this;
    }
    /// Of many: also old executions of instances that have not ended. (Of one that is named:
    /// always.)
    PruneOptions& include_running(bool include = true) {
        include_running_ = include;
        return *this;
    }

    [[nodiscard]] std::optional<std::uint32_t> keep_last() const noexcept { return keep_last_; }
    [[nodiscard]] std::optional<Timestamp> completed_before() const noexcept {
        return completed_before_;
    }
    /// What was said by `include_running`.
    [[nodiscard]] bool includes_running() const noexcept { return include_running_; }

private:
    std::optional<std::uint32_t> keep_last_;
    std::optional<Timestamp> completed_before_;
    bool include_running_ = false;
};

/// What a deletion removed, of one instance or of many.
using DeleteInstanceResult = DeleteCounts;

/// What pruning removed.
struct PruneResult {
    std::uint64_t instances = 0;  ///< Looked at: 1, or of many those that lost executions.
    std::uint64_t executions = 0;
    std::uint64_t events = 0;
    bool operator==(const PruneResult&) const = default;
};

/// What a deletion of many would remove.
struct DeletionPreview {
    std::vector<std::string> ids;  ///< Roots that would go, with all below them, in this order.
    /// Match too, but stay: something below them has not ended, or an earlier run of their id.
    std::uint64_t still_needed = 0;
};

/// What pruning of many would remove.
struct PrunePreview {
    std::vector<std::string> ids;  ///< Instances that would lose executions ...
    std::uint64_t executions = 0;  ///< ... and how many together.
};

/// An instance and everything below it.
struct InstanceTree {
    std::string root_id;
    /// The root and all below it, children before their parents: the order of deletion.
    std::vector<std::string> all_ids;

    /// It has no children.
    [[nodiscard]] bool is_root_only() const noexcept { return all_ids.size() == 1; }
    /// How many there are, the root included.
    [[nodiscard]] std::size_t size() const noexcept { return all_ids.size(); }
};

}  // namespace belay
