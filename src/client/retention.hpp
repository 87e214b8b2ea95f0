// Retention, as calls that take many reads and commits.
#pragma once

#include "client/sender.hpp"
#include "store/retention/overdue.hpp"
#include <belay/retention.hpp>

#include <memory>

namespace belay::client {

/// Deletes and prunes what is past its time.
void apply_retention(const std::shared_ptr<Sender>& sender,
                     const RetentionRequest& request,
                     Done<RetentionResult> done);

/// Says what that would be.
void preview_retention(const std::shared_ptr<Sender>& sender,
                       const RetentionRequest& request,
                       Done<RetentionPreview> done);

/// What is past its time, now or when the request says, by the policy that it means: its own, or
/// the one that was set, or one that keeps all.
void find_overdue(const std::shared_ptr<Sender>& sender,
                  const RetentionRequest& request,
                  const Done<store::Overdue>& done);

}  // namespace belay::client
