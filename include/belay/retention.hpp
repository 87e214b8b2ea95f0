// Requests and results of applying a retention, and of previews. Its rules are in
// <belay/retention/rules.hpp>.
#pragma once

#include <belay/error.hpp>
#include <belay/retention/rules.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// A request to apply or to preview a retention.
class RetentionRequest {
public:
    RetentionRequest() = default;

    /// The namespace. Default: "default".
    RetentionRequest& space(std::string space) {
        space_ = std::move(space);
        return *this;
    }
    /// The policy. Default: the one that was set for the namespace. Without either all is kept.
    RetentionRequest& policy(RetentionPolicy policy) {
        policy_ = std::move(policy);
        return *this;
    }
    /// The time at which it is applied, by the store's clock. Ages count until then, and instances
    /// that ended later stay and push no other instance out. So a policy can be previewed and then
    /// applied to the same instances. Default: now. A chain that goes on meanwhile may have more
    /// old executions than were seen.
    RetentionRequest& as_of(Timestamp time) {
        as_of_ = time;
        return *this;
    }
    /// Apply: the most instances that are deleted or pruned. Default: Policy::bulk_limit.
    RetentionRequest& limit(std::uint32_t limit) {
        limit_ = limit;
        return *this;
    }
    /// Preview: the number of ids that are named of each kind, at most 1000.
    RetentionRequest& examples(std::uint32_t count) {
        examples_ = count;
        return *this;
    }

    [[nodiscard]] const std::string& space() const noexcept { return space_; }
    [[nodiscard]] const std::optional<RetentionPolicy>& policy() const noexcept { return policy_; }
    [[nodiscard]] std::optional<Timestamp> as_of() const noexcept { return as_of_; }
    [[nodiscard]] std::optional<std::uint32_t> limit() const noexcept { return limit_; }
    [[nodiscard]] std::uint32_t examples() const noexcept { return examples_; }

private:
    std::string space_ = "default";
    std::optional<RetentionPolicy> policy_;
    std::optional<Timestamp> as_of_;
    std::optional<std::uint32_t> limit_;
    std::uint32_t examples_ = 10;
};

/// The counts of applying a retention.
struct RetentionResult {
    std::uint64_t roots = 0;      ///< Instances that were past their time ...
    std::uint64_t instances = 0;  ///< ... with all that was below them.
    std::uint64_t chains = 0;     ///< Instances whose old executions were pruned.
    std::uint64_t executions = 0;
    std::uint64_t events = 0;
    std::uint64_t messages = 0;
    bool more = false;  ///< The limit was reached: the same call goes on.
    bool operator==(const RetentionResult&) const = default;
};

/// The result that applying a retention would have.
struct RetentionPreview {
    /// Instances of one definition that ended in one way.
    struct Instances {
        std::string definition;
        Status outcome = Status::completed;
        std::uint64_t roots = 0;         ///< Would go, with all below them.
        std::uint64_t still_needed = 0;  ///< Past their time too, but something below them runs.
        std::vector<std::string> ids;    ///< The first of those that would go, longest ended first.
    };
    /// Old executions of chains of one definition.
    struct Executions {
        std::string definition;
        std::uint64_t chains = 0;      ///< Instances that would lose executions ...
        std::uint64_t executions = 0;  ///< ... and the number of executions.
        std::vector<std::string> ids;  ///< The first of those instances, the oldest run first.
    };
    std::vector<Instances> instances;    ///< By definition, then outcome.
    std::vector<Executions> executions;  ///< By definition.
    Timestamp as_of{};                   ///< The store's time by which ages were taken.
};

}  // namespace belay
