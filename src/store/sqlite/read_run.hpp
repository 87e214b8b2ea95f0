// A run as rows refer to it: its key in one column, its shard in the next.
#pragma once

#include "store/sqlite/query.hpp"
#include <belay/ids.hpp>

namespace belay::sqlite {

[[nodiscard]] inline RunRef read_run(const Query& query, int column) {
    return RunRef{Shard{static_cast<std::uint16_t>(query.integer(column + 1))},
                  RunKey{query.number(column)}};
}

}  // namespace belay::sqlite
