// What a change of many instances would do.
#include "client/blocking.hpp"
#include "client/core.hpp"
#include "client/old_executions.hpp"
#include "client/selection.hpp"

#include <algorithm>
#include <utility>

namespace belay {

namespace {

/// Pages are larger than those of a change: nobody waits for a commit.
constexpr std::uint32_t kPage = 1000;

/// Shows `see` every instance that the filter chooses, until it says that that was enough.
template <class See>
Result<void> look_through(Store& store, client::Selection selection, See see) {
    while (!selection.at_end()) {
        const Result<SelectInstances::Answer> page = client::ask(store, selection.next_page(kPage));
        if (!page) return page.error();
        selection.saw(*page);
        for (const InstanceMark& one : *page) {
            if (!selection.matches(one)) continue;
            const Result<bool> enough = see(one);
            if (!enough) return enough.error();
            if (*enough) return {};
        }
    }
    return {};
}

/// Whether it and all below it have ended, and earlier runs of its name have settled. What has
/// settled needs no closer look; what has not may only have a handler that is still stopping, which
/// keeps nothing.
Result<bool> has_ended_wholly(Store& store, const InstanceMark& root) {
    if (!root.formers_settled) return false;
    if (root.settled) return true;
    const Result<ListTree::Answer> tree = client::ask(store, ListTree{root.instance.name});
    if (!tree) return tree.error();
    return std::all_of(tree->begin(), tree->end(), [](const InstanceBrief& one) {
        return is_terminal(one.status);
    });
}

Result<std::uint64_t> count_old(Store& store, RunRef run, const PruneOptions& options) {
    ListExecutions executions;
    executions.run = run;
    const Result<ListExecutions::Answer> list = client::ask(store, executions);
    if (!list) return list.error();
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (client::is_old(*list, i, options.keep_last(), options.completed_before())) ++count;
    }
    return count;
}

}  // namespace

Result<DeletionPreview> Client::preview_delete_bulk(const InstanceFilter& filter) {
    if (const Result<void> fine = core_->check(filter); !fine) return fine.error();
    const std::size_t limit = filter.limit().value_or(core_->policy.bulk_limit);
    DeletionPreview preview;
    const auto see = [&](const InstanceMark& one) -> Result<bool> {
        if (preview.ids.size() >= limit) return true;
        if (!one.root || !one.ended_at) return false;
        const Result<bool> goes = has_ended_wholly(core_->store, one);
        if (!goes) return goes.error();
        if (*goes) {
            preview.ids.push_back(one.instance.name.id);
        } else {
            ++preview.still_needed;
        }
        return false;
    };
    const Result<void> seen =
        look_through(core_->store, client::Selection::of_ended(filter, core_->store.now()), see);
    if (!seen) return seen.error();
    return preview;
}

Result<PrunePreview> Client::preview_prune_bulk(const InstanceFilter& filter,
                                                const PruneOptions& options) {
    if (const Result<void> fine = core_->check(filter); !fine) return fine.error();
    const std::size_t limit = filter.limit().value_or(core_->policy.bulk_limit);
    PrunePreview preview;
    const auto see = [&](const InstanceMark& one) -> Result<bool> {
        if (preview.ids.size() >= limit) return true;
        if (!client::may_have_old(one, options)) return false;
        const Result<std::uint64_t> old = count_old(core_->store, one.instance.run, options);
        if (!old) return old.error();
        if (*old == 0) return false;
        preview.ids.push_back(one.instance.name.id);
        preview.executions += *old;
        return false;
    };
    const Result<void> seen = look_through(core_->store, client::Selection::of_chains(filter), see);
    if (!seen) return seen.error();
    return preview;
}

}  // namespace belay
