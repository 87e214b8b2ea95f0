#include "base/duration.hpp"
#include "retention/toml/parse_toml.hpp"
#include <belay/ids.hpp>
#include <belay/retention_config.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace belay {

namespace {

Error problem(const toml::source_region& where, const std::string& what) {
    return Error(Errc::invalid_argument,
                 "line " + std::to_string(where.begin.line) + " of the configuration: " + what);
}

/// The keys of one rule, each read at most once. Keeps the first error.
class Fields {
public:
    explicit Fields(const toml::table& table) : table_(table) {}

    [[nodiscard]] std::optional<std::string> text(std::string_view key) {
        const toml::node* node = take(key);
        if (node == nullptr) return std::nullopt;
        if (const auto* value = node->as_string()) return value->get();
        fail(*node, "'" + std::string(key) + "' must be a text in quotes");
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::uint32_t> count(std::string_view key) {
        const toml::node* node = take(key);
        if (node == nullptr) return std::nullopt;
        constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
        const auto* value = node->as_integer();
        if (value != nullptr && value->get() >= 0 && value->get() <= kMost) {
            return static_cast<std::uint32_t>(value->get());
        }
        fail(
            *node,
            "'" + std::string(key) + "' must be a whole number from 0 to " + std::to_string(kMost));
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Millis> age(std::string_view key) {
        const std::optional<std::string> value = text(key);
        if (!value) return std::nullopt;
        if (const std::optional<Millis> parsed = base::parse_duration(*value)) return parsed;
        fail(*table_.get(key),
             "'" + *value +
                 "' is no age: a whole number and ms, s, m, h, d, w or y, as in \"30d\", or "
                 "several, "
                 "as in \"1h30m\"; at most 100y");
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Status> outcome(std::string_view key) {
        const std::optional<std::string> value = text(key);
        if (!value) return std::nullopt;
        for (const Status one : {Status::completed, Status::failed, Status::canceled}) {
            if (to_string(one) == *value) return one;
        }
        fail(*table_.get(key), "'" + *value + "' is none of completed, failed and canceled");
        return std::nullopt;
    }

    /// Call it last.
    [[nodiscard]] std::optional<Error> first_problem() {
        if (problem_) return problem_;
        for (const auto& [key, node] : table_) {
            if (std::find(taken_.begin(), taken_.end(), key.str()) == taken_.end()) {
                return problem(key.source(), "a rule has no key '" + std::string(key.str()) + "'");
            }
        }
        return std::nullopt;
    }

private:
    const toml::node* take(std::string_view key) {
        taken_.push_back(key);
        return table_.get(key);
    }
    void fail(const toml::node& node, const std::string& what) {
        if (!problem_) problem_ = problem(node.source(), what);
    }

    const toml::table& table_;
    std::vector<std::string_view> taken_;
    std::optional<Error> problem_;
};

template <class Rule>
void set_common(Rule& rule, Fields& fields) {
    if (auto definition = fields.text("definition")) rule.definition(std::move(*definition));
    if (const auto age = fields.age("max_age")) rule.max_age(*age);
    if (const auto count = fields.count("max_count")) rule.max_count(*count);
}

void set_own(RetentionRule& rule, Fields& fields) {
    if (const auto outcome = fields.outcome("outcome")) rule.outcome(*outcome);
}
void set_own(ExecutionRule& /*rule*/, Fields& /*fields*/) {}

template <class Rule>
std::optional<Error> read_rule(const toml::table& table,
                               const Limits& limits,
                               RetentionPolicies& policies) {
    Fields fields(table);
    Rule rule;
    const std::string space = fields.text("namespace").value_or("default");
    set_common(rule, fields);
    set_own(rule, fields);
    if (std::optional<Error> wrong = fields.first_problem()) return wrong;
    RetentionPolicy& policy = policies[space];
    policy.add(std::move(rule));
    // Checked here, where the line is known.
    Result<void> fine = check_name("the namespace", space, limits.name_bytes);
    if (fine) fine = check_retention(policy, limits);
    if (fine) return std::nullopt;
    return Error(fine.error().code(), problem(table.source(), fine.error().message()).message());
}

template <class Rule>
std::optional<Error> read_rules(const toml::node& node,
                                const std::string& name,
                                const Limits& limits,
                                RetentionPolicies& policies) {
    const toml::array* rules = node.as_array();
    if (rules == nullptr) {
        return problem(node.source(), "rules are written as [[retention." + name + "]]");
    }
    for (const toml::node& one : *rules) {
        const toml::table* table = one.as_table();
        if (table == nullptr) {
            return problem(one.source(), "rules are written as [[retention." + name + "]]");
        }
        if (auto wrong = read_rule<Rule>(*table, limits, policies)) return wrong;
    }
    return std::nullopt;
}

std::optional<Error> read_all(const toml::table& retention,
                              const Limits& limits,
                              RetentionPolicies& policies) {
    for (const auto& [key, node] : retention) {
        const std::string name(key.str());
        std::optional<Error> wrong;
        if (name == "instances") {
            wrong = read_rules<RetentionRule>(node, name, limits, policies);
        } else if (name == "executions") {
            wrong = read_rules<ExecutionRule>(node, name, limits, policies);
        } else {
            wrong = problem(key.source(),
                            "'" + name + "' is unknown: a retention has instances and executions");
        }
        if (wrong) return wrong;
    }
    return std::nullopt;
}

}  // namespace

Result<RetentionPolicies> parse_retention(std::string_view text, const Limits& limits) {
    const Result<toml::table> parsed = retention::parse_toml(text);
    if (!parsed) return parsed.error();
    RetentionPolicies policies;
    const toml::node* found = parsed->get("retention");
    if (found == nullptr) return policies;
    const toml::table* retention = found->as_table();
    if (retention == nullptr) {
        return problem(found->source(), "'retention' must be a table");
    }
    if (std::optional<Error> wrong = read_all(*retention, limits, policies)) return *wrong;
    return policies;
}

Result<RetentionPolicies> read_retention_file(const std::string& path, const Limits& limits) {
    // A worker must not block: a pipe or a device may send nothing, or never end.
    std::error_code problem;
    const bool regular = std::filesystem::is_regular_file(path, problem);
    std::ifstream file;
    if (regular) file.open(path, std::ios::binary);
    std::string text(limits.payload_bytes + 1, '\0');
    if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad()) {
        return Error(Errc::unavailable,
                     "'" + path +
                         "' cannot be read: is it there, is it a regular file, and may this user "
                         "read it?");
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > limits.payload_bytes) {
        return Error(Errc::limit_exceeded,
                     "'" + path + "' has more than " + std::to_string(limits.payload_bytes) +
                         " bytes, and so is no retention policy");
    }
    Result<RetentionPolicies> policies = parse_retention(text, limits);
    if (policies) return policies;
    return Error(policies.error().code(), "'" + path + "', " + policies.error().message());
}

RetentionSource retention_file(std::string path, const Limits& limits) {
    return [path = std::move(path), limits] { return read_retention_file(path, limits); };
}

}  // namespace belay
