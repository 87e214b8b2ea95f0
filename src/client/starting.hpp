// The start of a run, for requests that make one.
#pragma once

#include "client/service_context.hpp"
#include <belay/requests/runs.hpp>

#include <optional>

namespace belay::client {

/// Answers a start. `kept`: the document of the run, which the store must have already: its text is
/// not sent, and the start is refused with `not_found` if it is gone. Never blocks.
void start_with_document(const ContextPtr& context,
                         requests::Start request,
                         const std::optional<Digest>& kept,
                         Done<StartResult> done);

/// Checks a start, and makes the part of it. Draws an id if it has none.
[[nodiscard]] Result<Start> start_part(ServiceContext& context, requests::Start request);
[[nodiscard]] Result<StartResult> start_result(const Answer& answer, IdConflict policy);

/// Returns `still_running` for a run that has not ended, and `invalid_argument` for one that
/// handles the failure of another. An end never changes, so nothing has to be checked again in the
/// commit of a start.
[[nodiscard]] Result<void> check_ended(const InstanceInfo& info);
/// Returns the start of a run like one that has ended, without its input.
[[nodiscard]] requests::Start start_like(const InstanceInfo& info, requests::Rerun request);

}  // namespace belay::client
