// Claims of runs and of activities: the choice, and the rows that are written.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Keeps the notices that were there before. Adds `instances_ready` if it leaves runs that it
/// brought back to other claims, and the ends of runs that it met too late.
[[nodiscard]] ClaimInstances::Answer claim(Rows& rows, const ClaimInstances& request);
/// Keeps the notices that were there before.
[[nodiscard]] ClaimActivities::Answer claim(Rows& rows, const ClaimActivities& request);

/// Returns the token at `index`: the tokens of one claim are consecutive.
[[nodiscard]] inline LeaseToken token_at(LeaseToken first, std::size_t index) {
    return LeaseToken{first.holder, first.serial + index};
}

}  // namespace belay::store
