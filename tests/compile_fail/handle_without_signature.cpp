// EXPECT: declare an activity by its signature: belay::Activity<Result\(Parameters...\)>
// COMPILERS: gcc

#include <belay/activity.hpp>

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<int()> Act{"Act"};
#else
inline constexpr belay::Activity<int> Act{"Act"};
#endif
