// Retention, as calls that take many reads and commits.
#pragma once

#include "client/sender.hpp"
#include <belay/retention.hpp>

#include <memory>

namespace belay::client {

/// Deletes and prunes instances and executions that are past their time.
void apply_retention(const std::shared_ptr<Sender>& sender,
                     const RetentionRequest& request,
                     Done<RetentionResult> done);

/// Counts those that it would remove.
void preview_retention(const std::shared_ptr<Sender>& sender,
                       const RetentionRequest& request,
                       Done<RetentionPreview> done);

}  // namespace belay::client
