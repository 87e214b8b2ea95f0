// Times and durations.
#include "evaluated.hpp"
#include "expr/times.hpp"

namespace belay::expr {
namespace {

TEST(Times, AreReadAndWritten) {
    expect_all(std::vector<Case>{
        {"timestamp('2026-11-19T05:46:00Z')", "\"2026-11-19T05:46:00Z\""},
        {"timestamp('2026-11-19T05:46:00.120+01:30')", "\"2026-11-19T04:16:00.12Z\""},
        {"timestamp('0001-01-01T00:00:00Z')", "\"0001-01-01T00:00:00Z\""},
        {"timestamp('9999-12-31T23:59:59.999999999Z')", "\"9999-12-31T23:59:59.999999999Z\""},
        {"timestamp('2000-02-29T00:00:00Z')", "\"2000-02-29T00:00:00Z\""},
        {"timestamp(0)", "\"1970-01-01T00:00:00Z\""},
        {"int(timestamp('1969-12-31T23:59:59Z'))", "-1"},
        {"timestamp('0001-01-01T00:00:00+01:00')",
         "\"0001-01-01T00:00:00+01:00\" is not a time: write one like 2026-11-19T05:46:00Z"},
        {"timestamp('2026-02-29T00:00:00Z')",
         "\"2026-02-29T00:00:00Z\" is not a time: write one like 2026-11-19T05:46:00Z"},
        {"timestamp('2026-11-19 05:46:00Z')",
         "\"2026-11-19 05:46:00Z\" is not a time: write one like 2026-11-19T05:46:00Z"},
        {"timestamp(999999999999999)", "the time is out of range"},
    });
}

TEST(Times, DurationsAreReadAndWritten) {
    expect_all(std::vector<Case>{
        {"duration('1h30m')", "\"5400s\""},
        {"duration('-1.5s')", "\"-1.5s\""},
        {"duration('100ms') + duration('1us') + duration('1ns')", "\"0.100001001s\""},
        {"duration('1.5h')", "\"5400s\""},
        {"duration('0')", "\"0s\""},
        {"duration('9000000000000h')",
         "\"9000000000000h\" is not a duration: write one like 1h30m or 1.5s"},
        {"duration('5')", "\"5\" is not a duration: write one like 1h30m or 1.5s"},
        {"duration('')", "\"\" is not a duration: write one like 1h30m or 1.5s"},
        {"duration('1x')", "\"1x\" is not a duration: write one like 1h30m or 1.5s"},
    });
}

TEST(Times, HaveArithmeticAndOrder) {
    expect_all(std::vector<Case>{
        {"timestamp('2026-12-31T23:59:59.5Z') + duration('0.5s')", "\"2027-01-01T00:00:00Z\""},
        {"duration('1h') + timestamp(0) - duration('30m')", "\"1970-01-01T00:30:00Z\""},
        {"timestamp(10) - timestamp(20)", "\"-10s\""},
        {"-duration('1.5s')", "\"-1.5s\""},
        {"timestamp(1) > timestamp(0) && duration('1h') == duration('60m')", "true"},
        {"timestamp('9999-12-31T23:59:59Z') + duration('1s')", "the time is out of range"},
        {"duration('80000000h') + duration('80000000h')", "the duration is out of range"},
    });
}

TEST(Times, HavePartsInAnyZone) {
    expect_all(std::vector<Case>{
        {"timestamp('2026-11-19T05:46:07.25Z').getFullYear()", "2026"},
        {"timestamp('2026-11-19T05:46:07.25Z').getMonth()", "10"},
        {"timestamp('2026-11-19T05:46:07.25Z').getDate()", "19"},
        {"timestamp('2026-11-19T05:46:07.25Z').getDayOfMonth()", "18"},
        {"timestamp('2026-11-19T05:46:07.25Z').getDayOfWeek()", "4"},
        {"timestamp('2026-11-19T05:46:07.25Z').getDayOfYear()", "322"},
        {"timestamp('2026-11-19T05:46:07.25Z').getHours('-06:00')", "23"},
        {"timestamp('2026-11-19T05:46:07.25Z').getDate('-06:00')", "18"},
        {"timestamp('2026-11-19T05:46:07.25Z').getMilliseconds()", "250"},
        {"timestamp('1960-01-01T00:00:00Z').getHours()", "0"},
        {"timestamp(0).getHours('Europe/Brussels')",
         "unknown time zone \"Europe/Brussels\": write UTC or an offset like +01:00"},
        {"duration('90m').getHours()", "1"},
        {"duration('-90s').getMinutes()", "-1"},
        {"duration('1.25s').getMilliseconds()", "250"},
    });
}

}  // namespace
}  // namespace belay::expr
