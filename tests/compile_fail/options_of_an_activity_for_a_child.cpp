// EXPECT: ChildOptions

#include <belay/orchestration.hpp>

inline constexpr belay::Definition<int(int)> Def{"Def"};

belay::Orchestration<int> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    co_return co_await ctx.call(Def.with(belay::ChildOptions().version("2")), 7);
#else
    co_return co_await ctx.call(Def.with(belay::CallOptions().queue("gpu")), 7);
#endif
}
