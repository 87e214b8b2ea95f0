// EXPECT: a helper does nothing until it is awaited: write co_await
// COMPILERS: gcc
// FLAGS: -Werror=unused-result

#include <belay/orchestration.hpp>

belay::Orchestration<void> helper(belay::OrchestrationContext) { co_return; }

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await helper(ctx);
#else
    helper(ctx);
    co_return;
#endif
}
