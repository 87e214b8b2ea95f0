// EXPECT: start_detached

#include <belay/orchestration.hpp>

inline constexpr belay::Activity<int(int)> Act{"Act"};
inline constexpr belay::Definition<int(int)> Def{"Def"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    ctx.start_detached(Def, "id", 7);
#else
    ctx.start_detached(Act, "id", 7);
#endif
    co_return;
}
