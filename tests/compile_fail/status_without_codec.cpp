// EXPECT: no belay::Codec for this message's type: specialise

#include <belay/orchestration.hpp>

struct Progress {
    int done = 0;
};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    ctx.set_custom_status(Progress().done);
#else
    ctx.set_custom_status(Progress());
#endif
    co_return;
}
