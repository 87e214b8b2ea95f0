// Which instances there are to delete or prune.
#include "store/memory/deletion.hpp"
#include "store/memory/reads.hpp"

#include <algorithm>
#include <limits>

namespace belay::memory {

namespace {

bool has_its_name(const Tables& tables, const Run& run) {
    const auto holder = tables.names.find(run.about.name);
    return holder != tables.names.end() && holder->second == run.ref();
}

InstanceMark mark_of(const Run& run) {
    InstanceMark mark;
    mark.instance = brief_of(run);
    mark.root = !run.about.parent;
    mark.ended_at = run.ended_at;
    mark.chain = run.executions.size() > 1;
    return mark;
}

/// Adds a run that an index has named, unless it has lost its name.
void add(SelectInstances::Answer& answer, const Tables& tables, RunRef ref) {
    const Run* run = find_run(tables, ref);
    BELAY_ASSERT(run != nullptr);
    if (has_its_name(tables, *run)) answer.push_back(mark_of(*run));
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Named& which) {
    SelectInstances::Answer answer;
    for (const std::string& id : which.ids) {
        if (answer.size() == request.max) break;
        const Run* run = find_run(tables, InstanceName{request.space, id});
        if (run != nullptr) answer.push_back(mark_of(*run));
    }
    return answer;
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Ended& which) {
    SelectInstances::Answer answer;
    const auto ended = tables.ended.find(request.space);
    if (ended == tables.ended.end()) return answer;
    auto at = ended->second.begin();
    if (which.after) {
        constexpr Shard kLast{std::numeric_limits<std::uint16_t>::max()};
        at = ended->second.upper_bound(EndedKey{which.after->first, which.after->second, kLast});
    }
    for (; at != ended->second.end() && answer.size() < request.max; ++at) {
        if (which.before && at->at >= *which.before) break;
        add(answer, tables, at->run());
    }
    return answer;
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Chains& which) {
    SelectInstances::Answer answer;
    const auto chains = tables.chains.find(request.space);
    if (chains == tables.chains.end()) return answer;
    auto at = chains->second.begin();
    if (which.after) {
        constexpr Shard kLast{std::numeric_limits<std::uint16_t>::max()};
        at = chains->second.upper_bound(ChainKey{*which.after, kLast});
    }
    for (; at != chains->second.end() && answer.size() < request.max; ++at) {
        add(answer, tables, RunRef{at->second, at->first});
    }
    return answer;
}

}  // namespace

SelectInstances::Answer read(const Tables& tables, const SelectInstances& request, Timestamp) {
    return std::visit([&](const auto& which) { return select(tables, request, which); },
                      request.which);
}

ListTree::Answer read(const Tables& tables, const ListTree& request, Timestamp) {
    ListTree::Answer answer;
    const Run* root = find_run(tables, request.name);
    if (root == nullptr) return answer;
    for (const RunRef ref : tree_of(tables, *root)) {
        const Run* run = find_run(tables, ref);
        if (has_its_name(tables, *run)) answer.push_back(brief_of(*run));
    }
    std::reverse(answer.begin(), answer.end());
    return answer;
}

}  // namespace belay::memory
