// EXPECT: wrong number of arguments

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<int> code(belay::OrchestrationContext ctx) {
    const auto urgent = Act.with(belay::CallOptions().priority(1));
#ifdef BELAY_CONTROL
    co_return co_await ctx.call(urgent, 7);
#else
    co_return co_await ctx.call(urgent, 7, 8);
#endif
}
