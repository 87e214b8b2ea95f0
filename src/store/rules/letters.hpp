// Dead letters: sent again, or discarded.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

void apply(Change& change, const Redrive& part);
void apply(Change& change, const Discard& part);

}  // namespace belay::store
