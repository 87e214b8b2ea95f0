// EXPECT: no belay::Codec for this parameter's type: specialise belay::Codec<T>
// COMPILERS: gcc

#include <belay/activity.hpp>

struct Money {
    int cents = 0;
};

#ifdef BELAY_CONTROL
inline constexpr belay::Activity<int(int)> Act{"Act"};
#else
inline constexpr belay::Activity<int(Money)> Act{"Act"};
#endif
