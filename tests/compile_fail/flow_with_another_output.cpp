// EXPECT: an argument does not fit the parameter that the handle declares: pass a value of its
// type, or a param

#include <belay/flow.hpp>

inline constexpr belay::Activity<std::string(int)> Find{"Find"};

void code() {
    belay::Flow<int(int)> flow("f", "count");
    auto found = flow.step(Find, flow.param<0>());
#ifdef BELAY_CONTROL
    flow.output(flow.param<0>()).when(found.status() == "completed");
#else
    flow.output(found);
#endif
}
