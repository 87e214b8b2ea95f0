// EXPECT: does not fit the parameter that the handle declares: pass a value of its type
// COMPILERS: gcc

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    ctx.on_rollback(Act, 7);
    co_return;
#else
    ctx.on_rollback(Act, "7");
    co_return;
#endif
}
