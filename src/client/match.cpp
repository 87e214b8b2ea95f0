#include "client/match.hpp"

#include "base/policy.hpp"

#include <algorithm>
#include <vector>

namespace belay::client {

Result<void> check_page_size(std::uint32_t size, std::uint32_t most) {
    if (size >= 1 && size <= most) return {};
    return Error(Errc::invalid_argument,
                 "a page of " + std::to_string(size) + "; it has 1 to " + std::to_string(most));
}

Result<void> check_statuses(const std::vector<Status>& statuses) {
    constexpr std::size_t kMost = static_cast<std::size_t>(Status::skipped);
    if (statuses.size() > kMost) {
        return Error(Errc::limit_exceeded,
                     std::to_string(statuses.size()) + " statuses are named; there are only " +
                         std::to_string(kMost));
    }
    for (const Status status : statuses) {
        if (status >= Status::pending && status <= Status::skipped) continue;
        return Error(Errc::invalid_argument,
                     "no instance is ever " + std::string(to_string(status)));
    }
    return {};
}

Result<void> check_prefix(const char* of, const std::string& prefix, std::size_t most) {
    if (prefix.size() <= most) return {};
    return Error(Errc::limit_exceeded,
                 std::string("the prefix of ") + of + " has " + std::to_string(prefix.size()) +
                     " bytes; at most " + std::to_string(most) + " are allowed");
}

Result<void> check_source(CancelSource source) {
    return check_choice("source of a cancel", source, CancelSource::user, CancelSource::self);
}

Result<void> check_deadline(const std::optional<Millis>& deadline) {
    if (!deadline || (*deadline >= Millis(1) && *deadline <= base::kLongest)) return {};
    return Error(Errc::invalid_argument,
                 "the deadline of a cancel must be at least 1 ms and at most ten years");
}

InstanceOrder natural_order(const InstanceMatch& match) {
    if (match.parent || !match.labels.empty() || match.held_only) return InstanceOrder::started;
    if (!match.id_prefix.empty()) return InstanceOrder::id;
    const std::vector<Status> statuses = match.statuses.value_or(std::vector<Status>());
    const auto ends = std::count_if(statuses.begin(), statuses.end(), is_terminal);
    const auto all = static_cast<std::ptrdiff_t>(statuses.size());
    if (!match.ended.empty() || (all > 0 && ends == all)) return InstanceOrder::ended;
    if (all > 0 && ends == 0) return InstanceOrder::started;
    if (match.version || match.definition || match.owner) return InstanceOrder::started;
    return InstanceOrder::created;
}

}  // namespace belay::client
