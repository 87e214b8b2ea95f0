// Schedules in a world whose time is virtual.
#pragma once

#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/requests/finding.hpp>
#include <belay/schedules.hpp>
#include <belay/service.hpp>
#include <belay/testing/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::schedules_tests {

using namespace std::chrono_literals;
using testing::World;
using testing::WorldOptions;

/// A run that takes as long as its input says; a negative one fails after as long.
inline constexpr Definition<void(std::int64_t)> Job{"Job"};

inline Orchestration<void> job(OrchestrationContext ctx, std::int64_t seconds) {
    co_await ctx.timer(std::chrono::seconds(std::abs(seconds)));
    if (seconds < 0) throw std::runtime_error("the job failed");
}

inline Registry code() {
    Registry registry;
    registry.add(Job, job);
    add_schedules(registry);
    return registry;
}

inline Timestamp at(std::string_view text) {
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    const std::string whole(text);
    if (std::sscanf(
            whole.c_str(), "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute, &second) < 3) {
        throw std::invalid_argument("no time: " + whole);
    }
    const std::chrono::year_month_day date(std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
           std::chrono::seconds(second);
}

/// Each minute, a run that ends at once.
inline ScheduleSpec each_minute(std::int64_t seconds = 0) {
    ScheduleSpec spec;
    spec.every = 1min;
    return spec.target(Job, seconds);
}

class SchedulesTest : public ::testing::Test {
protected:
    explicit SchedulesTest(Timestamp begin = at("2026-11-19T12:00:30"))
        : world(code(), WorldOptions().begins_at(begin)) {}

    void create(const ScheduleSpec& spec, const std::string& name = "s") {
        const Result<void> created = schedules.create(name, spec);
        ASSERT_TRUE(created.ok()) << created.error().describe();
        world.run_until_idle();
    }
    ScheduleView show(const std::string& name = "s") {
        const Result<ScheduleView> found = schedules.show(name);
        EXPECT_TRUE(found.ok()) << found.error().describe();
        return found.ok() ? *found : ScheduleView();
    }
    /// The ids of all runs of a schedule, in the order of their starts.
    std::vector<std::string> runs(const std::string& name = "s") {
        std::vector<std::string> ids;
        const auto page = world.client().list(ListOptions()
                                                  .label("belay.schedule", name)
                                                  .order(InstanceOrder::started)
                                                  .page_size(1000));
        EXPECT_TRUE(page.ok());
        for (const ListedInstance& one : page->instances) ids.push_back(one.instance.name.id);
        return ids;
    }
    Status status(const std::string& id) { return world.status({"default", id}); }

    World world;
    Schedules schedules{world.client()};
};

using Ids = std::vector<std::string>;

}  // namespace belay::schedules_tests
