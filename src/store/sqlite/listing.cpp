// Which instances there are, and how many.
#include "store/listing.hpp"

#include "model/encoding.hpp"
#include "store/sqlite/listing_sql.hpp"
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace belay::sqlite {

namespace {

std::optional<CancelRecord> read_cancel(const Query& query, int column) {
    if (query.null(column)) return std::nullopt;
    CancelRecord record;
    record.source = query.as<CancelSource>(column);
    record.requested_at = query.time(column + 1);
    record.sequence = query.number(column + 2);
    record.by = query.text(column + 3);
    record.reason = query.text(column + 4);
    return record;
}

/// The columns that listing_sql selects.
ListedInstance read_listed(Connection& connection, const Query& query) {
    const RunRef run{Shard{static_cast<std::uint16_t>(query.integer(1))}, RunKey{query.number(0)}};
    ListedInstance listed;
    listed.instance =
        InstanceBrief{run, InstanceName{query.text(2), query.text(3)}, query.as<Status>(4), false};
    listed.definition = query.text(5);
    listed.version = query.text(6);
    listed.owner = query.text(7);
    listed.started_by = query.text(8);
    listed.execution = query.small(9);
    listed.created_at = query.time(10);
    listed.started_at = query.maybe_time(11);
    listed.ended_at = query.maybe_time(12);
    if (!query.null(13)) listed.parent_id = query.text(13);
    listed.cancel = read_cancel(query, 14);
    listed.held = query.flag(19);
    if (listed.held) listed.held_detail = query.text(20);
    if (listed.instance.status == Status::failed) {
        const std::string bytes =
            read_bytes(connection, query, 21, LargePlace{run.key, LargePart::outcome});
        model::Reader in(bytes);
        listed.failure = store::summary_of(model::read_outcome(in).failure);
        if (!in.ok()) throw SqliteFailure(SQLITE_CORRUPT, "an outcome that is cut off");
    }
    return listed;
}

}  // namespace

namespace {

std::optional<RunKey> parent_of(Connection& connection, const InstanceMatch& match, Timestamp now) {
    if (!match.parent) return std::nullopt;
    Reader reader(connection, now);
    const Run* run = reader.tables.find_run(InstanceName{match.space, *match.parent});
    return run == nullptr ? std::nullopt : std::optional(run->ref.key);
}

/// Calls `visit(query)` for each row of what was put together.
template <class Visit>
void each_row(Connection& connection, const ListingSql& sql, Visit visit) {
    constexpr const char* kWhat = "list of instances";
    OneTimeStatement statement = connection.prepare_once(sql.text, kWhat);
    Query query = statement.use(kWhat);
    for (const SqlValue& value : sql.values) {
        std::visit([&](const auto& one) { query.bind(one); }, value);
    }
    while (query.step()) visit(query);
}

InstanceCount read_count(const Query& query) {
    return InstanceCount{query.text(0), query.as<Status>(1), query.number(2)};
}

}  // namespace

ListInstances::Answer read(Connection& connection, const ListInstances& request, Timestamp now) {
    ListInstances::Answer page;
    for (const ListingSql& sql : listing_sql(request, parent_of(connection, request, now))) {
        each_row(connection, sql, [&](const Query& query) {
            page.push_back(read_listed(connection, query));
        });
    }
    store::sort_page(request, page);
    for (ListedInstance& listed : page) {
        listed.labels = read_labels(connection, listed.instance.run.key);
    }
    return page;
}

CountInstances::Answer read(Connection& connection, const CountInstances& request, Timestamp now) {
    CountInstances::Answer counts;
    CountInstances all;
    all.space = request.space;
    if (request == all) {
        for (const Sql statement : {Sql::count_open, Sql::count_ended}) {
            Query query = connection.use(statement);
            query.bind(request.space);
            while (query.step()) counts.push_back(read_count(query));
        }
    } else {
        for (const ListingSql& sql : counting_sql(request, parent_of(connection, request, now))) {
            each_row(
                connection, sql, [&](const Query& query) { counts.push_back(read_count(query)); });
        }
    }
    std::sort(counts.begin(), counts.end(), [](const InstanceCount& a, const InstanceCount& b) {
        return std::tie(a.definition, a.status) < std::tie(b.definition, b.status);
    });
    return counts;
}

}  // namespace belay::sqlite
