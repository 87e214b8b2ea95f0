// EXPECT: an argument does not fit the parameter that the handle declares: pass a value of its
// type, or a param

#include <belay/flow.hpp>

inline constexpr belay::Activity<std::string(std::string)> Find{"Find"};
inline constexpr belay::Activity<void(int)> Show{"Show"};

void code() {
    belay::Flow<void(int)> flow("f", "count");
    auto found = flow.step(Find, "x");
#ifdef BELAY_CONTROL
    flow.step(Show, flow.param<0>()).needs(found);
#else
    flow.step(Show, found);
#endif
}
