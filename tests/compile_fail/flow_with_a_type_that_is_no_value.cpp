// EXPECT: this type cannot be a value of a flow: use a number, a bool, a std::string

#include <belay/flow.hpp>

#include <map>

#ifdef BELAY_CONTROL
using Input = std::vector<int>;
#else
using Input = std::map<std::string, int>;
#endif
inline constexpr belay::Activity<void(Input)> Show{"Show"};

void code() {
    belay::Flow<void(Input)> flow("f", "counts");
    flow.step(Show, flow.param<0>());
}
