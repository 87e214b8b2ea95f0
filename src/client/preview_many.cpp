// Previews of changes of many instances.
#include "client/handlers.hpp"
#include "client/selection.hpp"
#include "retention/old_executions.hpp"
#include "store/blocking.hpp"

#include <algorithm>
#include <utility>

namespace belay::client {

namespace {

/// Pages are larger than those of a change: nobody waits for a commit.
constexpr std::uint32_t kPage = 1000;

/// Shows `see` every instance that the filter chooses, until it says that this was enough.
template <class See>
Result<void> visit_pages(Store& from, Selection selection, See see) {
    while (!selection.at_end()) {
        Result<SelectInstances::Answer> page = store::ask(from, selection.next_page(kPage));
        if (!page) return page.error();
        selection.move_past(*page);
        for (const InstanceMark& one : *page) {
            const Result<bool> enough = see(one);
            if (!enough) return enough.error();
            if (*enough) return {};
        }
    }
    return {};
}

/// True if it and all below it have ended, and earlier runs of its name have settled. A root that
/// has settled needs no closer look. One that has not may only have a handler that is still
/// stopping, which keeps nothing.
Result<bool> has_ended_wholly(Store& from, const InstanceMark& root) {
    if (!root.formers_settled) return false;
    if (root.settled) return true;
    const Result<ListTree::Answer> tree = store::ask(from, ListTree{root.instance.name});
    if (!tree) return tree.error();
    return std::all_of(tree->begin(), tree->end(), [](const InstanceBrief& one) {
        return is_terminal(one.status);
    });
}

Result<std::uint64_t> count_old(Store& from, RunRef run, const requests::PruneTerms& terms) {
    ListExecutions executions;
    executions.run = run;
    const Result<ListExecutions::Answer> list = store::ask(from, executions);
    if (!list) return list.error();
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (retention::is_old(*list, i, terms.keep_last, terms.ended_before)) ++count;
    }
    return count;
}

}  // namespace

Result<DeletionPreview> answer(ServiceContext& context, const requests::PreviewDelete& request) {
    if (const Result<void> fine = context.check(request.match); !fine) return fine.error();
    const std::size_t limit = request.limit.value_or(context.policy.bulk_limit);
    DeletionPreview preview;
    const auto see = [&](const InstanceMark& one) -> Result<bool> {
        if (preview.ids.size() >= limit) return true;
        const Result<bool> goes = has_ended_wholly(context.store, one);
        if (!goes) return goes.error();
        if (*goes) {
            preview.ids.push_back(one.instance.name.id);
        } else {
            ++preview.still_needed;
        }
        return false;
    };
    const Result<void> seen =
        visit_pages(context.store, Selection::of_ended(request.match, context.store.now()), see);
    if (!seen) return seen.error();
    return preview;
}

Result<PrunePreview> answer(ServiceContext& context, const requests::PreviewPrune& request) {
    if (const Result<void> fine = context.check(request.match); !fine) return fine.error();
    const std::size_t limit = request.limit.value_or(context.policy.bulk_limit);
    PrunePreview preview;
    const auto see = [&](const InstanceMark& one) -> Result<bool> {
        if (preview.ids.size() >= limit) return true;
        if (!retention::may_have_old(one, request.terms)) return false;
        const Result<std::uint64_t> old = count_old(context.store, one.instance.run, request.terms);
        if (!old) return old.error();
        if (*old == 0) return false;
        preview.ids.push_back(one.instance.name.id);
        preview.executions += *old;
        return false;
    };
    const Result<void> seen = visit_pages(context.store, Selection::of_chains(request.match), see);
    if (!seen) return seen.error();
    return preview;
}

}  // namespace belay::client
