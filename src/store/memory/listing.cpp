// Which instances and keys there are, and how many: all of the namespace is looked at.
#include "store/listing.hpp"

#include "store/memory/keys.hpp"
#include "store/memory/reads.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace belay::memory {

namespace {

/// Calls `visit(run)` for each run that has a name in this namespace.
template <class Visit>
void each_instance(const Tables& tables, const std::string& space, Visit visit) {
    auto name = tables.names.lower_bound(InstanceName{space, std::string()});
    for (; name != tables.names.end() && name->first.space == space; ++name) {
        visit(*find_run(tables, name->second));
    }
}

bool has_status(const Run& run, const std::vector<Status>& statuses) {
    return statuses.empty() ||
           std::find(statuses.begin(), statuses.end(), run.status) != statuses.end();
}

bool has_labels(const Run& run, const std::vector<std::pair<std::string, LabelValue>>& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
        const auto label = run.about.labels.find(one.first);
        return label != run.about.labels.end() && label->second == one.second;
    });
}

bool is_child_of(const Run& run, const Run* parent) {
    return parent != nullptr && run.about.parent && run.about.parent->run == parent->ref();
}

/// All but the parent.
bool matches(const Run& run, const InstanceMatch& request) {
    const auto is = [](const std::optional<std::string>& wanted, const std::string& value) {
        return !wanted || *wanted == value;
    };
    return has_status(run, request.statuses) && is(request.definition, run.about.definition) &&
           is(request.version, run.about.version) && is(request.owner, run.about.owner) &&
           has_labels(run, request.labels) && request.created.contains(run.created_at) &&
           (request.ended.empty() || (run.ended_at && request.ended.contains(*run.ended_at))) &&
           run.about.name.id.starts_with(request.id_prefix) &&
           (!request.roots_only || !run.about.parent) && (!request.held_only || run.held);
}

/// Calls `visit(run)` for each that matches.
template <class Visit>
void each_match(const Tables& tables, const InstanceMatch& request, Visit visit) {
    const Run* parent = nullptr;
    if (request.parent) parent = find_run(tables, InstanceName{request.space, *request.parent});
    each_instance(tables, request.space, [&](const Run& run) {
        if (request.parent && !is_child_of(run, parent)) return;
        if (matches(run, request)) visit(run);
    });
}

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
    each_match(tables, request, [&](const Run& run) {
        if (request.order == InstanceOrder::ended && !run.ended_at) return;
        ListedInstance one = listed(tables, run);
        if (store::is_behind(one, request)) page.push_back(std::move(one));
    });
    store::sort_page(request, page);
    return page;
}

CountInstances::Answer read(const Tables& tables, const CountInstances& request, Timestamp) {
    std::map<std::pair<std::string, Status>, std::uint64_t> counts;
    each_match(
        tables, request, [&](const Run& run) { ++counts[{run.about.definition, run.status}]; });
    CountInstances::Answer answer;
    for (const auto& [what, count] : counts) {
        answer.push_back(InstanceCount{what.first, what.second, count});
    }
    return answer;
}

ListKeys::Answer read(const Tables& tables, const ListKeys& request, Timestamp now) {
    ListKeys::Answer page;
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
                               brief_of(tables, key),
                               taken_key(tables, id, now) != nullptr});
    }
    return page;
}

}  // namespace belay::memory
