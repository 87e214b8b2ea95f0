// The common ground of the activities of steps.
#pragma once

#include "flow/steps/mask.hpp"
#include "flow/steps/requests.hpp"
#include "flow/steps/secrets.hpp"
#include "flow/steps/step_options.hpp"
#include <belay/activity.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace belay::flow {

[[nodiscard]] StepAttempt attempt_of(const ActivityContext& context, const ProgramRequest& request);

/// Logs a warning for each secret that is too short to be masked.
void warn_of_short_secrets(const ActivityContext& context, const Secrets& secrets);

/// Returns the failure with its texts masked.
[[nodiscard]] Failure masked(Failure failure, const Masker& masker);

}  // namespace belay::flow
