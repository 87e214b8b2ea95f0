// EXPECT: without std::move: arguments are only read
// COMPILERS: gcc

#include <belay/orchestration.hpp>

struct Order {
    std::string id;
};
template <>
struct belay::Codec<Order> {
    static Payload encode(const Order& order) { return Payload::text(order.id); }
    static Order decode(const Payload& payload) { return Order{payload.bytes}; }
};

inline constexpr belay::Activity<int(Order)> Act{"Act"};

belay::Orchestration<void> code(belay::OrchestrationContext ctx) {
#ifdef BELAY_CONTROL
    const Order order{"7"};
    co_await ctx.call(Act, order);
#else
    Order order{"7"};
    co_await ctx.call(Act, std::move(order));
#endif
}
