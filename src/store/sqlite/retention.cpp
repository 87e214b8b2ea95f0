// The retention settings.
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reads.hpp"

namespace belay::sqlite {

namespace {

enum class RuleKind : std::uint8_t { instances = 1, executions = 2 };

/// A rule as it is in a row.
struct RuleRow {
    RuleKind kind = RuleKind::instances;
    std::optional<std::string> definition;
    std::optional<Status> outcome;
    RetentionBounds bounds;
};

void insert_rule(Connection& connection,
                 const std::string& space,
                 std::uint64_t place,
                 const RuleRow& rule) {
    Query query = connection.use(Sql::retention_rule_insert);
    query.bind(space, place, rule.kind, rule.definition, rule.outcome);
    query.bind(rule.bounds.max_age, rule.bounds.max_count).run();
}

RuleRow read_rule(const Query<columns::retention_rule_list>& query) {
    using Row = columns::retention_rule_list;
    RuleRow rule;
    rule.kind = query.as<RuleKind>(Row::kind);
    rule.definition = query.maybe_text(Row::definition);
    if (!query.null(Row::outcome)) rule.outcome = query.as<Status>(Row::outcome);
    rule.bounds.max_age = query.maybe_duration(Row::max_age);
    rule.bounds.max_count = query.maybe_small(Row::max_count);
    return rule;
}

template <class Rule>
Rule with_bounds(const RuleRow& row) {
    Rule rule;
    if (row.definition) rule.definition(*row.definition);
    if (row.bounds.max_age) rule.max_age(*row.bounds.max_age);
    if (row.bounds.max_count) rule.max_count(*row.bounds.max_count);
    return rule;
}

StoredRetention read_head(const Query<columns::retention_find>& query) {
    using Row = columns::retention_find;
    StoredRetention stored;
    stored.space = query.text(Row::space);
    stored.set_at = query.time(Row::set_at);
    stored.set_by = query.text(Row::set_by);
    return stored;
}

}  // namespace

void Tables::put_retention(const SetRetention& part) {
    connection_.use(Sql::retention_rule_delete).bind(part.space).run();
    if (!part.policy) {
        connection_.use(Sql::retention_delete).bind(part.space).run();
        return;
    }
    connection_.use(Sql::retention_put).bind(part.space, now(), part.by).run();
    std::uint64_t place = 0;
    for (const RetentionRule& rule : part.policy->instances()) {
        const RuleRow row{RuleKind::instances, rule.definition(), rule.outcome(), rule.bounds()};
        insert_rule(connection_, part.space, place++, row);
    }
    for (const ExecutionRule& rule : part.policy->executions()) {
        const RuleRow row{RuleKind::executions, rule.definition(), std::nullopt, rule.bounds()};
        insert_rule(connection_, part.space, place++, row);
    }
}

RetentionPolicy Tables::retention_of(const std::string& space) {
    RetentionPolicy policy;
    Query query = connection_.use(Sql::retention_rule_list);
    query.bind(space);
    while (query.step()) {
        const RuleRow row = read_rule(query);
        if (row.kind == RuleKind::executions) {
            policy.add(with_bounds<ExecutionRule>(row));
            continue;
        }
        RetentionRule rule = with_bounds<RetentionRule>(row);
        if (row.outcome) rule.outcome(*row.outcome);
        policy.add(std::move(rule));
    }
    return policy;
}

ReadRetention::Answer read(Connection& connection, const ReadRetention& request, Timestamp now) {
    ReadRetention::Answer answer;
    {
        Query query = connection.use(request.space ? Sql::retention_find : Sql::retention_list);
        if (request.space) {
            query.bind(*request.space);
        } else {
            query.bind(request.after, request.max);
        }
        while (query.step()) answer.push_back(read_head(query));
    }
    Reader reader(connection, now);
    for (StoredRetention& one : answer) one.policy = reader.tables.retention_of(one.space);
    return answer;
}

}  // namespace belay::sqlite
