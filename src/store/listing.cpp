#include "store/listing.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace belay::store {

namespace {

constexpr std::size_t kSummaryBytes = 200;

bool is_before(const InstancePlace& a, const InstancePlace& b) {
    return std::tie(a.at, a.id, a.key) < std::tie(b.at, b.id, b.key);
}

}  // namespace

Failure summary_of(Failure failure) {
    failure.message = base::shortened(std::move(failure.message), kSummaryBytes);
    failure.detail.clear();
    return failure;
}

InstancePlace place_of(const ListedInstance& instance, InstanceOrder order) {
    InstancePlace place;
    place.key = instance.instance.run.key;
    switch (order) {
        case InstanceOrder::started: break;
        case InstanceOrder::created: place.at = instance.created_at; break;
        case InstanceOrder::ended: place.at = instance.ended_at.value_or(Timestamp()); break;
        case InstanceOrder::id: place.id = instance.instance.name.id; break;
    }
    return place;
}

bool comes_before(const ListedInstance& a,
                  const ListedInstance& b,
                  InstanceOrder order,
                  bool descending) {
    const InstancePlace first = place_of(a, order);
    const InstancePlace second = place_of(b, order);
    return descending ? is_before(second, first) : is_before(first, second);
}

bool is_behind(const ListedInstance& instance, const ListInstances& request) {
    if (!request.after) return true;
    const InstancePlace place = place_of(instance, request.order);
    return request.descending ? is_before(place, *request.after) : is_before(*request.after, place);
}

void sort_page(const ListInstances& request, std::vector<ListedInstance>& page) {
    std::sort(page.begin(), page.end(), [&](const auto& a, const auto& b) {
        return comes_before(a, b, request.order, request.descending);
    });
    if (page.size() > request.max) page.resize(request.max);
}

}  // namespace belay::store
