// Selections of instances for a change of many.
#include "store/memory/matching.hpp"
#include "store/memory/reads.hpp"
#include "store/memory/table_rows.hpp"
#include "store/rules/deletion.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace belay::memory {

namespace {

/// The limit up to which trees are counted. Larger trees are only known to be large.
constexpr std::size_t kSizeLimit = 10'000;
constexpr RunKey kLastRun{std::numeric_limits<std::uint64_t>::max()};
constexpr Shard kLastShard{std::numeric_limits<std::uint16_t>::max()};

std::uint64_t size_of(const Tables& tables, const Run& root) {
    std::uint64_t size = 0;
    std::vector<const Run*> tree{&root};
    for (std::size_t i = 0; i < tree.size() && i < kSizeLimit; ++i) {
        size += tree[i]->executions.size() + tree[i]->event_count;
        for (const RunRef child : tree[i]->children) tree.push_back(find_run(tables, child));
    }
    return size;
}

/// True if all runs have settled that are deleted with it because it took their name.
bool formers_settled(const Tables& tables, const Run& run) {
    Reader reader(tables, Timestamp());
    const std::vector<RunKey> formers = store::former_roots_of(reader.rows(), run);
    return std::all_of(formers.begin(), formers.end(), [&](RunKey former) {
        return reader.rows().run_of(former).settled;
    });
}

InstanceMark mark_of(const Tables& tables, const Run& run) {
    InstanceMark mark;
    mark.instance = brief_of(run);
    mark.definition = run.about.definition;
    mark.owner = run.about.owner;
    mark.root = !run.about.parent;
    mark.ended_at = run.ended_at;
    mark.settled = run.settled;
    mark.old_executions = run.executions.size() - 1;
    for (std::size_t i = 0; i < mark.old_executions; ++i) {
        const auto& at = run.executions[i].info.ended_at;
        if (!mark.oldest_ended_at || *at < *mark.oldest_ended_at) mark.oldest_ended_at = at;
    }
    mark.size = size_of(tables, run);
    mark.formers_settled = formers_settled(tables, run);
    return mark;
}

/// Returns the run of an index entry. Returns null if it has lost its name.
const Run* named_run(const Tables& tables, RunRef ref) {
    const Run* run = find_run(tables, ref);
    BELAY_ASSERT(run != nullptr);
    return run->former ? nullptr : run;
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Any& which) {
    std::map<RunKey, const Run*> found;
    Matching(tables, request).each([&](const Run& run) {
        if (!which.after || run.ref.key > *which.after) found.emplace(run.ref.key, &run);
    });
    SelectInstances::Answer answer;
    for (const auto& [key, run] : found) {
        if (answer.size() == request.max) break;
        answer.push_back(mark_of(tables, *run));
    }
    return answer;
}

/// Returns the beginning of a page.
std::set<EndedKey>::const_iterator first_of(const std::set<EndedKey>& ended,
                                            const SelectInstances::After& after) {
    if (!after) return ended.begin();
    return ended.upper_bound(EndedKey{after->first, after->second, kLastShard});
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Ended& which) {
    SelectInstances::Answer answer;
    const auto ended = tables.ended.find(request.space);
    if (ended == tables.ended.end()) return answer;
    const Matching matching(tables, request);
    auto at = first_of(ended->second, which.after);
    for (; at != ended->second.end() && answer.size() < request.max; ++at) {
        if (request.ended.before && at->at >= *request.ended.before) break;
        const Run* run = named_run(tables, at->run());
        if (run != nullptr && matching.matches(*run)) answer.push_back(mark_of(tables, *run));
    }
    return answer;
}

/// Returns the first root that is not past its time.
std::set<EndedKey>::const_iterator end_of_past(const Tables& tables,
                                               const std::set<EndedKey>& ended,
                                               const SelectInstances::Past& which) {
    auto last = ended.end();
    if (which.by) last = ended.upper_bound(EndedKey{*which.by, kLastRun, kLastShard});
    auto end = ended.begin();
    if (which.before) {
        end = which.by && *which.before > *which.by
                  ? last
                  : ended.lower_bound(EndedKey{*which.before, RunKey{0}, Shard{0}});
    }
    if (!which.not_last) return end;
    auto kept = last;
    for (std::uint32_t left = *which.not_last; kept != end; --kept) {
        if (named_run(tables, std::prev(kept)->run()) == nullptr) continue;
        if (left == 0) break;
        --left;
    }
    return kept;
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Past& which) {
    SelectInstances::Answer answer;
    const auto found =
        tables.outcomes.find(OutcomeKey{request.space, which.definition, which.outcome});
    if (found == tables.outcomes.end()) return answer;
    const std::set<EndedKey>& ended = found->second;
    const auto end = end_of_past(tables, ended, which);
    auto at = first_of(ended, which.after);
    // The end of the previous page may be behind the end now: the last ones have changed.
    if (at == ended.end() || (end != ended.end() && !(*at < *end))) return answer;
    for (; at != end && answer.size() < request.max; ++at) {
        const Run* run = named_run(tables, at->run());
        if (run != nullptr) answer.push_back(mark_of(tables, *run));
    }
    return answer;
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Chains& which) {
    SelectInstances::Answer answer;
    const auto chains = tables.chains.find(request.space);
    if (chains == tables.chains.end()) return answer;
    const Matching matching(tables, request);
    auto at = chains->second.begin();
    if (which.after) at = chains->second.upper_bound(ChainKey{*which.after, kLastShard});
    for (; at != chains->second.end() && answer.size() < request.max; ++at) {
        const Run* run = named_run(tables, RunRef{at->second, at->first});
        if (run != nullptr && matching.matches(*run)) answer.push_back(mark_of(tables, *run));
    }
    return answer;
}

SelectInstances::Answer select(const Tables& tables,
                               const SelectInstances& request,
                               const SelectInstances::Formers& which) {
    std::set<ChainKey> ended;  // The oldest run first, as in a chain.
    auto name = tables.formers.lower_bound(InstanceName{request.space, {}});
    for (; name != tables.formers.end() && name->first.space == request.space; ++name) {
        for (const RunRef ref : name->second) {
            const Run* run = find_run(tables, ref);
            if (run->ended() && !run->about.parent && (!which.after || ref.key > *which.after)) {
                ended.insert(ChainKey{ref.key, ref.shard});
            }
        }
    }
    SelectInstances::Answer answer;
    for (const auto& [key, shard] : ended) {
        if (answer.size() == request.max) break;
        answer.push_back(mark_of(tables, *find_run(tables, RunRef{shard, key})));
    }
    return answer;
}

}  // namespace

SelectInstances::Answer read(const Tables& tables, const SelectInstances& request, Timestamp) {
    return std::visit([&](const auto& which) { return select(tables, request, which); },
                      request.which);
}

ListOutcomes::Answer read(const Tables& tables, const ListOutcomes& request, Timestamp) {
    ListOutcomes::Answer answer;
    const OutcomeKey begin{request.space, {}, Status{}};
    auto at = request.after ? tables.outcomes.upper_bound(OutcomeKey{
                                  request.space, request.after->definition, request.after->outcome})
                            : tables.outcomes.lower_bound(begin);
    for (; at != tables.outcomes.end() && answer.size() < request.max; ++at) {
        const auto& [space, definition, outcome] = at->first;
        if (space != request.space) break;
        const bool named =
            std::any_of(at->second.begin(), at->second.end(), [&](const EndedKey& one) {
                return named_run(tables, one.run()) != nullptr;
            });
        if (named) answer.push_back(ListOutcomes::One{definition, outcome});
    }
    return answer;
}

ReadRetention::Answer read(const Tables& tables, const ReadRetention& request, Timestamp) {
    ReadRetention::Answer answer;
    if (request.space) {
        const auto found = tables.retention.find(*request.space);
        if (found != tables.retention.end()) answer.push_back(found->second);
        return answer;
    }
    auto at =
        request.after ? tables.retention.upper_bound(*request.after) : tables.retention.begin();
    for (; at != tables.retention.end() && answer.size() < request.max; ++at) {
        answer.push_back(at->second);
    }
    return answer;
}

ListTree::Answer read(const Tables& tables, const ListTree& request, Timestamp now) {
    ListTree::Answer answer;
    const Run* root = find_run(tables, request.name);
    if (root == nullptr) return answer;
    Reader reader(tables, now);
    for (const RunKey key : store::tree_of(reader.rows(), *root)) {
        const store::Run& run = reader.rows().run_of(key);
        if (!run.former) answer.push_back(run.brief());
    }
    std::reverse(answer.begin(), answer.end());
    return answer;
}

}  // namespace belay::memory
