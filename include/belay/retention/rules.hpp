// The rules of a retention: how long ended instances and old executions are kept.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

/// The amount that one rule keeps. Each bound stands by itself: an instance past one of them is
/// removed, whatever the other is. Without bounds it is kept for ever.
struct RetentionBounds {
    /// Those that ended longer ago are removed.
    std::optional<Millis> max_age;
    /// Those that are not among the last `max_count` are removed.
    std::optional<std::uint32_t> max_count;

    /// True if there is no bound.
    [[nodiscard]] bool keeps_all() const noexcept { return !max_age && !max_count; }
    bool operator==(const RetentionBounds&) const = default;
};

/// A rule for instances that have ended.
/// `RetentionRule().definition("order").outcome(Status::failed).max_age(90 * 24h)`.
class RetentionRule {
public:
    RetentionRule() = default;

    /// Applies only to instances of this orchestration. Default: of every one.
    RetentionRule& definition(std::string name) {
        definition_ = std::move(name);
        return *this;
    }
    /// Applies only to instances with this outcome (completed, failed, canceled). Default: any.
    RetentionRule& outcome(Status outcome) {
        outcome_ = outcome;
        return *this;
    }
    /// Removes instances that ended longer ago.
    RetentionRule& max_age(Millis age) {
        bounds_.max_age = age;
        return *this;
    }
    /// Keeps the last `count`, counted for each definition and each outcome by itself, also by a
    /// rule for many. So an orchestration that runs often does not push out another one, nor do
    /// completed runs push out failed ones. Runs that lost their id to another one
    /// (IdConflict::replace) are not counted: they are removed if they are too old or, if a count
    /// is the only bound, when they have ended.
    RetentionRule& max_count(std::uint32_t count) {
        bounds_.max_count = count;
        return *this;
    }

    [[nodiscard]] const std::optional<std::string>& definition() const noexcept {
        return definition_;
    }
    [[nodiscard]] std::optional<Status> outcome() const noexcept { return outcome_; }
    /// Returns both bounds.
    [[nodiscard]] const RetentionBounds& bounds() const noexcept { return bounds_; }
    bool operator==(const RetentionRule&) const = default;

private:
    std::optional<std::string> definition_;
    std::optional<Status> outcome_;
    RetentionBounds bounds_;
};

/// A rule for the old executions of a continue-as-new chain, ended or not. The current execution
/// always stays.
class ExecutionRule {
public:
    ExecutionRule() = default;

    /// Applies only to chains of this orchestration. Default: of every one.
    ExecutionRule& definition(std::string name) {
        definition_ = std::move(name);
        return *this;
    }
    /// Removes executions that ended longer ago.
    ExecutionRule& max_age(Millis age) {
        bounds_.max_age = age;
        return *this;
    }
    /// Keeps the last `count` of each chain. The current execution is the last: 0 and 1 mean the
    /// same.
    ExecutionRule& max_count(std::uint32_t count) {
        bounds_.max_count = count;
        return *this;
    }

    [[nodiscard]] const std::optional<std::string>& definition() const noexcept {
        return definition_;
    }
    /// Returns both bounds.
    [[nodiscard]] const RetentionBounds& bounds() const noexcept { return bounds_; }
    bool operator==(const ExecutionRule&) const = default;

private:
    std::optional<std::string> definition_;
    RetentionBounds bounds_;
};

/// The rules of one namespace. Without rules, everything is kept.
///
/// Exactly one rule decides on an instance: that for its definition and outcome, else that for its
/// definition, else that for its outcome, else that for all. It decides alone: nothing is taken
/// from the others, so a rule without bounds is an exception that keeps. The same holds for chains.
class RetentionPolicy {
public:
    RetentionPolicy() = default;

    /// Adds a rule; check_retention checks that the rules go together.
    RetentionPolicy& add(RetentionRule rule) {
        instances_.push_back(std::move(rule));
        return *this;
    }
    RetentionPolicy& add(ExecutionRule rule) {
        executions_.push_back(std::move(rule));
        return *this;
    }

    /// Returns the rules for instances, in the order of adding.
    [[nodiscard]] const std::vector<RetentionRule>& instances() const noexcept {
        return instances_;
    }
    /// Returns the rules for executions, in the order of adding.
    [[nodiscard]] const std::vector<ExecutionRule>& executions() const noexcept {
        return executions_;
    }
    /// True if no rule has a bound: nothing is ever removed.
    [[nodiscard]] bool keeps_all() const noexcept;

    /// Returns the bounds for instances of this definition with this outcome.
    [[nodiscard]] RetentionBounds instances_of(std::string_view definition, Status outcome) const;
    /// Returns the bounds for old executions of chains of this definition.
    [[nodiscard]] RetentionBounds executions_of(std::string_view definition) const;

    bool operator==(const RetentionPolicy&) const = default;

private:
    std::vector<RetentionRule> instances_;
    std::vector<ExecutionRule> executions_;
};

/// Errors: `invalid_argument` for two rules for the same, an outcome that is no end, a negative
/// age, or a definition that is an invalid name; `limit_exceeded` for more than
/// Limits::retention_rules.
[[nodiscard]] Result<void> check_retention(const RetentionPolicy& policy,
                                           const Limits& limits = Limits());

/// Policies by namespace.
using RetentionPolicies = std::map<std::string, RetentionPolicy>;
/// A worker's source of retention policies: see RuntimeOptions::retention_source. An exception
/// counts as an error.
using RetentionSource = std::function<Result<RetentionPolicies>()>;

/// A policy that was set at run time, as the store keeps it.
struct StoredRetention {
    std::string space;
    RetentionPolicy policy;
    Timestamp set_at{};
    std::string set_by;
};

}  // namespace belay
