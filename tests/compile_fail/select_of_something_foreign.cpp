// EXPECT: only durable work can be a branch of select or join
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    (void)co_await ctx.select(ctx.call(Act, 7), ctx.timer(belay::Millis(1)));
#else
    (void)co_await ctx.select(ctx.call(Act, 7), std::suspend_always());
#endif
}
