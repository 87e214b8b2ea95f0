// EXPECT: an activity whose code gives a program returns what the program wrote

#include <belay/registry.hpp>

inline constexpr belay::Activity<int(std::string)> Number{"Number"};
inline constexpr belay::Activity<std::string(std::string)> Text{"Text"};

belay::Program code(std::string file) { return belay::Program("wc", "-l", file); }

void use(belay::Registry& registry) {
#ifdef BELAY_CONTROL
    registry.add(Text, code);
#else
    registry.add(Number, code);
#endif
}
