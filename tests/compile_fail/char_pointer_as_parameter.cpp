// EXPECT: must own its data: write std::string, not std::string_view or const char\*
// COMPILERS: gcc

#include <belay/activity.hpp>

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<int(std::string)> Act{"Act"};
#else
inline constexpr belay::Activity<int(const char*)> Act{"Act"};
#endif
