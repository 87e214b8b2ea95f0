// EXPECT: a lambda with captures or a member of an object with data: pass what it needs

#include <belay/orchestration.hpp>

void use(int value) {
#ifdef BELAY_CONTROL
    const auto code = [](belay::OrchestrationContext, int given) -> belay::Orchestration<int> {
        co_return given;
    };
#else
    const auto code = [value](belay::OrchestrationContext) -> belay::Orchestration<int> {
        co_return value;
    };
#endif
    (void)code;
    (void)value;
}
