// EXPECT: this does nothing until it is returned or awaited
// COMPILERS: gcc
// FLAGS: -Werror=unused-result

#include <belay/orchestration.hpp>

inline constexpr belay::Definition<void(int)> Def{"Def"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx, int n) {
#ifdef BELAY_CONTROL
    co_await ctx.continue_as_new(Def, n);
#else
    ctx.continue_as_new(Def, n);
#endif
    co_return;
}
