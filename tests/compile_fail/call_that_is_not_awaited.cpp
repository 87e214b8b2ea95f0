// EXPECT: a call does nothing until it is awaited or started: write co_await
// COMPILERS: gcc
// FLAGS: -Werror=unused-result

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<void()> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act);
#else
    ctx.call(Act);
    co_return;
#endif
}
