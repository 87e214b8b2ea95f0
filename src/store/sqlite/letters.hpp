// Dead letters: sent again, or thrown away.
#pragma once

#include "store/sqlite/change.hpp"

namespace belay::sqlite {

void apply(Change& change, const Redrive& part);
void apply(Change& change, const Discard& part);

}  // namespace belay::sqlite
