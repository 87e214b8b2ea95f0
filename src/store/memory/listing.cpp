// Lists and counts of instances and keys. Each reads the whole namespace.
#include "store/listing.hpp"

#include "store/memory/matching.hpp"
#include "store/memory/reads.hpp"
#include "store/memory/table_rows.hpp"
#include "store/rules/keys.hpp"

#include <map>
#include <utility>

namespace belay::memory {

namespace {

ListedInstance listed(const Tables& tables, const Run& run) {
    ListedInstance listed;
    listed.instance = brief_of(run);
    listed.definition = run.about.definition;
    listed.version = run.about.version;
    listed.owner = run.about.owner;
    listed.started_by = run.about.started_by;
    listed.execution = run.execution;
    listed.created_at = run.created_at;
    listed.started_at = run.started_at;
    listed.ended_at = run.ended_at;
    if (run.about.parent) {
        const Run* parent = find_run(tables, run.about.parent->run);
        BELAY_ASSERT(parent != nullptr);
        listed.parent_id = parent->about.name.id;
    }
    listed.cancel = run.cancel;
    listed.held = run.held;
    if (run.held) listed.held_detail = run.held_detail;
    if (run.status == Status::failed) listed.failure = store::summary_of(run.outcome->failure);
    listed.labels = run.about.labels;
    return listed;
}

}  // namespace

ListInstances::Answer read(const Tables& tables, const ListInstances& request, Timestamp) {
    ListInstances::Answer page;
    Matching(tables, request).each([&](const Run& run) {
        if (request.order == InstanceOrder::ended && !run.ended_at) return;
        ListedInstance one = listed(tables, run);
        if (store::is_behind(one, request)) page.push_back(std::move(one));
    });
    store::sort_page(request, page);
    return page;
}

CountInstances::Answer read(const Tables& tables, const CountInstances& request, Timestamp) {
    std::map<std::pair<std::string, Status>, std::uint64_t> counts;
    Matching(tables, request).each([&](const Run& run) {
        ++counts[{run.about.definition, run.status}];
    });
    CountInstances::Answer answer;
    for (const auto& [what, count] : counts) {
        answer.push_back(InstanceCount{what.first, what.second, count});
    }
    return answer;
}

ListKeys::Answer read(const Tables& tables, const ListKeys& request, Timestamp now) {
    ListKeys::Answer page;
    Reader reader(tables, now);
    const KeyPlace after = request.after.value_or(KeyPlace());
    auto row =
        tables.keys.lower_bound(KeyId{request.space, after.owner, after.definition, after.key});
    for (; row != tables.keys.end() && row->first.space == request.space; ++row) {
        if (page.size() >= request.max) break;
        const auto& [id, key] = *row;
        if (request.after && KeyPlace{id.owner, id.definition, id.key} == after) continue;
        if (request.owner && *request.owner != id.owner) continue;
        if (request.definition && *request.definition != id.definition) continue;
        if (!id.key.starts_with(request.prefix)) continue;
        page.push_back(KeyInfo{id.owner,
                               id.definition,
                               id.key,
                               key.scope,
                               key.until,
                               store::brief_of(reader.rows(), id, key),
                               store::taken_key(reader.rows(), id).has_value()});
    }
    return page;
}

}  // namespace belay::memory
