// EXPECT: does not fit the parameter that the handle declares: pass a value of its type
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(bool)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act, true);
#else
    co_await ctx.call(Act, "true");
#endif
}
