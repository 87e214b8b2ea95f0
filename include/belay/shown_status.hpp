// The status of a run, as people see it.
#pragma once

#include <belay/status.hpp>
#include <belay/store/instance_info.hpp>

namespace belay {

/// Returns the status that people see. A canceled run of a flow or task reads `canceling` until it
/// has settled: until no handler of it or of its children runs any more. Other runs read their own
/// status. (A run of a flow or task is one that has a document.)
[[nodiscard]] inline Status shown_status(const InstanceInfo& info) noexcept {
    const bool stops =
        info.status == Status::canceled && info.document.has_value() && !info.settled;
    return stops ? Status::canceling : info.status;
}

/// True if the run has ended for people. Every wait for the end of a run waits for this.
[[nodiscard]] inline bool has_ended(const InstanceInfo& info) noexcept {
    return is_terminal(shown_status(info));
}

}  // namespace belay
