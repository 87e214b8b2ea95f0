// EXPECT: call takes the handle of an activity or orchestration: declare it once
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act, 7);
#else
    co_await ctx.call("Act", 7);
#endif
}
