// What each part writes. Called only when the guards of every part of the transition hold.
#pragma once

#include "store/memory/change.hpp"

namespace belay::memory {

/// Applies all parts in order and fills in the answer. The transition is used up.
void apply(Change& change, Transition& transition);

void apply(Change& change, Turn& part);
void apply(Change& change, const Sweep& part);

}  // namespace belay::memory
