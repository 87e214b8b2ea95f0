// EXPECT: CallOptions

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<int> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_return co_await ctx.call(Act.with(belay::CallOptions().priority(1)), 7);
#else
    co_return co_await ctx.call(Act.with(belay::ChildOptions().id("x")), 7);
#endif
}
