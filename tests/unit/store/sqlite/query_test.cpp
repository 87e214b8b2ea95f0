// Columns and parameters by their names: what compiles, and that SQLite has the same names.
#include "store/sqlite/query.hpp"

#include "fixture.hpp"
#include "store/sqlite/connection.hpp"

#include <concepts>
#include <sstream>
#include <string>
#include <vector>

namespace belay::sqlite {
namespace {

template <class Query, class Column>
concept Reads = requires(const Query& query, Column column) { query.number(column); };
template <class Query>
concept BindsInOrder = requires(Query& query) { query.bind(1); };
template <class Query, class Parameter>
concept BindsByName = requires(Query& query, Parameter parameter) { query.set(parameter, 1); };

using FindRun = Query<columns::run_find>;
static_assert(Reads<FindRun, columns::run_find>);
static_assert(!Reads<FindRun, int>, "a bare index");
static_assert(!Reads<FindRun, columns::run_about>, "a column of another statement");
static_assert(!Reads<Query<>, int>);

using InsertRun = Query<NoColumns, parameters::run_insert>;
static_assert(BindsByName<InsertRun, parameters::run_insert>);
static_assert(!BindsByName<InsertRun, parameters::run_update>, "a parameter of another statement");
static_assert(!BindsByName<InsertRun, int>, "a bare number");
static_assert(!BindsInOrder<InsertRun> && BindsInOrder<FindRun>);

// One reader does for all statements that have the same columns.
static_assert(std::same_as<columns::activity_next, columns::lane_rows>);
static_assert(std::same_as<columns::count_open, columns::counted_instances>);
static_assert(!std::same_as<columns::activity_find, columns::activity_range>);

std::vector<std::string> words(const char* text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

class QueryOfAFile : public SqliteStoreTest {
protected:
    static std::vector<std::string> columns_of(sqlite3_stmt* statement) {
        std::vector<std::string> names;
        for (int i = 0; i < sqlite3_column_count(statement); ++i) {
            names.emplace_back(sqlite3_column_name(statement, i));
        }
        // Asks only whether there is a row.
        if (names == std::vector<std::string>{"1"}) names.clear();
        return names;
    }
    /// Without the colon; none when they have numbers.
    static std::vector<std::string> parameters_of(sqlite3_stmt* statement) {
        std::vector<std::string> names;
        for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
            const char* name = sqlite3_bind_parameter_name(statement, i);
            if (name != nullptr && name[0] == ':') names.emplace_back(name + 1);
        }
        return names;
    }
};

TEST_F(QueryOfAFile, ColumnsAndParametersHaveTheNamesAndPlacesThatSqliteGivesThem) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    static_assert(std::size(kStatementNames) == std::size(kStatements));
    for (std::size_t i = 0; i < std::size(kStatements); ++i) {
        const NamedSql& sql = kStatements[i];
        sqlite3_stmt* prepared = nullptr;
        ASSERT_EQ(sqlite3_prepare_v2(connection.handle(), sql.text, -1, &prepared, nullptr),
                  SQLITE_OK)
            << sql.name << ": " << sqlite3_errmsg(connection.handle());
        EXPECT_EQ(columns_of(prepared), words(kStatementNames[i].columns)) << sql.name;
        EXPECT_EQ(parameters_of(prepared), words(kStatementNames[i].parameters)) << sql.name;
        sqlite3_finalize(prepared);
    }
}

TEST_F(QueryOfAFile, AStatementIsWhereItsNameIs) {
    EXPECT_STREQ(kStatements[Sql::run_find.place].name, "run_find");
    EXPECT_STREQ(kStatements[Sql::session_use_delete_past.place].name, "session_use_delete_past");
    EXPECT_STREQ(kStatementNames[Sql::run_ready.place].columns,
                 "key shard ready_at definition version interpreted late_at");
    EXPECT_EQ(static_cast<int>(columns::run_ready::version), 4);
    EXPECT_EQ(static_cast<int>(parameters::activity_update::waits_until), 1);
}

TEST_F(QueryOfAFile, AParameterThatIsBoundTwiceInPlaceOfAnotherIsNoticed) {
    (void)open();
    Connection connection(path_, Access::write, quick());
    using To = parameters::queue_limit_put;
    const auto bind_all_but_one = [&](To last) {
        Query query = connection.use(Sql::queue_limit_put);
        query.set(To::queue, 1)
            .set(To::set_at, 1)
            .set(To::set_by, 1)
            .set_null(To::running,
                      To::running_per_key,
                      To::started,
                      To::started_per,
                      To::started_per_key);
        return query.set(last, 1).run();
    };
    EXPECT_EQ(bind_all_but_one(To::started_per_key_per), 1);
    EXPECT_DEATH(bind_all_but_one(To::queue), "sum_");
}

}  // namespace
}  // namespace belay::sqlite
