// Claims of runs and of activities: which are taken, and what is written of it.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Notices of before stay. `instances_ready` is added for others, if there are runs that were
/// brought back and are left for them.
[[nodiscard]] ClaimInstances::Answer claim(Rows& rows, const ClaimInstances& request);
/// Notices of before stay.
[[nodiscard]] ClaimActivities::Answer claim(Rows& rows, const ClaimActivities& request);

/// The tokens of one claim follow each other.
[[nodiscard]] inline LeaseToken token_at(LeaseToken first, std::size_t index) {
    return LeaseToken{first.holder, first.serial + index};
}

}  // namespace belay::store
