// EXPECT: a result is stored, so it must be a value that owns its data

#include <belay/orchestration.hpp>

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    (void)ctx.try_receive<std::string>("mail");
#else
    (void)ctx.try_receive<std::string_view>("mail");
#endif
    co_return;
}
