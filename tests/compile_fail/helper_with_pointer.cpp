// EXPECT: must own their data: write std::string, not std::string_view or a pointer
// COMPILERS: gcc

#include <belay/orchestration.hpp>

#ifdef BELAY_CONTROL
belay::Orchestration<int> code(belay::OrchestrationContext, int) { co_return 1; }
#else
belay::Orchestration<int> code(belay::OrchestrationContext, const int*) { co_return 1; }
#endif
