// EXPECT: an orchestration's parameters must own their data: write std::string

#include <belay/orchestration.hpp>

#ifdef BELAY_CONTROL
belay::Orchestration<int> code(belay::OrchestrationContext, std::string) { co_return 1; }
#else
belay::Orchestration<int> code(belay::OrchestrationContext, std::string_view) { co_return 1; }
#endif
