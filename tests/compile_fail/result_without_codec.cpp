// EXPECT: no belay::Codec for this result's type: specialise belay::Codec<T>
// COMPILERS: gcc

#include <belay/activity.hpp>

struct Money {
    int cents = 0;
};

#ifdef BELAY_CONTROL
inline constexpr belay::Definition<int()> Act{"Act"};
#else
inline constexpr belay::Definition<Money()> Act{"Act"};
#endif
