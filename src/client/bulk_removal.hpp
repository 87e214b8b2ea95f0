// Operations that take more than one commit: each instance is changed on its own, in small groups
// that share a commit, so that other work goes on in between. Changes made before an error stay.
// If the operation is asked for again, it goes on from there.
#pragma once

#include "client/sender.hpp"
#include <belay/requests/removal.hpp>

#include <memory>

namespace belay::client {

/// Deletes the roots that match and whose whole trees have ended.
void delete_many(const std::shared_ptr<Sender>& sender,
                 requests::DeleteMany request,
                 Done<DeleteInstanceResult> done);

/// Prunes an instance. Fails with `not_found` if there is none.
void prune_one(std::shared_ptr<Sender> sender,
               const requests::Prune& request,
               Done<PruneResult> done);

/// Prunes the instances that match and have something to prune.
void prune_many(std::shared_ptr<Sender> sender,
                requests::PruneMany request,
                Done<PruneResult> done);

}  // namespace belay::client
