// EXPECT: so it must own its data: write std::string, not std::string_view

#include <belay/activity.hpp>

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<int(std::string)> Act{"Act"};
#else
inline constexpr belay::Activity<int(std::string_view)> Act{"Act"};
#endif
