// The JSON form of schedules.
#include <belay/schedules.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace belay::schedules_tests {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;

std::string problem_of(const std::string& json) {
    const auto spec = ScheduleSpec::parse(json);
    return spec ? "" : spec.error().message();
}

TEST(ScheduleSpecForm, ReadsEveryField) {
    const auto spec = ScheduleSpec::parse(R"({
        "cron": "15 3 * * *", "zone": "Europe/Brussels", "jitter": "5m",
        "starts": "2026-01-01T00:00:00Z", "ends": "2027-01-01T00:00:00.500Z",
        "overlap": "queue_all", "catch_up": "all", "catch_up_within": "6h",
        "pause_on_failure": true, "description": "the nightly import",
        "target": {"definition": "Import", "input": {"path": "in.csv"}, "owner": "shop",
                   "document": "steps: []"}
    })");
    ASSERT_TRUE(spec.ok()) << spec.error().message();
    EXPECT_EQ(spec->cron, "15 3 * * *");
    EXPECT_EQ(spec->zone, "Europe/Brussels");
    EXPECT_EQ(spec->jitter, Millis(5min));
    EXPECT_EQ(spec->overlap, Overlap::queue_all);
    EXPECT_EQ(spec->catch_up, CatchUp::all);
    EXPECT_EQ(spec->catch_up_within, Millis(6h));
    EXPECT_TRUE(spec->pause_on_failure);
    EXPECT_EQ(spec->input, Payload(PayloadCodec::json, R"({"path":"in.csv"})"));
    EXPECT_EQ(spec->document, Payload::text("steps: []"));
    EXPECT_EQ(spec->owner, "shop");
    EXPECT_EQ(ScheduleSpec::parse(spec->json()).or_throw(), *spec);
}

TEST(ScheduleSpecForm, HasTheTermsOfStarts) {
    const auto spec = ScheduleSpec::parse(R"({
        "every": "1h",
        "target": {"definition": "X", "version": "1", "headers": {"trace": "7"},
                   "labels": {"team": "data", "tier": 1, "share": 0.5, "paid": true},
                   "priority": -4, "expires": "10m", "deadline": "1h", "on_fail": true,
                   "concurrency": {"key": "a", "when_busy": "replace"},
                   "rate": {"starts": 3, "per": "1m", "when_over": "drop"}}
    })");
    ASSERT_TRUE(spec.ok()) << spec.error().message();
    EXPECT_EQ(spec->version, "1");
    EXPECT_EQ(spec->headers, (Headers{{"trace", "7"}}));
    EXPECT_EQ(spec->labels,
              (Labels{{"team", LabelValue("data")},
                      {"tier", LabelValue(std::int64_t{1})},
                      {"share", LabelValue(0.5)},
                      {"paid", LabelValue(true)}}));
    EXPECT_EQ(spec->priority, -4);
    EXPECT_EQ(spec->expires, Millis(10min));
    EXPECT_EQ(spec->deadline, Millis(1h));
    EXPECT_TRUE(spec->on_fail);
    EXPECT_EQ(spec->concurrency, (Concurrency{"a", WhenBusy::replace}));
    EXPECT_EQ(spec->rate, (RateOfStarts{3, Millis(1min), WhenOver::drop}));
    EXPECT_EQ(ScheduleSpec::parse(spec->json()).or_throw(), *spec);
}

TEST(ScheduleSpecForm, NamesProblemsOfTheTermsOfStarts) {
    const std::string problem = problem_of(R"({
        "every": "1h",
        "target": {"definition": "X", "headers": {"trace": 7}, "labels": {"team": [1]},
                   "priority": 1.5, "concurrency": {"when_busy": "never"}}
    })");
    for (const char* const part : {"trace", "team", "1.5", "never"}) {
        EXPECT_NE(problem.find(part), std::string::npos) << part << " in " << problem;
    }
    EXPECT_NE(problem_of(R"({"every": "1h", "target": {"definition": "X", "concurrency": {}}})")
                  .find("concurrency key"),
              std::string::npos);
    EXPECT_NE(problem_of(R"({"every": "1h", "target": {"definition": "X", "rate": {"starts": 0}}})")
                  .find("\"starts\" from 1"),
              std::string::npos);
}

TEST(ScheduleSpecForm, LeavesOutWhatIsUsual) {
    ScheduleSpec spec;
    spec.every = 90min;
    spec.definition = "Import";
    EXPECT_EQ(spec.json(), R"({"every":"90m","target":{"definition":"Import"}})");
    EXPECT_EQ(ScheduleSpec::parse(spec.json()).or_throw(), spec);
}

TEST(ScheduleSpecForm, NamesAllProblemsAtOnce) {
    const std::string problem = problem_of(R"({
        "cron": 5, "overlap": "perhaps", "jitter": "soon", "starts": "tomorrow", "colour": "red",
        "target": {"definiton": "X"}
    })");
    for (const char* const part : {"\"cron\" is a number",
                                   "perhaps",
                                   "skip, queue",
                                   "soon",
                                   "tomorrow",
                                   "unknown field \"colour\"",
                                   "unknown field \"definiton\""}) {
        EXPECT_NE(problem.find(part), std::string::npos) << part << " in " << problem;
    }
}

TEST(ScheduleSpecForm, NamesProblemsOfValues) {
    const std::string problem = problem_of(R"({
        "cron": "61 * * * *", "zone": "Europe/Brusels", "jitter": "2d",
        "starts": "2026-01-02T00:00:00Z", "ends": "2026-01-01T00:00:00Z", "target": {}
    })");
    for (const char* const part :
         {"character 1", "Europe/Brusels", "jitter", "ends", "definition"}) {
        EXPECT_NE(problem.find(part), std::string::npos) << part << " in " << problem;
    }
}

TEST(ScheduleSpecForm, HasExactlyOneKindOfTimes) {
    EXPECT_NE(problem_of(R"({"target": {"definition": "X"}})").find("exactly one"),
              std::string::npos);
    EXPECT_NE(problem_of(R"({"every": "1h", "cron": "@daily", "target": {"definition": "X"}})")
                  .find("exactly one"),
              std::string::npos);
    EXPECT_NE(problem_of(R"({"every": "1ms", "target": {"definition": "X"}})").find("second"),
              std::string::npos);
    EXPECT_NE(
        problem_of(R"({"every": "1h", "zone": "Europe/Brussels", "target": {"definition": "X"}})")
            .find("zone"),
        std::string::npos);
}

TEST(ScheduleSpecForm, RefusesWhatIsNoObject) {
    for (const char* const text : {"", "[]", "7", "{", "{\"every\": \"1h\", \"every\": \"2h\"}"}) {
        EXPECT_FALSE(ScheduleSpec::parse(text).ok()) << text;
    }
}

TEST(ScheduleSpecForm, ReadsBackAnyInput) {
    const std::vector<Payload> inputs{
        Payload(),
        Payload::text("plain"),
        Payload::text("not \xff UTF-8"),
        Codec<std::int64_t>::encode(-7),
        Codec<double>::encode(1.0),
        Codec<double>::encode(2.5),
        Codec<bool>::encode(true),
        Payload(PayloadCodec::json, R"({"a":[1,2]})"),
        Payload(PayloadCodec::json, R"({"$payload":1})"),
        Payload(PayloadCodec::json, "7"),
        Payload(PayloadCodec::bytes, std::string("\0\x01", 2)),
        Payload(static_cast<PayloadCodec>(1030), "own"),
        detail::encode_arguments<std::string, std::int64_t>("x", 4),
        Codec<std::vector<std::vector<std::string>>>::encode({{"a"}, {}, {"b", "c"}}),
    };
    for (const Payload& input : inputs) {
        ScheduleSpec spec;
        spec.every = 1h;
        spec.definition = "X";
        spec.input = input;
        const auto read = ScheduleSpec::parse(spec.json());
        ASSERT_TRUE(read.ok()) << read.error().message();
        EXPECT_EQ(read->input, input) << spec.json();
    }
}

TEST(ScheduleSpecForm, TellsTheNextTimes) {
    ScheduleSpec spec;
    spec.cron = "0 0 1 1 *";
    const auto times = spec.next_times(Timestamp{}, 2).or_throw();
    ASSERT_EQ(times.size(), 2u);
    EXPECT_EQ(times[0], Timestamp(std::chrono::sys_days(std::chrono::year(1971) / 1 / 1)));
    spec.cron = "0 0 30 2 *";
    EXPECT_FALSE(spec.next_times(Timestamp{}, 1).ok());
}

TEST(ScheduleSpecForm, TakesATypedTarget) {
    constexpr Definition<int(std::string, int)> kSum{"Sum"};
    ScheduleSpec spec;
    spec.target(kSum, "x", 4);
    EXPECT_EQ(spec.definition, "Sum");
    EXPECT_EQ(spec.input, (detail::encode_arguments<std::string, int>("x", 4)));
}

}  // namespace
}  // namespace belay::schedules_tests
