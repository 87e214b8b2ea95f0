// A run without end: it adds up what a meter sends, and begins anew every three readings, so that
// its history stays short. Readings that come in between are kept for the next execution.
#include "embedded.hpp"
#include <belay/orchestration.hpp>

namespace {

inline constexpr belay::Definition<int(int)> Meter{"Meter"};

belay::Orchestration<int> meter(belay::OrchestrationContext ctx, int sum) {
    for (int i = 0; i < 3; ++i) {
        const int reading = co_await ctx.receive<int>("readings");
        if (reading < 0) co_return sum;
        sum += reading;
    }
    ctx.set_custom_status(std::to_string(sum) + " so far");
    co_return ctx.continue_as_new(Meter, sum);
}

void run_a_meter() {
    belay::Registry registry;
    registry.add(Meter, meter);
    examples::Embedded embedded(registry);
    const auto name = embedded.start(Meter, "meter-1", 0);
    for (int reading = 1; reading <= 10; ++reading) {
        embedded.client().enqueue(name, "readings", reading == 10 ? -1 : reading).or_throw();
    }
    const int sum = embedded.wait(Meter, name).value();
    const auto executions = embedded.client().executions(Meter, name).or_throw();
    const auto [last_sum] = executions.back().input;
    examples::say("the sum is " + std::to_string(sum) + ", after " +
                  std::to_string(executions.size()) + " executions; the last began with " +
                  std::to_string(last_sum));
}

}  // namespace

int main() { return examples::run(run_a_meter); }
