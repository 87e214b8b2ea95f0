// EXPECT: an argument does not fit the parameter that the handle declares

#include <belay/orchestration.hpp>

inline constexpr belay::Definition<int(int)> Self{"Self"};

belay::Orchestration<int> code(belay::OrchestrationContext ctx, int n) {
#ifdef BELAY_CONTROL
    co_return ctx.continue_as_new(Self, n + 1);
#else
    (void)n;
    co_return ctx.continue_as_new(Self, "one more");
#endif
}
