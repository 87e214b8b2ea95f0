// Runs that are known to have no rows in a table.
#pragma once

#include "store/sqlite/query.hpp"

#include <limits>

namespace belay::sqlite {

/// A stretch of runs, in the order of the file, for which a table has no row. Most runs have no
/// long payload, no key-value and no dead letter. Deleting many of them asks such a table once
/// instead of once for each. Valid for one transaction, and until a row is added to the table.
class EmptyStretch {
public:
    [[nodiscard]] bool covers(RunKey run) const noexcept {
        const std::int64_t key = stored(run.value);
        return begin_ <= key && key <= end_;
    }
    /// Learns the stretch around `run`, which has no row, up to the nearest runs that have rows:
    /// the columns of `query`, null if there is none on that side.
    template <class Row>
    void learn(RunKey run, Query<Row>& query) {
        begin_ = end_ = stored(run.value);
        if (!query.step()) return;
        begin_ = query.null(Row::below) ? std::numeric_limits<std::int64_t>::min()
                                        : query.integer(Row::below) + 1;
        end_ = query.null(Row::above) ? std::numeric_limits<std::int64_t>::max()
                                      : query.integer(Row::above) - 1;
    }
    void forget() noexcept {
        begin_ = 0;
        end_ = -1;
    }

private:
    // From the first to the last run, both included. Empty at first.
    std::int64_t begin_ = 0;
    std::int64_t end_ = -1;
};

}  // namespace belay::sqlite
