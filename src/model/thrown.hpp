// What an exception that left users' code means.
#pragma once

#include <belay/status.hpp>

namespace belay::model {

/// The failure that the exception stands for that is being handled; of kind application unless it
/// says otherwise. Whatever was thrown: never throws itself, except for want of memory.
[[nodiscard]] Failure failure_of_current_exception();

}  // namespace belay::model
