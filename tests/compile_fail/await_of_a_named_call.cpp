// EXPECT: awaiting uses it up: write co_await std::move\(x\)
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    auto call = ctx.call(Act, 7);
    co_await std::move(call);
#else
    auto call = ctx.call(Act, 7);
    co_await call;
#endif
}
