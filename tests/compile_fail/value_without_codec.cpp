// EXPECT: no belay::Codec for this result's type

#include <belay/orchestration.hpp>

struct Plain {};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    ctx.set_value("k", 7);
#else
    ctx.set_value("k", Plain());
#endif
    co_return;
}
