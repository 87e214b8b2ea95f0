// Claims: taking work under a lease.
#pragma once

#include "store/memory/tables.hpp"

namespace belay::memory {

/// Of the notices `instances_ready` is for others: there are runs that were brought back, and are
/// left for them.
[[nodiscard]] ClaimInstances::Answer claim(Tables& tables,
                                           const ClaimInstances& request,
                                           Timestamp now);
[[nodiscard]] ClaimActivities::Answer claim(Tables& tables,
                                            const ClaimActivities& request,
                                            Timestamp now);

}  // namespace belay::memory
