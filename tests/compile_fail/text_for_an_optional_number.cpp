// EXPECT: does not fit the parameter that the handle declares: pass a value of its type

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(std::optional<int>)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act, 7);
    co_await ctx.call(Act, std::nullopt);
#else
    co_await ctx.call(Act, "7");
#endif
}
