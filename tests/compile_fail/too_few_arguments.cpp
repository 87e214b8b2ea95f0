// EXPECT: wrong number of arguments: pass one for each parameter
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int, int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    (void)co_await ctx.try_call(Act, 1, 2);
#else
    co_await ctx.try_call(Act, 1);
#endif
}
