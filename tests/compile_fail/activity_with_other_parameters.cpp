// EXPECT: does not fit the activity's handle: it must take the declared parameters

#include <belay/registry.hpp>

inline constexpr belay::Activity<int(std::string)> Act{"Act"};

void use(belay::Registry& registry) {
#ifdef BELAY_CONTROL
    registry.add(Act, [](const std::string& text) { return static_cast<int>(text.size()); });
#else
    registry.add(Act, [](int value) { return value; });
#endif
}
