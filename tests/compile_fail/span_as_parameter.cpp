// EXPECT: a parameter is stored, so it must own its data.*std::vector, not std::span
// COMPILERS: gcc

#include <belay/activity.hpp>

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<int(std::vector<std::byte>)> Act{"Act"};
#else
inline constexpr belay::Activity<int(std::span<const std::byte>)> Act{"Act"};
#endif
