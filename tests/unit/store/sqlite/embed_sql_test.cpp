// The generator of columns' names (cmake/BelayEmbedSql.cmake): what it makes of statements, and
// which it refuses.
#include "support/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace belay::sqlite {
namespace {

using ::testing::HasSubstr;

class EmbeddedSql : public ::testing::Test {
protected:
    struct Made {
        bool done = false;
        std::string said;  ///< In one line: CMake breaks it anywhere.
        std::string header;
    };

    /// Runs the generator on a file with these statements.
    Made embed(const std::string& statements) {
        const std::string file = directory_.file("some.sql");
        const std::string header = directory_.file("some.hpp");
        std::ofstream(file) << "-- About the file.\n\n" << statements;
        const std::string command = std::string(BELAY_CMAKE) + " -DHEADER=" + header +
                                    " -DNAMESPACE=some -DSTATEMENTS=" + file +
                                    " -DMIGRATIONS= -P " BELAY_EMBED_SQL " 2>&1";
        Made made;
        std::FILE* pipe = ::popen(command.c_str(), "r");
        if (pipe == nullptr) return made;
        for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) {
            if (byte != '\n' && byte != ' ') {
                made.said += static_cast<char>(byte);
            } else if (!made.said.ends_with(' ')) {
                made.said += ' ';
            }
        }
        made.done = ::pclose(pipe) == 0;
        std::ifstream in(header);
        made.header = std::string(std::istreambuf_iterator<char>(in), {});
        return made;
    }
    void expect_refused(const std::string& statements, const std::string& why) {
        const Made made = embed(statements);
        EXPECT_FALSE(made.done) << statements;
        EXPECT_THAT(made.said, HasSubstr("some.sql: " + why));
        EXPECT_EQ(made.header, "");
    }

    support::TemporaryDirectory directory_;
};

TEST_F(EmbeddedSql, AColumnHasItsAliasOrItsOwnName) {
    const std::pair<const char*, const char*> expected[] = {
        {"select a, b from t;", "{ a, b }"},
        {"select t.a, count(*) as b from t;", "{ a, b }"},
        {"-- Says, \"as c\".\nselect a,\n    max(b, (select min(x) from u)) as b\nfrom t;",
         "{ a, b }"},
        {"select case when a = ', x' then b end as a from t;", "{ a }"},
        {"with recursive w (x) as (select y from t) select x, 1 as one from w;", "{ x, one }"},
        {"select (select a from t) as a, (select b from t) as b;", "{ a, b }"},
        {"insert into t (a, b) values (?1, ?2) returning a, b + 1 as next;", "{ a, next }"},
        {"update t set a = ?1 where b in (select b from u) returning b;", "{ b }"},
    };
    for (const auto& [statement, columns] : expected) {
        const Made made = embed(std::string("-- name: one\n") + statement + "\n");
        ASSERT_TRUE(made.done) << made.said;
        EXPECT_THAT(made.header, HasSubstr(std::string("enum class one : std::uint8_t ") + columns))
            << statement;
        EXPECT_THAT(made.header, HasSubstr(statement));
    }
}

TEST_F(EmbeddedSql, AStatementWithoutColumnsHasNoNames) {
    for (const char* statement : {"select 1 from t where a = ?1;",
                                  "insert into t (a, b) select a, b from u;",
                                  "delete from t where a = 'x returning y';"}) {
        const Made made = embed(std::string("-- name: one\n") + statement + "\n");
        ASSERT_TRUE(made.done) << made.said;
        EXPECT_THAT(made.header, HasSubstr("Statement<NoColumns> one{{0}}")) << statement;
    }
}

TEST_F(EmbeddedSql, StatementsWithTheSameColumnsShareThem) {
    const Made made = embed(
        "-- name: one\nselect a, b from t;\n\n-- name: two\nselect x as a, b from u;\n\n"
        "-- name: three\nselect b, a from t;\n\n-- head: four\nselect t.a, t.b\n");
    ASSERT_TRUE(made.done) << made.said;
    EXPECT_THAT(made.header, HasSubstr("using two = one;"));
    EXPECT_THAT(made.header, HasSubstr("enum class three : std::uint8_t { b, a };"));
    EXPECT_THAT(made.header, HasSubstr("using four = one;"));
    EXPECT_THAT(made.header, HasSubstr("Head<columns::four> four{R\"sql(select t.a, t.b)sql\"}"));
}

TEST_F(EmbeddedSql, ParametersAreInTheOrderInWhichTheyFirstStand) {
    const Made made =
        embed("-- name: one\nupdate t set b = :b, c = ':no' where a = :a and d <> :b; -- :no\n");
    ASSERT_TRUE(made.done) << made.said;
    EXPECT_THAT(made.header, HasSubstr("enum class one : std::uint8_t { b = 1, a };"));
    EXPECT_THAT(made.header, HasSubstr("Statement<NoColumns, parameters::one> one{{0}}"));
}

TEST_F(EmbeddedSql, AColumnWithoutANameIsRefused) {
    expect_refused("-- name: fine\nselect a from t;\n\n-- name: bad\nselect a, max(b, 1) from t;\n",
                   "bad: column 2, max(...), has no name");
    expect_refused("-- name: bad\nselect a is null from t;\n",
                   "bad: column 1, a is null, has no name");
    expect_refused("-- name: bad\nselect a, 1 from t;\n", "bad: column 2, 1, has no name");
    expect_refused("-- name: bad\nselect * from t;\n", "bad: column 1, *, has no name");
    expect_refused("-- name: bad\ndelete from t returning a + 1;\n",
                   "bad: column 1, a + 1, has no name");
}

TEST_F(EmbeddedSql, TwoColumnsOfOneNameAreRefused) {
    expect_refused("-- name: bad\nselect t.a, b, u.a from t, u;\n",
                   "bad: column 3 has the name of another one, a");
    expect_refused("-- head: bad\nselect t.a, count(*) as a\n",
                   "bad: column 2 has the name of another one, a");
}

TEST_F(EmbeddedSql, ParametersWithNumbersAndWithNamesTogetherAreRefused) {
    expect_refused("-- name: bad\nupdate t set a = ?1 where b = :b;\n",
                   "bad: some parameters have numbers, and :b has a name");
}

TEST_F(EmbeddedSql, AStatementThatNeitherSelectsNorChangesIsRefused) {
    expect_refused("-- name: bad\npragma user_version;\n", "bad: neither a select nor a change");
    expect_refused("-- name: Bad\nselect a from t;\n", "not a name and a statement: Bad");
}

}  // namespace
}  // namespace belay::sqlite
