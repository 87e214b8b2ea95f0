// Schedules.
#include "definitions.hpp"

#include <optional>
#include <vector>

namespace belay::flow {
namespace {

/// Checks that know one cron expression and one zone.
ReadOptions checks() {
    ReadOptions options;
    options.check_cron = [](std::string_view text) -> std::optional<Refusal> {
        if (text == "0 3 * * *") return std::nullopt;
        return Refusal{"it needs five fields", "Count them"};
    };
    options.check_zone = [](std::string_view text) -> std::optional<Refusal> {
        if (text == "Europe/Brussels") return std::nullopt;
        return Refusal{"", "Use a city"};
    };
    return options;
}

std::string schedule_problems(const std::string& schedule) {
    return problems_of(with_lines("params: {n: {type: integer, max: 9}}\nschedules: [{" + schedule +
                                  "}]\nsteps: [{id: a, set: 1}]"),
                       checks());
}

TEST(FlowSchedules, AreChecked) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"cron: '0 3 * * *', zone: Europe/Brussels, params: {n: 1}", ""},
        {"cron: '0 3 * *', params: {n: 1}",
         "line 3, column 20: bad cron expression \"0 3 * *\": it needs five fields. Count them\n"},
        {"every: 1h, zone: Europe/Brusels, params: {n: 1}",
         "line 3, column 31: unknown time zone \"Europe/Brusels\". Use a city\n"},
        {"zone: Europe/Brussels, params: {n: 1}",
         "line 3, column 13: the schedule has no ticks. Give it one of cron, every or at\n"},
        {"every: 1h, cron: '0 3 * * *', params: {n: 1}",
         "line 3, column 13: the schedule has two kinds of ticks. Give it one of cron, every or "
         "at\n"},
        {"every: 10ms, params: {n: 1}", "line 3, column 21: \"every\" must be at least 1000ms\n"},
        {"at: tomorrow, params: {n: 1}",
         "line 3, column 18: \"at\" must be a time, not \"tomorrow\". Write date, time and offset, "
         "as in 2026-12-24T18:00:00+01:00\n"},
        {"every: 1h, starts: '2026-12-24T18:00:00Z', ends: '2026-12-24T17:00:00Z', params: {n: 1}",
         "line 3, column 63: the schedule ends before it starts\n"},
        {"every: 1h, overlap: queu, params: {n: 1}",
         "line 3, column 34: \"overlap\" must be skip, queue, queue_all, cancel or allow, not "
         "\"queu\". Did you mean \"queue\"?\n"},
        {"every: 1h",
         "line 3, column 13: the schedule gives no \"n\". Write it under \"params\", or give the "
         "param a default\n"},
        {"every: 1h, params: {n: 10}", "line 3, column 37: param \"n\" must be at most 9\n"},
        {"every: 1h, params: {n: 1, m: 2}", "line 3, column 43: unknown param \"m\"\n"},
    };
    for (const auto& [schedule, problems] : cases) {
        EXPECT_EQ(schedule_problems(schedule), problems) << schedule;
    }
}

TEST(FlowSchedules, ArriveInTheDefinition) {
    const Definition flow = read_good(
        with_lines("schedules:\n"
                   "  - {at: '2026-12-24T18:00:00+01:00', catch_up: all, catch_up_within: 1d}\n"
                   "  - {every: 90s, overlap: queue_all, pause_on_failure: true}\n"
                   "steps: [{id: a, set: 1}]"));
    ASSERT_EQ(flow.schedules.size(), 2U);
    EXPECT_EQ(to_unix_ms(*flow.schedules[0].at), 1'798'131'600'000);
    EXPECT_EQ(flow.schedules[0].catch_up, CatchUp::all);
    EXPECT_EQ(flow.schedules[0].catch_up_within, std::chrono::hours(24));
    EXPECT_EQ(flow.schedules[1].every, std::chrono::seconds(90));
    EXPECT_EQ(flow.schedules[1].overlap, Overlap::queue_all);
    EXPECT_TRUE(flow.schedules[1].pause_on_failure);
}

}  // namespace
}  // namespace belay::flow
