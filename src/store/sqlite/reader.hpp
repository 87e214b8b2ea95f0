// The tables, for those who only read.
#pragma once

#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

/// The tables as they are; nothing is written through them.
struct Reader {
    Reader(Connection& connection, Timestamp now) : tables(connection, sequence, now) {}

    Sequence sequence;
    Tables tables;
};

}  // namespace belay::sqlite
