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

/// The amount that one rule keeps. Each bound stands by itself: an instance past one of them
/// goes, whatever the other says. With none it is kept for ever.
struct RetentionBounds {
    /// Those that ended longer ago go.
    std::optional<Millis> max_age;
    /// Those that are not among the last so many go.
    std::optional<std::uint32_t> max_count;

    /// There is no bound.
    [[nodiscard]] bool keeps_all() const noexcept { return !max_age && !max_count; }
    bool operator==(const RetentionBounds&) const = default;
};

/// Rules for instances that have ended: how many are kept.
/// `RetentionRule().definition("order").outcome(Status::failed).max_age(90 * 24h)`.
class RetentionRule {
public:
    RetentionRule() = default;

    /// Only for instances of this orchestration; not said: for those of every one.
    RetentionRule& definition(std::string name) {
        definition_ = std::move(name);
        return *this;
    }
    /// Only for those that ended like this (completed, failed, canceled); not said: in any way.
    RetentionRule& outcome(Status outcome) {
        outcome_ = outcome;
        return *this;
    }
    /// Those that ended longer ago go.
    RetentionRule& max_age(Millis age) {
        bounds_.max_age = age;
        return *this;
    }
    /// Counted for each definition and each outcome by itself, also by a rule that is for many: an
    /// orchestration that runs often does not push out another one, nor what completed what failed.
    /// Runs that lost their id to another one (IdConflict::replace) are not counted: they go when
    /// they are too old or, where a count is the only bound, when they have ended.
    RetentionRule& max_count(std::uint32_t count) {
        bounds_.max_count = count;
        return *this;
    }

    [[nodiscard]] const std::optional<std::string>& definition() const noexcept {
        return definition_;
    }
    [[nodiscard]] std::optional<Status> outcome() const noexcept { return outcome_; }
    /// Both bounds.
    [[nodiscard]] const RetentionBounds& bounds() const noexcept { return bounds_; }
    bool operator==(const RetentionRule&) const = default;

private:
    std::optional<std::string> definition_;
    std::optional<Status> outcome_;
    RetentionBounds bounds_;
};

/// Rules for the old executions of a continue-as-new chain, whether it has ended or not. The
/// current execution always stays.
class ExecutionRule {
public:
    ExecutionRule() = default;

    /// Only for chains of this orchestration; not said: for those of every one.
    ExecutionRule& definition(std::string name) {
        definition_ = std::move(name);
        return *this;
    }
    /// Those that ended longer ago go.
    ExecutionRule& max_age(Millis age) {
        bounds_.max_age = age;
        return *this;
    }
    /// In each chain. The current execution is the last: 0 and 1 mean the same.
    ExecutionRule& max_count(std::uint32_t count) {
        bounds_.max_count = count;
        return *this;
    }

    [[nodiscard]] const std::optional<std::string>& definition() const noexcept {
        return definition_;
    }
    /// Both bounds.
    [[nodiscard]] const RetentionBounds& bounds() const noexcept { return bounds_; }
    bool operator==(const ExecutionRule&) const = default;

private:
    std::optional<std::string> definition_;
    RetentionBounds bounds_;
};

/// The rules of one namespace. With none, everything is kept.
///
/// Exactly one rule decides on an instance: that for its definition and outcome, else that for its
/// definition, else that for its outcome, else that for all. It decides alone: nothing is taken
/// from the others, so a rule without bounds is an exception that keeps. Likewise of a chain.
class RetentionPolicy {
public:
    RetentionPolicy() = default;

    /// One rule more; check_retention says whether they go together.
    RetentionPolicy& add(RetentionRule rule) {
        instances_.push_back(std::move(rule));
        return *this;
    }
    RetentionPolicy& add(ExecutionRule rule) {
        executions_.push_back(std::move(rule));
        return *this;
    }

    /// The rules for instances, as they were added.
    [[nodiscard]] const std::vector<RetentionRule>& instances() const noexcept {
        return instances_;
    }
    /// The rules for executions, as they were added.
    [[nodiscard]] const std::vector<ExecutionRule>& executions() const noexcept {
        return executions_;
    }
    /// No rule has a bound: nothing ever goes.
    [[nodiscard]] bool keeps_all() const noexcept;

    /// The bounds for instances of this definition that ended like this.
    [[nodiscard]] RetentionBounds instances_of(std::string_view definition, Status outcome) const;
    /// The bounds for old executions of chains of this definition.
    [[nodiscard]] RetentionBounds executions_of(std::string_view definition) const;

    bool operator==(const RetentionPolicy&) const = default;

private:
    std::vector<RetentionRule> instances_;
    std::vector<ExecutionRule> executions_;
};

/// `invalid_argument`: two rules for the same, an outcome that is no end, a negative age, a
/// definition that is no name. `limit_exceeded`: more than Limits::retention_rules.
[[nodiscard]] Result<void> check_retention(const RetentionPolicy& policy,
                                           const Limits& limits = Limits());

/// By namespace.
using RetentionPolicies = std::map<std::string, RetentionPolicy>;
/// Where a worker reads what it keeps, now and then: see RuntimeOptions::retention_source. An
/// exception counts as an error.
using RetentionSource = std::function<Result<RetentionPolicies>()>;

/// A policy that was set at run time, as the store has it.
struct StoredRetention {
    std::string space;
    RetentionPolicy policy;
    Timestamp set_at{};
    std::string set_by;
};

}  // namespace belay
