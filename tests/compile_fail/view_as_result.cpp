// EXPECT: must be a value that owns its data: write std::string
// COMPILERS: gcc

#include <belay/activity.hpp>

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<std::string()> Act{"Act"};
#else
inline constexpr belay::Activity<std::string_view()> Act{"Act"};
#endif
