// Which instances are deleted or pruned, and what became of it.
#pragma once

#include <belay/status.hpp>
#include <belay/store/answer.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// Chooses instances for an operation on many. What is set must all be true of an instance; a
/// filter with nothing set chooses every instance of its namespace that the operation is meant for.
class InstanceFilter {
public:
    InstanceFilter() = default;

    /// The namespace; "default" unless something is said.
    InstanceFilter& space(std::string space) {
        space_ = std::move(space);
        return *this;
    }
    /// Only these, as far as they exist; an empty list chooses none.
    InstanceFilter& ids(std::vector<std::string> ids) {
        ids_ = std::move(ids);
        return *this;
    }
    /// Only those of this orchestration.
    InstanceFilter& definition(std::string name) {
        definition_ = std::move(name);
        return *this;
    }
    /// Only those in one of these states; an empty list chooses none.
    InstanceFilter& statuses(std::vector<Status> statuses) {
        statuses_ = std::move(statuses);
        return *this;
    }
    /// Only those of this owner.
    InstanceFilter& owner(std::string owner) {
        owner_ = std::move(owner);
        return *this;
    }
    /// Only those that ended before this time; so none that is running.
    InstanceFilter& completed_before(Timestamp time) {
        completed_before_ = time;
        return *this;
    }
    /// How many instances are changed at most; Policy::bulk_limit if not said. Looked at last: what
    /// does not match, or is protected, does not count.
    InstanceFilter& limit(std::uint32_t limit) {
        limit_ = limit;
        return *this;
    }

    /// What was said, here and below; none where nothing was.
    [[nodiscard]] const std::string& space() const noexcept { return space_; }
    [[nodiscard]] const std::optional<std::vector<std::string>>& ids() const noexcept {
        return ids_;
    }
    [[nodiscard]] const std::optional<std::string>& definition() const noexcept {
        return definition_;
    }
    [[nodiscard]] const std::optional<std::vector<Status>>& statuses() const noexcept {
        return statuses_;
    }
    [[nodiscard]] const std::optional<std::string>& owner() const noexcept { return owner_; }
    [[nodiscard]] std::optional<Timestamp> completed_before() const noexcept {
        return completed_before_;
    }
    [[nodiscard]] std::optional<std::uint32_t> limit() const noexcept { return limit_; }

private:
    std::string space_ = "default";
    std::optional<std::vector<std::string>> ids_;
    std::optional<std::string> definition_;
    std::optional<std::vector<Status>> statuses_;
    std::optional<std::string> owner_;
    std::optional<Timestamp> completed_before_;
    std::optional<std::uint32_t> limit_;
};

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
