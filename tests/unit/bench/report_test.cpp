#include "bench/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::bench::report_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Report silent() { return Report(Plan::containing(""), nullptr); }

Rate rate_of(const Estimate& ratio) {
    Rate rate;
    rate.name = "single.500";
    rate.per_second = 10;
    rate.p50_ms = 4;
    rate.raw_per_second = 20;
    rate.ratio = ratio;
    rate.least_ratio = 0.45;
    return rate;
}

TEST(Report, RateInsideItsPromiseIsNeitherMissedNorUnclear) {
    Report report = silent();
    report.add(rate_of({0.5, 0.46, 0.55, 9}));
    EXPECT_THAT(report.missed(), IsEmpty());
    EXPECT_THAT(report.unclear(), IsEmpty());
    EXPECT_THAT(report.json(), HasSubstr("\"verdict\": \"met\""));
}

TEST(Report, RateBelowItsPromiseIsMissed) {
    Report report = silent();
    report.add(rate_of({0.4, 0.35, 0.44, 9}));
    EXPECT_THAT(report.missed(),
                ElementsAre("single.500: 0.4 of raw (0.35 to 0.44); at least 0.45 is wanted"));
    EXPECT_THAT(report.json(), HasSubstr("\"verdict\": \"missed\""));
}

TEST(Report, RateWhosePromiseIsInsideTheSpreadIsUnclear) {
    Report report = silent();
    report.add(rate_of({0.5, 0.4, 0.6, 9}));
    EXPECT_THAT(report.missed(), IsEmpty());
    EXPECT_THAT(report.unclear(),
                ElementsAre("single.500: 0.5 of raw (0.4 to 0.6); at least 0.45 is wanted"));
    EXPECT_THAT(report.json(), HasSubstr("\"verdict\": \"unclear\""));
}

TEST(Report, RateWithoutAPromiseHasNoVerdict) {
    Report report = silent();
    Rate rate = rate_of({0.5, 0.4, 0.6, 9});
    rate.least_ratio = 0;
    report.add(rate);
    EXPECT_THAT(report.unclear(), IsEmpty());
    EXPECT_THAT(report.json(), testing::Not(HasSubstr("verdict")));
}

TEST(Report, JsonHasTheSpreadAndTheNumberOfSlices) {
    Report report = silent();
    report.add(rate_of({0.5, 0.46, 0.55, 9}));
    EXPECT_THAT(report.json(),
                HasSubstr("\"ratio\": 0.5, \"ratio_low\": 0.46, \"ratio_high\": 0.55, "
                          "\"slices\": 9"));
    report.add(Figure{"cancel", {2.5, 2.25, 2.75, 9}, "commits", 3});
    EXPECT_THAT(report.json(),
                HasSubstr("\"value\": 2.5, \"low\": 2.25, \"high\": 2.75, \"slices\": 9"));
}

TEST(Report, FigureIsJudgedByTheSideOfItsLimit) {
    Report report = silent();
    report.add(Figure{"most", {2, 1, 3, 9}, "MiB", 3});
    report.add(Figure{"too much", exactly(4), "MiB", 3});
    report.add(Figure{"least", exactly(0.95), "", 0.9, Figure::Limit::least});
    report.add(Figure{"too little", exactly(0.8), "of it", 0.9, Figure::Limit::least});
    report.add(Figure{"bound", {5, 1, 9, 9}, "per second", 7, Figure::Limit::best});
    EXPECT_THAT(report.missed(),
                ElementsAre("too much: 4 MiB; at most 3 is wanted",
                            "too little: 0.8 of it; at least 0.9 is wanted"));
    EXPECT_THAT(report.unclear(), IsEmpty());
}

TEST(Report, BuildMayLoseATwentiethOfThroughputAndATenthOfLatency) {
    Report report = silent();
    report.add(Comparison{"a", Kind::throughput, 100, 96, {0.96, 0.95, 0.97, 9}});
    report.add(Comparison{"b", Kind::latency, 100, 109, {1.09, 1.08, 1.1, 9}});
    EXPECT_THAT(report.missed(), IsEmpty());
    EXPECT_THAT(report.unclear(), IsEmpty());
    report.add(Comparison{"c", Kind::throughput, 100, 90, {0.9, 0.89, 0.94, 9}});
    report.add(Comparison{"d", Kind::latency, 100, 120, {1.2, 1.11, 1.3, 9}});
    report.add(Comparison{"e", Kind::throughput, 100, 97, {0.97, 0.94, 1, 9}});
    EXPECT_THAT(report.missed(),
                ElementsAre(testing::StartsWith("c: 0.9 times the throughput of before"),
                            testing::StartsWith("d: 1.2 times the latency of before")));
    EXPECT_THAT(report.unclear(), ElementsAre(testing::StartsWith("e: ")));
    EXPECT_THAT(report.json(), HasSubstr("\"before\": 100, \"now\": 90, \"ratio\": 0.9"));
}

TEST(Report, RatiosToAYardstickAreUnclearOnABusyMachine) {
    Report idle = silent();
    idle.add(rate_of({0.5, 0.46, 0.55, 9}));
    idle.add(OtherLoad{0.2, 0.05});
    EXPECT_THAT(idle.unclear(), IsEmpty());
    Report busy = silent();
    busy.add(rate_of({0.5, 0.46, 0.55, 9}));
    busy.add(OtherLoad{0.2, 0.1});
    EXPECT_THAT(busy.unclear(),
                ElementsAre("other programs used 20 % of all cores, and the host took 10 %"));
    EXPECT_THAT(busy.json(), HasSubstr("\"programs\": 0.2, \"stolen\": 0.1"));
}

TEST(Report, TwoBuildsSufferAlikeOnABusyMachine) {
    Report report = silent();
    report.add(Comparison{"a", Kind::throughput, 100, 100, {1, 0.99, 1.01, 9}});
    report.add(OtherLoad{0.9, 0});
    EXPECT_THAT(report.unclear(), IsEmpty());
}

TEST(Report, OneAtATimeIsComparedByItsLatency) {
    Report report = silent();
    Rate rate = rate_of({});
    report.add(rate);
    EXPECT_EQ(report.last(), 10);
    rate.kind = Kind::latency;
    report.add(rate);
    EXPECT_EQ(report.last(), 4);
}

TEST(Report, JsonNumbersAndStringsAreJson) {
    EXPECT_EQ(json_number(0.25), "0.25");
    EXPECT_EQ(json_number(1.0 / 0.0), "null");
    EXPECT_EQ(json_string("a\"b\n"), "\"a\\\"b\\u000a\"");
}

}  // namespace
}  // namespace belay::bench::report_test
