// EXPECT: pass this to select or join with std::move; only a future

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    auto call = ctx.call(Act, 7);
    (void)co_await ctx.select(std::move(call), ctx.timer(belay::Millis(1)));
#else
    auto call = ctx.call(Act, 7);
    (void)co_await ctx.select(call, ctx.timer(belay::Millis(1)));
#endif
}
