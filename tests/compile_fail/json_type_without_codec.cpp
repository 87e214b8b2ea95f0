// EXPECT: no belay::Codec for this parameter's type
// COMPILERS: gcc

#include <belay/activity.hpp>
#include <belay/json.hpp>

struct Order {
    int cents = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, cents)

#ifdef BELAY_CONTROL
template <>
struct belay::Codec<Order> : belay::JsonCodec<Order> {};
#endif
inline constexpr belay::Activity<int(Order)> Act{"Act"};
