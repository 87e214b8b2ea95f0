// EXPECT: takes a belay::OrchestrationContext, by value and not const, as its first parameter

#include <belay/orchestration.hpp>

#ifdef BELAY_CONTROL
belay::Orchestration<int> code(belay::OrchestrationContext, int value) { co_return value; }
#else
belay::Orchestration<int> code(const belay::OrchestrationContext, int value) { co_return value; }
#endif
