// Claims of runs and activities.
#pragma once

#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

/// Of the notices `instances_ready` is for others: there are runs that were brought back, and are
/// left for them.
[[nodiscard]] ClaimInstances::Answer claim(Tables& tables, const ClaimInstances& request);
[[nodiscard]] ClaimActivities::Answer claim(Tables& tables, const ClaimActivities& request);

}  // namespace belay::sqlite
