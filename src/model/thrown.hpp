// The failure that is recorded for an exception that left users' code.
#pragma once

#include <belay/limits.hpp>
#include <belay/status.hpp>

#include <string>

namespace belay::model {

/// Returns the failure for the exception that is being handled. Its kind is application unless the
/// exception says otherwise. Accepts any thrown object. Throws only if memory runs out.
[[nodiscard]] Failure failure_of_current_exception();
/// The same. Names `definition` as the place of the failure if the exception names none.
[[nodiscard]] Failure failure_of_current_exception(const std::string& definition);

/// Sets the kind to application if it is unknown. Users can make a kind of any number, and a
/// failure recorded with an unknown number cannot be read again.
[[nodiscard]] Failure with_known_kind(Failure failure);

/// Cuts every text that is longer than Limits::failure_bytes, with a mark. Users choose these
/// texts, and a failure must be recorded in any case.
[[nodiscard]] Failure shortened(Failure failure, const Limits& limits);

}  // namespace belay::model
