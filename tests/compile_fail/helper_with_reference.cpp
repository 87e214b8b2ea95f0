// EXPECT: an orchestration's parameters must be values: a reference may dangle
// COMPILERS: gcc

#include <belay/orchestration.hpp>

#ifdef BELAY_CONTROL
belay::Orchestration<int> code(belay::OrchestrationContext, int value) { co_return value; }
#else
belay::Orchestration<int> code(belay::OrchestrationContext, const int& value) { co_return value; }
#endif
