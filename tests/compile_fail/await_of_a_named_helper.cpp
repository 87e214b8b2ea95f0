// EXPECT: awaiting uses it up: write co_await std::move\(x\)
// COMPILERS: gcc

#include <belay/orchestration.hpp>

belay::Orchestration<int> helper(belay::OrchestrationContext) { co_return 1; }

belay::Orchestration<int> code(belay::OrchestrationContext ctx) {
    auto one = helper(ctx);
#ifdef BELAY_CONTROL
    co_return co_await std::move(one);
#else
    co_return co_await one;
#endif
}
