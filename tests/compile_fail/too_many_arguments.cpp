// EXPECT: wrong number of arguments: pass one for each parameter
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act, 1);
#else
    co_await ctx.call(Act, 1, 2);
#endif
}
