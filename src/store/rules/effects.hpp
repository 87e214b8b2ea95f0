// The effects of each part. Called only if the guards of every part of the transition hold.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// Applies all parts in order and fills in the answer.
void apply(Change& change, const Transition& transition);

void apply(Change& change, const Turn& part);
void apply(Change& change, const Sweep& part);
void apply(Change& change, const ReleaseHolder& part);

}  // namespace belay::store
