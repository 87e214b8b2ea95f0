// EXPECT: a parameter is stored, so it must be a value: write T, not T& or const T&
// COMPILERS: gcc

#include <belay/activity.hpp>

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<int(std::string)> Act{"Act"};
#else
inline constexpr belay::Activity<int(const std::string&)> Act{"Act"};
#endif
