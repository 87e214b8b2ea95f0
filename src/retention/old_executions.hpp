// The executions of a chain that pruning would remove.
#pragma once

#include <belay/requests/removal.hpp>
#include <belay/store/listing.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace belay::retention {

/// Returns the number of executions of a chain that are kept at any age. The current one is among
/// them.
[[nodiscard]] inline std::uint32_t executions_kept(const std::optional<std::uint32_t>& keep_last) {
    return std::max(keep_last.value_or(1), 1U);
}

/// Returns true if execution `i` of a chain is old by both bounds. `list` has all executions that
/// are left. The current one is never old.
[[nodiscard]] inline bool is_old(const ListExecutions::Answer& list,
                                 std::size_t i,
                                 const std::optional<std::uint32_t>& keep_last,
                                 const std::optional<Timestamp>& ended_before) {
    return i + executions_kept(keep_last) < list.size() &&
           (!ended_before || list[i].ended_at < ended_before);
}

/// Returns false if no execution of the instance is old by these terms. True is no promise: the
/// oldest one may have ended early enough and still be among the last ones.
[[nodiscard]] inline bool may_have_old(const InstanceMark& one, const requests::PruneTerms& terms) {
    if (!one.ended_at && !terms.include_running) return false;
    if (one.old_executions < executions_kept(terms.keep_last)) return false;
    const std::optional<Timestamp> before = terms.ended_before;
    return !before || (one.oldest_ended_at && *one.oldest_ended_at < *before);
}

}  // namespace belay::retention
