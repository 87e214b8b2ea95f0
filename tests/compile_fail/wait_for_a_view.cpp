// EXPECT: must be a value that owns its data: write std::string
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_await ctx.wait<std::string>("event");
#else
    co_await ctx.wait<std::string_view>("event");
#endif
}
