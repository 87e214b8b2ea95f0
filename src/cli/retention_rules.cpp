#include "cli/retention_rules.hpp"

#include "cli/commands/input.hpp"
#include "cli/instance_view.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include <belay/retention_config.hpp>

#include <charconv>

namespace belay::cli {

namespace {

/// The words of one --rule or --executions: "definition=Checkout,outcome=failed,age=90d,count=100".
struct RuleWords {
    std::optional<std::string> definition;
    std::optional<Status> outcome;
    RetentionBounds bounds;
};

Problem bad_rule(const std::string& text, const std::string& why) {
    return usage_problem("the rule '" + safe(text) + "' " + why,
                         "a rule is parts with commas between: definition=NAME, outcome=completed, "
                         "failed or canceled, age=DURATION, count=N; 'keep' for no bound");
}

Status outcome_named(const std::string& rule, const std::string& name) {
    for (const Status status : {Status::completed, Status::failed, Status::canceled}) {
        if (name == to_string(status)) return status;
    }
    throw bad_rule(rule, "has an outcome that there is not");
}

void read_part(const std::string& rule, const std::string& part, RuleWords& words) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (key == "definition" && !value.empty()) {
        words.definition = value;
    } else if (key == "outcome") {
        words.outcome = outcome_named(rule, value);
    } else if (key == "age") {
        words.bounds.max_age = parse_duration(value);
        if (!words.bounds.max_age) throw bad_rule(rule, "has an age that is no duration");
    } else if (key == "count") {
        std::uint32_t count = 0;
        const char* const end = value.data() + value.size();
        const auto [stopped, problem] = std::from_chars(value.data(), end, count);
        if (problem != std::errc() || stopped != end) {
            throw bad_rule(rule, "has a count that is no number");
        }
        words.bounds.max_count = count;
    } else if (part != "keep") {
        throw bad_rule(rule, "has a part '" + safe(part) + "'");
    }
}

RuleWords read_rule(const std::string& text) {
    RuleWords words;
    bool keeps = false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, end - at);
        keeps = keeps || part == "keep";
        read_part(text, part, words);
        at = end + 1;
    }
    if (keeps != words.bounds.keeps_all()) {
        throw bad_rule(text, keeps ? "keeps all and has bounds" : "has no bounds");
    }
    return words;
}

RetentionPolicy policy_from_file(Context& context, const std::string& path) {
    const auto policies = parse_retention(read_content(context, path));
    if (!policies) {
        throw usage_problem("'" + safe(path) + "': " + safe(policies.error().message()));
    }
    const auto found = policies->find(context.space());
    if (found == policies->end()) {
        throw usage_problem("'" + safe(path) + "' has no rules for the namespace '" +
                            safe(context.space()) + "'");
    }
    return found->second;
}

void write_bounds(JsonWriter& out, const RetentionBounds& bounds) {
    out.key("max_age_ms");
    if (bounds.max_age) {
        out.number(bounds.max_age->count());
    } else {
        out.null();
    }
    out.key("max_count");
    if (bounds.max_count) {
        out.number(*bounds.max_count);
    } else {
        out.null();
    }
}

void add_rule(Context& context,
              Table& table,
              const StoredRetention& stored,
              const char* what,
              const std::optional<std::string>& definition,
              const std::optional<Status>& outcome,
              const RetentionBounds& bounds) {
    if (context.json()) {
        JsonWriter line;
        line.open_object().field("of", what).key("definition");
        if (definition) {
            line.text(*definition);
        } else {
            line.null();
        }
        line.key("outcome");
        if (outcome) {
            line.text(to_string(*outcome));
        } else {
            line.null();
        }
        write_bounds(line, bounds);
        write_time(line, "set_at", stored.set_at);
        line.field("set_by", stored.set_by).close_object();
        context.print(line);
        return;
    }
    table.add({what,
               definition.value_or("(any)"),
               outcome ? std::string(to_string(*outcome)) : "(any)",
               bounds.max_age ? format_duration(*bounds.max_age) : "",
               bounds.max_count ? std::to_string(*bounds.max_count) : "",
               bounds.keeps_all() ? "kept for ever" : ""});
}

}  // namespace

RetentionPolicy policy_of(Context& context, const Arguments& arguments) {
    if (const auto file = arguments.value("file")) {
        if (arguments.has("rule") || arguments.has("executions")) {
            throw usage_problem("the rules are in --file, or on the command line, but not in both");
        }
        return policy_from_file(context, *file);
    }
    RetentionPolicy policy;
    for (const std::string& text : arguments.values("rule")) {
        const RuleWords words = read_rule(text);
        RetentionRule rule;
        if (words.definition) rule.definition(*words.definition);
        if (words.outcome) rule.outcome(*words.outcome);
        if (words.bounds.max_age) rule.max_age(*words.bounds.max_age);
        if (words.bounds.max_count) rule.max_count(*words.bounds.max_count);
        policy.add(rule);
    }
    for (const std::string& text : arguments.values("executions")) {
        const RuleWords words = read_rule(text);
        if (words.outcome) throw bad_rule(text, "is for executions, which have no outcome");
        ExecutionRule rule;
        if (words.definition) rule.definition(*words.definition);
        if (words.bounds.max_age) rule.max_age(*words.bounds.max_age);
        if (words.bounds.max_count) rule.max_count(*words.bounds.max_count);
        policy.add(rule);
    }
    return policy;
}

bool names_rules(const Arguments& arguments) {
    return arguments.has("rule") || arguments.has("executions") || arguments.has("file");
}

void print_rules(Context& context, const StoredRetention& stored) {
    Table table({{.title = "OF"},
                 {.title = "DEFINITION", .least = 10},
                 {.title = "OUTCOME"},
                 {.title = "AGE"},
                 {.title = "COUNT", .right = true},
                 {.title = ""}});
    const auto add = [&](const char* what,
                         const std::optional<std::string>& definition,
                         const std::optional<Status>& outcome,
                         const RetentionBounds& bounds) {
        add_rule(context, table, stored, what, definition, outcome, bounds);
    };
    const RetentionPolicy& policy = stored.policy;
    for (const RetentionRule& rule : policy.instances()) {
        add("instances", rule.definition(), rule.outcome(), rule.bounds());
    }
    for (const ExecutionRule& rule : policy.executions()) {
        add("executions", rule.definition(), std::nullopt, rule.bounds());
    }
    if (policy.instances().empty() && policy.executions().empty()) {
        add("everything", std::nullopt, std::nullopt, RetentionBounds());
    }
    if (!context.json()) context.print(table.render(context.terminal()));
}

std::vector<Option> retention_rule_options() {
    return {{.name = "rule",
             .value = "RULE",
             .help = "instances that ended: definition=NAME,outcome=failed,age=90d,count=100; what "
                     "is past a bound goes; 'keep' in the place of bounds",
             .repeats = true},
            {.name = "executions",
             .value = "RULE",
             .help = "old executions of chains: definition=NAME,age=7d,count=10",
             .repeats = true},
            {.name = "file",
             .value = "PATH",
             .help = "the rules of a TOML file, from its table retention",
             .file = true}};
}

}  // namespace belay::cli
