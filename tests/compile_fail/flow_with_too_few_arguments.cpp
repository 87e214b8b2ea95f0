// EXPECT: wrong number of arguments: pass one for each parameter that the handle declares

#include <belay/flow.hpp>

inline constexpr belay::Activity<void(int, int)> Show{"Show"};

void code() {
    belay::Flow<void(int)> flow("f", "count");
#ifdef BELAY_CONTROL
    flow.step(Show, flow.param<0>(), 7);
#else
    flow.step(Show, flow.param<0>());
#endif
}
