// What the lists of all stores have in common.
#pragma once

#include <belay/status.hpp>
#include <belay/store/listing.hpp>

#include <vector>

namespace belay::store {

/// A failure as it is listed: not more than fits on a few lines.
[[nodiscard]] Failure summary_of(Failure failure);

/// Whether `a` comes before `b` in this order.
[[nodiscard]] bool comes_before(const ListedInstance& a,
                                const ListedInstance& b,
                                InstanceOrder order,
                                bool descending);
/// Sorts them as the request says and leaves the first of them.
void sort_page(const ListInstances& request, std::vector<ListedInstance>& page);
[[nodiscard]] InstancePlace place_of(const ListedInstance& instance, InstanceOrder order);
/// Whether it comes behind the place where the page before ended.
[[nodiscard]] bool is_behind(const ListedInstance& instance, const ListInstances& request);

}  // namespace belay::store
