#include <belay/finding.hpp>

#include <algorithm>

namespace belay {

namespace {

/// The order in which an index has what is asked for.
InstanceOrder natural_order(const ListInstances& request) {
    if (request.parent || !request.labels.empty() || request.held_only)
        return InstanceOrder::started;
    if (!request.id_prefix.empty()) return InstanceOrder::id;
    const auto& statuses = request.statuses;
    const auto count = std::count_if(statuses.begin(), statuses.end(), is_terminal);
    const auto all = static_cast<std::ptrdiff_t>(statuses.size());
    if (!request.ended.empty() || (all > 0 && count == all)) return InstanceOrder::ended;
    if (all > 0 && count == 0) return InstanceOrder::started;
    if (request.version || request.definition || request.owner) return InstanceOrder::started;
    return InstanceOrder::created;
}

}  // namespace

ListInstances ListOptions::request() const {
    ListInstances request = request_;
    request.order = order_.value_or(natural_order(request_));
    return request;
}

}  // namespace belay
