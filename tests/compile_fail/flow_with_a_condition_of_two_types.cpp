// EXPECT: the operands of a condition have different types

#include <belay/flow.hpp>

inline constexpr belay::Activity<void(int)> Show{"Show"};

void code() {
    belay::Flow<void(int)> flow("f", "count");
    auto count = flow.param<0>();
#ifdef BELAY_CONTROL
    flow.step(Show, count).when(count > 3);
#else
    flow.step(Show, count).when(count > "3");
#endif
}
