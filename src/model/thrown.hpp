// What an exception that left users' code means, and how much of it is recorded.
#pragma once

#include <belay/limits.hpp>
#include <belay/status.hpp>

namespace belay::model {

/// The failure that the exception stands for that is being handled; of kind application unless it
/// says otherwise. Whatever was thrown: never throws itself, except for want of memory.
[[nodiscard]] Failure failure_of_current_exception();

/// Of kind application, if its kind is none: users can make one of any number, and what is recorded
/// under a number that nobody knows cannot be read again.
[[nodiscard]] Failure with_known_kind(Failure failure);

/// Cuts every text that is longer than Limits::failure_bytes, with a mark: users decide how long
/// they are, and that something failed must be recorded in any case.
[[nodiscard]] Failure shortened(Failure failure, const Limits& limits);

}  // namespace belay::model
