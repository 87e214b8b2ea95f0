// EXPECT: a shield ends with its scope: give it a name
// COMPILERS: gcc
// FLAGS: -Werror=unused-result

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<void()> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    const auto shield = ctx.shield();
    co_await ctx.call(Act);
#else
    ctx.shield();
    co_await ctx.call(Act);
#endif
}
