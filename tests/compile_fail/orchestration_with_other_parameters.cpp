// EXPECT: must be Orchestration<Result>\(OrchestrationContext, Parameters...\)

#include <belay/registry.hpp>

inline constexpr belay::Definition<int(std::string)> Code{"Code"};

belay::Orchestration<int> fits(belay::OrchestrationContext, std::string) { co_return 1; }
belay::Orchestration<int> does_not(belay::OrchestrationContext, int value) { co_return value; }
belay::Orchestration<std::string> other(belay::OrchestrationContext, std::string text) {
    co_return text;
}

void use(belay::Registry& registry) {
#ifdef BELAY_CONTROL
    registry.add(Code, fits);
#else
    registry.add(Code, does_not);
#endif
}
