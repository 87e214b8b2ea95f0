// EXPECT: select uses its branches up: pass std::move\(branches\)
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    std::vector<belay::Call<int>> calls;
    (void)co_await ctx.select(std::move(calls));
#else
    std::vector<belay::Call<int>> calls;
    (void)co_await ctx.select(calls);
#endif
}
