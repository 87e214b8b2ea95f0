// EXPECT: this may hold a failure: look at it
// COMPILERS: clang
// FLAGS: -Werror=unused-result

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int()> Act{"Act"};

// g++ 12 does not look at the result of a co_await; coro-lint does.
belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    const auto tried = co_await ctx.try_call(Act);
    if (!tried) throw belay::OperationFailed(tried.failure());
#else
    co_await ctx.try_call(Act);
#endif
}
