// The plan of SQLite for a statement.
#pragma once

#include "store/sqlite/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace belay::sqlite {

[[nodiscard]] inline std::string plan(Connection& connection, const std::string& statement) {
    const std::string sql = "explain query plan " + statement;
    sqlite3_stmt* prepared = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(connection.handle(), sql.c_str(), -1, &prepared, nullptr),
              SQLITE_OK)
        << statement << ": " << sqlite3_errmsg(connection.handle());
    std::string text;
    while (sqlite3_step(prepared) == SQLITE_ROW) {
        const std::string step = reinterpret_cast<const char*>(sqlite3_column_text(prepared, 3));
        if (step != "SCAN CONSTANT ROW") text += step + "\n";  // It reads no table.
    }
    sqlite3_finalize(prepared);
    return text;
}

[[nodiscard]] inline std::string plan(Connection& connection, AnyStatement statement) {
    return plan(connection, kStatements[statement.place].text);
}

/// From this index, in its order.
inline void expect_index(const std::string& plan, const std::string& index) {
    EXPECT_THAT(plan, ::testing::HasSubstr(index));
    EXPECT_THAT(plan, ::testing::Not(::testing::HasSubstr("SCAN"))) << plan;
    EXPECT_THAT(plan, ::testing::Not(::testing::HasSubstr("TEMP B-TREE"))) << plan;
}

}  // namespace belay::sqlite
