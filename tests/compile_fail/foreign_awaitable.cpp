// EXPECT: only durable work can be awaited.*Put other asynchronous work into an activity

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.timer(belay::Millis(1));
#else
    co_await std::suspend_always();
#endif
}
