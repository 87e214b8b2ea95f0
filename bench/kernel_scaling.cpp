#include "figures.hpp"
#include "kernel_run.hpp"
#include "measure.hpp"
#include "workloads.hpp"

#include <vector>

namespace belay::bench {

namespace {

constexpr std::int64_t kMany = 10'000;
constexpr std::int64_t kFew = 1'000;

double last_by_first_thousand() {
    std::vector<Instant> stamps;
    stamps.reserve(kMany);
    Registry registry = orchestrations();
    registry.add(Step, [&stamps](std::int64_t value) {
        stamps.push_back(SteadyClock::now());
        return value;
    });
    (void)run_engine(registry, Sequence, kMany, 1, 1);
    require(stamps.size() == kMany, "an activity did not run exactly once");
    const double first = seconds_between(stamps[0], stamps[kFew - 1]);
    const double last = seconds_between(stamps[kMany - kFew], stamps[kMany - 1]);
    return last / first;
}

}  // namespace

Figure measure_sequence() {
    std::vector<double> ratios;
    for (int i = 0; i < kRepetitions; ++i) ratios.push_back(last_by_first_thousand());
    return Figure{"memory.none.sequence.10000", median(ratios), "last thousand / first", 1.3};
}

Figure measure_join() {
    const Registry registry = code_without_effects();
    std::vector<double> ratios;
    for (int i = 0; i < kRepetitions; ++i) {
        const double few = run_engine(registry, WideJoin, kFew, 1, 1).seconds;
        const double many = run_engine(registry, WideJoin, kMany, 1, 1).seconds;
        ratios.push_back(many / kMany / (few / kFew));
    }
    return Figure{"memory.none.join.10000", median(ratios), "per branch / join of 1,000", 1.3};
}

}  // namespace belay::bench
