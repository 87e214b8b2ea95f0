// Claims of runs and activities.
#pragma once

#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

[[nodiscard]] ClaimInstances::Answer claim(Tables& tables, const ClaimInstances& request);
[[nodiscard]] ClaimActivities::Answer claim(Tables& tables, const ClaimActivities& request);

}  // namespace belay::sqlite
