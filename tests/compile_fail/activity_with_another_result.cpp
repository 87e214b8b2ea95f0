// EXPECT: does not fit the activity's handle: it must take the declared parameters
// COMPILERS: gcc

#include <belay/registry.hpp>

inline constexpr belay::Activity<int(std::string)> Act{"Act"};

void use(belay::Registry& registry) {
#ifdef BELAY_CONTROL
    registry.add(Act, [](belay::ActivityContext&, std::string) { return 1; });
#else
    registry.add(Act, [](const std::string& text) { return text; });
#endif
}
