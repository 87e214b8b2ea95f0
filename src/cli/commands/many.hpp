// Commands that change many instances: find them page by page, change them piece by piece.
#pragma once

#include "cli/context.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

/// Shows `see` the ids of what is listed, page by page, until it says that that was enough. Without
/// those that `wanted` leaves out.
template <class Wanted, class See>
void for_each_page(Context& context, ListOptions options, Wanted wanted, See see) {
    constexpr std::uint32_t kListedAtOnce = 1'000;
    options.page_size(kListedAtOnce);
    std::string next;
    bool more = true;
    do {
        options.after(next);
        const InstancePage page = must(context.client().list(options));
        std::vector<std::string> ids;
        for (const ListedInstance& listed : page.instances) {
            if (wanted(listed)) ids.push_back(listed.instance.name.id);
        }
        more = see(std::move(ids));
        next = page.next;
    } while (!next.empty() && more);
}
template <class See>
void for_each_page(Context& context, const ListOptions& options, See see) {
    for_each_page(context, options, [](const ListedInstance&) { return true; }, see);
}

/// Gives `change` at most `size` ids at a time, and up to which one that is.
template <class Change>
void for_each_piece(const std::vector<std::string>& ids, std::size_t size, Change change) {
    for (std::size_t at = 0; at < ids.size(); at += size) {
        const std::size_t end = std::min(at + size, ids.size());
        change(std::vector<std::string>(ids.begin() + static_cast<std::ptrdiff_t>(at),
                                        ids.begin() + static_cast<std::ptrdiff_t>(end)),
               end);
    }
}

}  // namespace belay::cli
