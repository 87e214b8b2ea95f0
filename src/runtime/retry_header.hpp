// The attempts of a RetryPolicy in the headers of activities, under the names that the runtime
// uses.
#pragma once

#include "model/retry_header.hpp"

namespace belay::runtime {

using model::Attempt;
using model::attempt_of;
using model::kRetryHeader;
using model::set_attempt;

}  // namespace belay::runtime
