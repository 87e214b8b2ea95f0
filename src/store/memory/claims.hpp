// Claims: taking work under a lease.
#pragma once

#include "store/memory/tables.hpp"

namespace belay::memory {

[[nodiscard]] ClaimInstances::Answer claim(Tables& tables,
                                           const ClaimInstances& request,
                                           Timestamp now);
[[nodiscard]] ClaimActivities::Answer claim(Tables& tables,
                                            const ClaimActivities& request,
                                            Timestamp now);

}  // namespace belay::memory
