// EXPECT: void
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<void()> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act);
#else
    auto nothing = co_await ctx.call(Act);
#endif
}
