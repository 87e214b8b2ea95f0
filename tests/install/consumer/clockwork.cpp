// A program of a user that has schedules.
#include <belay/registry.hpp>
#include <belay/schedules.hpp>

#include <chrono>
#include <cstdio>

int main() {
    belay::Registry registry;
    belay::add_schedules(registry);

    belay::ScheduleSpec spec;
    spec.cron = "0 9 * * *";
    spec.zone = "Europe/Brussels";
    const auto times = spec.next_times(belay::Timestamp(), 1).or_throw();
    const auto hours = std::chrono::floor<std::chrono::hours>(times.front().time_since_epoch());
    std::printf("due at %d in UTC\n", static_cast<int>(hours.count() % 24));
    return 0;
}
