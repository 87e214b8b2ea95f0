// Which executions of a chain pruning would take.
#pragma once

#include <belay/management.hpp>
#include <belay/store/query.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace belay::client {

/// How many of a chain, the current execution among them, are kept whatever their age.
[[nodiscard]] inline std::uint32_t kept_of(const std::optional<std::uint32_t>& keep_last) {
    return std::max(keep_last.value_or(1), 1U);
}

/// Whether execution `i` of a chain, of which `list` has all that are left, is old by both bounds.
/// The current one never is.
[[nodiscard]] inline bool is_old(const ListExecutions::Answer& list,
                                 std::size_t i,
                                 const std::optional<std::uint32_t>& keep_last,
                                 const std::optional<Timestamp>& ended_before) {
    return i + kept_of(keep_last) < list.size() &&
           (!ended_before || list[i].ended_at < ended_before);
}

/// Whether an instance may have executions that these options call old. Not more: that the oldest
/// one ended early enough does not say that it is not among the last ones.
[[nodiscard]] inline bool may_have_old(const InstanceMark& one, const PruneOptions& options) {
    if (!one.ended_at && !options.includes_running()) return false;
    if (one.old_executions < kept_of(options.keep_last())) return false;
    const std::optional<Timestamp> before = options.completed_before();
    return !before || (one.oldest_ended_at && *one.oldest_ended_at < *before);
}

}  // namespace belay::client
