// Failures of steps.
#pragma once

#include <belay/exceptions.hpp>
#include <belay/status.hpp>

#include <string>
#include <utility>

namespace belay::flow {

/// Returns a failure that no retry can mend.
[[nodiscard]] inline Failure final_failure(std::string type, std::string message) {
    Failure failure;
    failure.type = std::move(type);
    failure.message = std::move(message);
    failure.retryable = false;
    return failure;
}

/// Returns a failure for something larger than its limit.
[[nodiscard]] inline Failure over_limit(std::string message) {
    Failure failure = final_failure({}, std::move(message));
    failure.kind = FailureKind::limit;
    return failure;
}

[[noreturn]] inline void fail(Failure failure) { throw OperationFailed(std::move(failure)); }

}  // namespace belay::flow
