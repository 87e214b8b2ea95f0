#include "schedules_group.hpp"

#include "measure.hpp"
#include "other_load.hpp"
#include "sqlite_file.hpp"
#include <belay/client.hpp>
#include <belay/registry.hpp>
#include <belay/schedules.hpp>
#include <belay/store/listing.hpp>
#include <belay/worker.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace belay::bench {

namespace {

constexpr const char* kIdle = "schedules.idle.10000";
constexpr std::uint32_t kSchedules = 10'000;
constexpr std::uint32_t kCreators = 16;
constexpr std::size_t kMostSlices = 7;
constexpr std::chrono::seconds kSlice{10};

/// Schedules that are not due for a month, made by several threads that share commits.
void create_schedules(Store& store) {
    std::vector<std::jthread> creators;
    for (std::uint32_t creator = 0; creator < kCreators; ++creator) {
        creators.emplace_back([&store, creator] {
            Client client(store);
            Schedules schedules(client);
            ScheduleSpec spec;
            spec.at = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()) +
                      std::chrono::days(30);
            spec.definition = "Nothing";
            for (std::uint32_t i = creator; i < kSchedules; i += kCreators) {
                require(schedules.create("s" + std::to_string(i), spec).ok(), "not created");
            }
        });
    }
}

void wait_until_idle(Client& client) {
    for (;;) {
        const QueueDepths depths = client.queue_depths().or_throw();
        const bool idle = depths.timers == kSchedules && depths.activities.empty() &&
                          depths.ready == 0 && depths.locked == 0;
        if (idle) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

}  // namespace

void run_schedules_group(Report& report) {
    if (!report.plan().measures() || !report.wants(kIdle)) return;
    const SqliteFile file;
    const std::shared_ptr<Store> store = file.open(Synchronous::full);
    create_schedules(*store);
    Registry registry;
    add_schedules(registry);
    const Worker worker(*store, registry);
    Client client(*store);
    wait_until_idle(client);
    std::vector<double> parts;
    for (std::size_t i = 0; i < std::min(report.plan().slices(), kMostSlices); ++i) {
        const double before = cpu_seconds(RUSAGE_SELF);
        const Instant begin = SteadyClock::now();
        std::this_thread::sleep_for(kSlice);
        parts.push_back(100 * (cpu_seconds(RUSAGE_SELF) - before) /
                        seconds_between(begin, SteadyClock::now()));
    }
    report.add(Figure{kIdle, estimate(parts), "% of a core", 0.5});
}

}  // namespace belay::bench
