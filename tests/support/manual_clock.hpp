// The clock of the kit for tests, under the name that our own tests know it by.
#pragma once

#include <belay/testing/manual_clock.hpp>

namespace belay::support {

using testing::ManualClock;

}  // namespace belay::support
