// Retention policies from a text.
#include "support/temporary_directory.hpp"
#include <belay/retention_config.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace belay {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string problem(std::string_view text) {
    const auto parsed = parse_retention(text);
    return parsed ? "none" : parsed.error().describe();
}

TEST(RetentionConfig, ReadsRulesByNamespace) {
    const auto parsed = parse_retention(R"(
store = "sqlite:orders.db"   # Not ours.

[[retention.instances]]
max_age = "90d"

[[retention.instances]]
definition = "order"
outcome = "failed"
max_age = "2y"
max_count = 10_000

[[retention.instances]]
definition = "audit"

[[retention.executions]]
namespace = "eu"
definition = "meter"
max_count = 10
)");
    ASSERT_TRUE(parsed.ok()) << parsed.error().describe();
    const RetentionPolicies expected{
        {"default",
         RetentionPolicy()
             .add(RetentionRule().max_age(90 * 24h))
             .add(RetentionRule()
                      .definition("order")
                      .outcome(Status::failed)
                      .max_age(2 * 365 * 24h)
                      .max_count(10'000))
             .add(RetentionRule().definition("audit"))},
        {"eu", RetentionPolicy().add(ExecutionRule().definition("meter").max_count(10))}};
    EXPECT_EQ(*parsed, expected);
}

TEST(RetentionConfig, ATextWithoutTheTableHasNoPolicy) {
    for (const char* text : {"", "# nothing", "store = 'x'", "[retention]"}) {
        const auto parsed = parse_retention(text);
        ASSERT_TRUE(parsed.ok()) << text;
        EXPECT_TRUE(parsed->empty());
    }
}

TEST(RetentionConfig, AgesHaveAUnit) {
    const std::pair<const char*, Millis> ages[] = {{"0s", 0ms},
                                                   {"5ms", 5ms},
                                                   {"7s", 7s},
                                                   {"3m", 3min},
                                                   {"2h", 2h},
                                                   {"1d", 24h},
                                                   {"1w", 168h},
                                                   {"1h30m", 90min},
                                                   {"100y", 36'500 * 24h}};
    for (const auto& [text, age] : ages) {
        const auto parsed =
            parse_retention("[[retention.instances]]\nmax_age = \"" + std::string(text) + "\"");
        ASSERT_TRUE(parsed.ok()) << text;
        EXPECT_EQ(parsed->at("default").instances()[0].bounds().max_age, age);
    }
    for (const char* text :
         {"", "5", "d", "-1d", "1.5d", "1 d", "1D", "101y", "99999999999999999y"}) {
        EXPECT_THAT(problem("[[retention.instances]]\nmax_age = \"" + std::string(text) + "\""),
                    StartsWith("invalid_argument: line 2 of the configuration: '" +
                               std::string(text) + "' is no age"));
    }
}

TEST(RetentionConfig, SaysWhatIsWrongAndWhere) {
    EXPECT_THAT(problem("[[retention.instances]]\nmax_age = "),
                StartsWith("invalid_argument: line 2 of the configuration:"));
    EXPECT_EQ(problem("\n[[retention.instances]]\nmax_ages = \"1d\""),
              "invalid_argument: line 3 of the configuration: a rule has no key 'max_ages'");
    EXPECT_EQ(problem("[[retention.executions]]\noutcome = \"failed\""),
              "invalid_argument: line 2 of the configuration: a rule has no key 'outcome'");
    EXPECT_EQ(problem("[[retention.instances]]\ndefinition = 7"),
              "invalid_argument: line 2 of the configuration: 'definition' must be a text in "
              "quotes");
    EXPECT_EQ(problem("[[retention.instances]]\noutcome = \"running\""),
              "invalid_argument: line 2 of the configuration: 'running' is none of completed, "
              "failed and canceled");
    for (const char* count : {"-1", "1.0", "\"1\"", "4294967296"}) {
        EXPECT_THAT(problem("[[retention.instances]]\nmax_count = " + std::string(count)),
                    HasSubstr("'max_count' must be a whole number"));
    }
    EXPECT_THAT(problem("retention = 1"), HasSubstr("'retention' must be a table"));
    EXPECT_THAT(problem("[retention]\ninstance = 1"), HasSubstr("line 2"));
    EXPECT_THAT(problem("[retention.instances]\nmax_age = \"1d\""),
                HasSubstr("written as [[retention.instances]]"));
    EXPECT_THAT(problem("[retention]\ninstances = [1]"),
                HasSubstr("written as [[retention.instances]]"));
}

TEST(RetentionConfig, ControlCharactersAreRefusedWithTheirPlace) {
    using namespace std::string_view_literals;
    EXPECT_EQ(problem("a = 1\nü = \x01"sv),
              "invalid_argument: line 2, column 5 of the configuration: control character 1, which "
              "TOML does not allow");
    for (const std::string_view bad : {"\0"sv, "\b"sv, "\v"sv, "\f"sv, "\x1f"sv, "\x7f"sv}) {
        for (const std::string_view before :
             {""sv, "a = "sv, "a = ["sv, "# "sv, "a = '"sv, "["sv}) {
            const std::string text = std::string(before) + std::string(bad);
            EXPECT_THAT(problem(text),
                        StartsWith("invalid_argument: line 1, column " +
                                   std::to_string(before.size() + 1) + " of the configuration"));
        }
    }
    EXPECT_THAT(problem("a = 1\r# A return that ends no line."sv), HasSubstr("character 13"));
    EXPECT_THAT(problem("a = 1\r"sv), HasSubstr("line 1, column 6"));
    EXPECT_EQ(problem("a\t= 1\r\n[[retention.instances]]\r\n"sv), "none");
}

TEST(RetentionConfig, ATextThatTheParserGivesUpOnIsRefusedWithThePlace) {
    EXPECT_EQ(problem("a = 1\n[\nb = 2\n"),
              "invalid_argument: line 2, column 2 of the configuration: this is no TOML");
}

TEST(RetentionConfig, ChecksTheRules) {
    EXPECT_EQ(problem("[[retention.instances]]\nmax_age = \"1d\"\n[[retention.instances]]"),
              "invalid_argument: line 3 of the configuration: the rule for all is there twice");
    EXPECT_THAT(problem("[[retention.instances]]\nnamespace = \"\""), HasSubstr("namespace"));
    Limits few;
    few.retention_rules = 0;
    EXPECT_EQ(parse_retention("[[retention.instances]]", few).error().code(), Errc::limit_exceeded);
}

TEST(RetentionConfig, AFileIsFollowedAndItsErrorsNameIt) {
    const support::TemporaryDirectory directory;
    const std::string path = directory.file("belay.toml");
    const RetentionSource source = retention_file(path);
    EXPECT_EQ(source().error().code(), Errc::unavailable);
    EXPECT_THAT(source().error().message(), HasSubstr("belay.toml' cannot be read"));
    std::ofstream(path) << "[[retention.instances]]\nmax_age = \"7d\"\n";
    const auto read = source();
    ASSERT_TRUE(read.ok()) << read.error().describe();
    EXPECT_EQ(read->at("default"), RetentionPolicy().add(RetentionRule().max_age(7 * 24h)));
    std::ofstream(path) << "[[retention.instances]]\nmax_age = \"soon\"\n";
    EXPECT_EQ(source().error().code(), Errc::invalid_argument);
    EXPECT_THAT(source().error().message(), HasSubstr("belay.toml', line 2"));
    std::ofstream(path, std::ios::trunc).flush();
    EXPECT_TRUE(source().ok()) << "an empty file has no rules";
    EXPECT_EQ(read_retention_file(directory.path()).error().code(), Errc::unavailable)
        << "a directory is no file";
    EXPECT_EQ(read_retention_file("/dev/zero").error().code(), Errc::unavailable)
        << "it has no end";
    Limits small;
    small.payload_bytes = 10;
    std::ofstream(path) << "# a long comment\n";
    EXPECT_EQ(read_retention_file(path, small).error().code(), Errc::limit_exceeded);
}

}  // namespace
}  // namespace belay
