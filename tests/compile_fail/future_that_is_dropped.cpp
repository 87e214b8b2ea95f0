// EXPECT: a future that is dropped cancels its work: keep it, or await it
// COMPILERS: gcc
// FLAGS: -Werror=unused-result

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<void()> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    auto future = ctx.start(ctx.call(Act));
    co_await std::move(future);
#else
    ctx.start(ctx.call(Act));
    co_return;
#endif
}
