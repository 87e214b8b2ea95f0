// EXPECT: an argument does not fit the parameter that the handle declares: pass a value of its
// type, or a param

#include <belay/flow.hpp>

inline constexpr belay::Activity<void(int)> Show{"Show"};

void code() {
    belay::Flow<void(std::vector<int>, int)> flow("f", "counts", "count");
#ifdef BELAY_CONTROL
    flow.map(Show, flow.param<0>());
#else
    flow.map(Show, flow.param<1>());
#endif
}
