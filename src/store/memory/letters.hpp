// Dead letters: sent again, or thrown away.
#pragma once

#include "store/memory/change.hpp"

namespace belay::memory {

void apply(Change& change, const Redrive& part);
void apply(Change& change, const Discard& part);

}  // namespace belay::memory
