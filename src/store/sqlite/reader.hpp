// The tables for code that only reads.
#pragma once

#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

/// The tables as they are. Nothing is written through them.
struct Reader {
    Reader(Connection& connection, Timestamp now)
        : tables(connection, sequence, queue_limits, known_runs, now) {}

    Sequence sequence;
    QueueLimitsCache queue_limits;
    KnownRuns known_runs;
    Tables tables;
};

}  // namespace belay::sqlite
