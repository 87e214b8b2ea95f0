// Lists and counts of instances.
#include "store/listing.hpp"

#include "model/encoding.hpp"
#include "store/sqlite/listing_rows.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace belay::sqlite {

namespace {

using ListedRow = columns::listed_instance;
using CountRow = columns::count_open;

ListedInstance read_listed(Connection& connection, const Query<ListedRow>& query) {
    using Row = ListedRow;
    const RunRef run = query.run_ref(Row::key, Row::shard);
    ListedInstance listed;
    listed.instance = InstanceBrief{run,
                                    InstanceName{query.text(Row::space), query.text(Row::id)},
                                    query.as<Status>(Row::status),
                                    false};
    listed.definition = query.text(Row::definition);
    listed.version = query.text(Row::version);
    listed.owner = query.text(Row::owner);
    listed.started_by = query.text(Row::started_by);
    listed.execution = query.small(Row::execution);
    listed.created_at = query.time(Row::created_at);
    listed.started_at = query.maybe_time(Row::started_at);
    listed.ended_at = query.maybe_time(Row::ended_at);
    if (!query.null(Row::parent_id)) listed.parent_id = query.text(Row::parent_id);
    listed.cancel = read_cancel(query);
    listed.held = query.flag(Row::held);
    if (listed.held) listed.held_detail = query.text(Row::held_detail);
    if (listed.instance.status == Status::failed) {
        const std::string bytes =
            read_bytes(connection, query, Row::outcome, LargePlace{run.key, LargePart::outcome});
        model::Reader in(bytes);
        listed.failure = store::summary_of(model::read_outcome(in).failure);
        if (!in.ok()) throw SqliteFailure(SQLITE_CORRUPT, "an outcome that is cut off");
    }
    return listed;
}

InstanceCount read_count(const Query<CountRow>& query) {
    return InstanceCount{query.text(CountRow::definition),
                         query.as<Status>(CountRow::status),
                         query.number(CountRow::count)};
}

/// Adds up the counts: one for each definition and status, in their order.
void add_up(std::vector<InstanceCount>& counts) {
    const auto what = [](const InstanceCount& count) {
        return std::tie(count.definition, count.status);
    };
    std::sort(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
        return what(a) < what(b);
    });
    std::vector<InstanceCount> sums;
    for (InstanceCount& count : counts) {
        if (!sums.empty() && what(sums.back()) == what(count)) {
            sums.back().count += count.count;
        } else {
            sums.push_back(std::move(count));
        }
    }
    counts = std::move(sums);
}

}  // namespace

ListInstances::Answer read(Connection& connection, const ListInstances& request, Timestamp now) {
    ListInstances::Answer page;
    each_row(connection,
             listing_sql(request, parent_key_of(connection, request, now)),
             [&](const auto& query) { page.push_back(read_listed(connection, query)); });
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
    all.all_parts = request.all_parts;
    if (request == all) {
        const std::vector<Kinship> kinships = kinships_of(request);
        const Kinship last = kinships.back();
        {
            Query query = connection.use(Sql::count_open);
            query.bind(request.space, last);
            while (query.step()) counts.push_back(read_count(query));
        }
        for (const Kinship one : kinships) {
            Query query = connection.use(Sql::count_ended);
            query.bind(request.space, one);
            while (query.step()) counts.push_back(read_count(query));
        }
    } else {
        each_row(connection,
                 counting_sql(request, parent_key_of(connection, request, now)),
                 [&](const auto& query) { counts.push_back(read_count(query)); });
    }
    add_up(counts);
    return counts;
}

}  // namespace belay::sqlite
