// The code of stand-ins.
#pragma once

#include <belay/activity_handler.hpp>
#include <belay/testing/stand_ins.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace belay::testing {

/// Called for a mistake of the test. Throws.
using Complain = std::function<void(const std::string& problem)>;

[[nodiscard]] ActivityHandler never_answering_handler();

/// Later calls go to `then`; if it is none, they are a mistake.
[[nodiscard]] ActivityHandler failing_handler(const std::string& activity,
                                              const FailsFirst& stand_in,
                                              const std::optional<ActivityHandler>& then,
                                              const Complain& complain);

[[nodiscard]] ActivityHandler in_order_handler(const std::string& activity,
                                               std::vector<Payload> results,
                                               const Complain& complain);

}  // namespace belay::testing
