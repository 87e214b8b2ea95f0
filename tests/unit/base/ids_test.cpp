#include <belay/ids.hpp>

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>
#include <vector>

namespace belay {
namespace {

TEST(Ids, TheRootIsWhatComesBeforeTheFirstSlash) {
    EXPECT_EQ(root_of("order-7"), "order-7");
    EXPECT_EQ(root_of("order-7/ship"), "order-7");
    EXPECT_EQ(root_of("order-7/ship/2.1"), "order-7");
    EXPECT_EQ(root_of("/odd"), "");
    EXPECT_EQ(root_of(""), "");
}

// Part of stored keys: these values must never change.
TEST(Ids, ShardsAreTheSameForEver) {
    EXPECT_EQ(kShardCount, 1024);
    EXPECT_EQ(shard_of("").value, 805);
    EXPECT_EQ(shard_of("a").value, 140);
    EXPECT_EQ(shard_of("order-7").value, 571);
    EXPECT_EQ(shard_of("\xc3\xa9t\xc3\xa9").value, 87);
}

TEST(Ids, ATreeSharesAShard) {
    for (const char* id : {"order-7/ship", "order-7/ship/1", "order-7/2.1"}) {
        EXPECT_EQ(shard_of(id), shard_of("order-7"));
    }
}

TEST(Ids, TheIdOfAChildMayBeALittleLongerThanItsRoots) {
    const std::string root(255, 'x');
    EXPECT_TRUE(check_instance_id("it", root, 255).ok());
    EXPECT_TRUE(check_instance_id("it", root + "/" + std::string(44, 'y'), 255).ok());
    const std::string longer = root + "/" + std::string(45, 'y');
    EXPECT_EQ(check_instance_id("it", longer, 255).error().message(),
              "it is 301 bytes long; at most 300 are allowed");
    EXPECT_EQ(check_instance_id("it", root + "x/1", 255).error().message(),
              "the root's part of it is 256 bytes long; at most 255 are allowed");
    EXPECT_EQ(check_instance_id("it", root + "x", 255).error().message(),
              "it is 256 bytes long; at most 255 are allowed");
    for (const char* none : {"", "a\n/b", "a/\xff"}) {
        EXPECT_EQ(check_instance_id("it", none, 255).error().code(), Errc::invalid_argument);
    }
}

TEST(Ids, ShardsAreSpread) {
    std::vector<int> counts(kShardCount, 0);
    for (int i = 0; i < 102'400; ++i) {
        ++counts[shard_of("instance-" + std::to_string(i)).value];
    }
    for (const int count : counts) {
        EXPECT_GT(count, 40);
        EXPECT_LT(count, 180);
    }
}

TEST(Ids, GoodNames) {
    for (const char* name : {"a",
                             "order-7/ship",
                             "with space",
                             "\xc3\xa9t\xc3\xa9",
                             "\xe2\x82\xac",
                             "\xf0\x9f\x98\x80",
                             "\xc2\xa0",
                             "\xef\xbf\xbd",
                             "\xf4\x8f\xbf\xbf",
                             "\xed\x9f\xbf",
                             "\xee\x80\x80"}) {
        EXPECT_TRUE(check_name("an id", name, 255).ok()) << name;
    }
}

void expect_problem(const std::string& name, Errc code, const std::string& message) {
    const Result<void> result = check_name("an id", name, 10);
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(result.error().code(), code);
    EXPECT_EQ(result.error().message(), message);
}

TEST(Ids, AnEmptyNameIsNone) {
    expect_problem("", Errc::invalid_argument, "an id must not be empty");
}

TEST(Ids, ALongNameIsRefusedWithBothLengths) {
    EXPECT_TRUE(check_name("an id", std::string(10, 'x'), 10).ok());
    expect_problem(std::string(11, 'x'),
                   Errc::limit_exceeded,
                   "an id is 11 bytes long; at most 10 are allowed");
}

TEST(Ids, ControlCharactersAreRefused) {
    expect_problem(
        std::string("a\0b", 3), Errc::invalid_argument, "an id has a control character at byte 1");
    expect_problem("ab\n", Errc::invalid_argument, "an id has a control character at byte 2");
    expect_problem("\x7f", Errc::invalid_argument, "an id has a control character at byte 0");
    expect_problem("\xc2\x80", Errc::invalid_argument, "an id has a control character at byte 0");
    expect_problem("a\xc2\x9f", Errc::invalid_argument, "an id has a control character at byte 1");
}

TEST(Ids, ATextMayHaveSeveralLinesAndMayBeEmpty) {
    EXPECT_TRUE(check_text("the reason", "", 10).ok());
    EXPECT_TRUE(check_text("the reason", "a\n\tb", 10).ok());
    EXPECT_EQ(check_text("the reason", "a\rb", 10).error().code(), Errc::invalid_argument);
    EXPECT_EQ(check_text("the reason", std::string(1, '\0'), 10).error().code(),
              Errc::invalid_argument);
    EXPECT_EQ(check_text("the reason", "a\xFF", 10).error().code(), Errc::invalid_argument);
    EXPECT_EQ(check_text("the reason", "12345678901", 10).error().code(), Errc::limit_exceeded);
}

TEST(Ids, InvalidUtf8IsRefused) {
    const std::vector<std::string> bad = {
        "\x80",              // A continuation alone.
        "\xc3",              // Cut off.
        "\xe2\x82",          // Cut off.
        "\xf0\x9f\x98",      // Cut off.
        "\xc0\xaf",          // Overlong.
        "\xc1\xbf",          // Overlong.
        "\xe0\x9f\xbf",      // Overlong.
        "\xf0\x8f\xbf\xbf",  // Overlong.
        "\xed\xa0\x80",      // A surrogate.
        "\xf4\x90\x80\x80",  // Beyond U+10FFFF.
        "\xf5\x80\x80\x80",
        "\xff",
        "\xc3\x28",  // A continuation that is none.
        "\xe2\x28\xa1",
        "\xe2\x82\x28",
        "\xf0\x90\x28\xbc",
    };
    for (const std::string& name : bad) {
        expect_problem("a" + name, Errc::invalid_argument, "an id is not valid UTF-8 at byte 1");
    }
}

TEST(Ids, PrintAsPeopleReadThem) {
    const RunRef run{Shard{3}, RunKey{7}};
    EXPECT_EQ(to_string(run), "3:7");
    EXPECT_EQ(to_string(ActivityRef{run, 2, 5}), "3:7/2#5");
    EXPECT_EQ(to_string(LeaseToken{0xabcULL, 12}), "0000000000000abc-12");
    EXPECT_EQ(to_string(LeaseToken{~0ULL, ~0ULL}), "ffffffffffffffff-18446744073709551615");
}

TEST(Ids, AreOrderedAndHashed) {
    EXPECT_LT((RunRef{Shard{1}, RunKey{9}}), (RunRef{Shard{2}, RunKey{1}}));
    EXPECT_LT((RunRef{Shard{1}, RunKey{1}}), (RunRef{Shard{1}, RunKey{2}}));
    std::unordered_set<LeaseToken> tokens;
    for (std::uint64_t i = 0; i < 1'000; ++i) tokens.insert(LeaseToken{i % 10, i / 10});
    EXPECT_EQ(tokens.size(), 1'000U);
}

}  // namespace
}  // namespace belay
