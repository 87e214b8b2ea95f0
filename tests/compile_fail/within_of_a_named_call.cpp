// EXPECT: within uses it up: write std::move\(x\)\.within

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int()> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
    auto call = ctx.call(Act);
#ifdef BELAY_CONTROL
    (void)co_await std::move(call).within(belay::Millis(5));
#else
    (void)co_await call.within(belay::Millis(5));
#endif
}
