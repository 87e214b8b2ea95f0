// EXPECT: select and join use their branches up, so this must not be const

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    auto future = ctx.start(ctx.call(Act, 7));
    (void)co_await ctx.select(future, ctx.timer(belay::Millis(1)));
#else
    const auto future = ctx.start(ctx.call(Act, 7));
    (void)co_await ctx.select(future, ctx.timer(belay::Millis(1)));
#endif
}
