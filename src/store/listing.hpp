// The common part of the lists of all stores.
#pragma once

#include <belay/status.hpp>
#include <belay/store/listing.hpp>

#include <vector>

namespace belay::store {

/// Returns a failure as it is listed: at most a few lines.
[[nodiscard]] Failure summary_of(Failure failure);

/// True if `a` comes before `b` in this order.
[[nodiscard]] bool comes_before(const ListedInstance& a,
                                const ListedInstance& b,
                                InstanceOrder order,
                                bool descending);
/// Sorts the page as the request says and keeps the first ones.
void sort_page(const ListInstances& request, std::vector<ListedInstance>& page);
[[nodiscard]] InstancePlace place_of(const ListedInstance& instance, InstanceOrder order);
/// True if it comes behind the place where the page before ended.
[[nodiscard]] bool is_behind(const ListedInstance& instance, const ListInstances& request);

}  // namespace belay::store
