#include <belay/ids.hpp>
#include <belay/retention/rules.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace belay {

namespace {

/// Returns how closely a rule fits. Returns none if it is for others. A name counts more than an
/// outcome.
std::optional<int> fit(const RetentionRule& rule, std::string_view definition, Status outcome) {
    if (rule.definition() && *rule.definition() != definition) return std::nullopt;
    if (rule.outcome() && *rule.outcome() != outcome) return std::nullopt;
    return (rule.definition() ? 2 : 0) + (rule.outcome() ? 1 : 0);
}

bool keeps_all_of(const auto& rules) {
    return std::all_of(
        rules.begin(), rules.end(), [](const auto& rule) { return rule.bounds().keeps_all(); });
}

/// Returns text like "the rule for 'order' that failed".
std::string describe(const std::optional<std::string>& definition, std::optional<Status> outcome) {
    std::string text = definition ? "the rule for '" + *definition + "'" : "the rule for all";
    if (outcome) text += " that " + std::string(to_string(*outcome));
    return text;
}

Result<void> check_rule(const auto& rule, const std::string& what, const Limits& limits) {
    if (rule.definition()) {
        Result<void> fine = check_name("a definition", *rule.definition(), limits.name_bytes);
        if (!fine) return fine;
    }
    if (rule.bounds().max_age && *rule.bounds().max_age < Millis(0)) {
        return Error(Errc::invalid_argument, what + " has a negative age");
    }
    return {};
}

Error twice(const std::string& what) {
    return Error(Errc::invalid_argument, what + " is there twice");
}

Result<void> check_instances(const std::vector<RetentionRule>& rules, const Limits& limits) {
    std::set<std::tuple<std::optional<std::string>, std::optional<Status>>> seen;
    for (const RetentionRule& rule : rules) {
        if (rule.outcome() && !is_terminal(*rule.outcome())) {
            return Error(Errc::invalid_argument,
                         "no run ends as " + std::string(to_string(*rule.outcome())));
        }
        const std::string what = describe(rule.definition(), rule.outcome());
        if (Result<void> fine = check_rule(rule, what, limits); !fine) return fine;
        if (!seen.emplace(rule.definition(), rule.outcome()).second) return twice(what);
    }
    return {};
}

Result<void> check_executions(const std::vector<ExecutionRule>& rules, const Limits& limits) {
    std::set<std::optional<std::string>> seen;
    for (const ExecutionRule& rule : rules) {
        const std::string what = describe(rule.definition(), std::nullopt);
        if (Result<void> fine = check_rule(rule, what, limits); !fine) return fine;
        if (!seen.insert(rule.definition()).second) return twice(what + "'s executions");
    }
    return {};
}

}  // namespace

bool RetentionPolicy::keeps_all() const noexcept {
    return keeps_all_of(instances_) && keeps_all_of(executions_);
}

RetentionBounds RetentionPolicy::instances_of(std::string_view definition, Status outcome) const {
    RetentionBounds bounds;
    std::optional<int> closest;
    for (const RetentionRule& rule : instances_) {
        const std::optional<int> how = fit(rule, definition, outcome);
        if (!how || (closest && *how <= *closest)) continue;
        closest = how;
        bounds = rule.bounds();
    }
    return bounds;
}

RetentionBounds RetentionPolicy::executions_of(std::string_view definition) const {
    RetentionBounds bounds;
    for (const ExecutionRule& rule : executions_) {
        if (rule.definition() == definition) return rule.bounds();
        if (!rule.definition()) bounds = rule.bounds();
    }
    return bounds;
}

Result<void> check_retention(const RetentionPolicy& policy, const Limits& limits) {
    const std::size_t rules = policy.instances().size() + policy.executions().size();
    if (rules > limits.retention_rules) {
        return Error(Errc::limit_exceeded,
                     "the retention has " + std::to_string(rules) + " rules; at most " +
                         std::to_string(limits.retention_rules) + " are allowed");
    }
    if (Result<void> fine = check_instances(policy.instances(), limits); !fine) return fine;
    return check_executions(policy.executions(), limits);
}

}  // namespace belay
