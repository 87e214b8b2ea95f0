// EXPECT: awaiting uses it up, so it must not be const

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    auto future = ctx.start(ctx.call(Act, 7));
    co_await std::move(future);
#else
    const auto future = ctx.start(ctx.call(Act, 7));
    co_await std::move(future);
#endif
}
