// EXPECT: no belay::Codec for this parameter's type
// COMPILERS: gcc

#include <belay/activity.hpp>

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<int(std::vector<std::string>)> Act{"Act"};
#else
inline constexpr belay::Activity<int(std::vector<std::string_view>)> Act{"Act"};
#endif
