// EXPECT: does not fit the parameter that the handle declares: pass a value of its type
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(std::string)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.call(Act, "");
#else
    co_await ctx.call(Act, nullptr);
#endif
}
