// A type of the program's own that travels as JSON: the header for nlohmann-json.
#include <belay/client.hpp>
#include <belay/json.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/worker.hpp>

#include <iostream>
#include <string>
#include <vector>

struct Order {
    std::string customer;
    std::vector<int> prices;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, customer, prices)
template <>
struct belay::Codec<Order> : belay::JsonCodec<Order> {};

inline constexpr belay::Activity<int(std::vector<int>)> Add{"Add"};
inline constexpr belay::Definition<nlohmann::json(Order)> Pay{"Pay"};

belay::Orchestration<nlohmann::json> pay(belay::OrchestrationContext ctx, Order order) {
    nlohmann::json bill;
    bill["customer"] = order.customer;
    const int sum = co_await ctx.call(Add, order.prices);
    bill["sum"] = sum;
    co_return bill;
}

int main() {
    const auto store = belay::make_memory_store(belay::system_clock());
    belay::Registry registry;
    registry.add(Pay, pay);
    registry.add(Add, [](const std::vector<int>& prices) {
        int sum = 0;
        for (const int price : prices) sum += price;
        return sum;
    });
    belay::Worker worker(*store, registry);
    belay::Client client(worker.store());
    const Order order{"ann", {4000, 200}};
    if (!client.start(Pay, belay::StartOptions().id("order-1"), order).ok()) return 1;
    const auto ended = client.wait(Pay, {"default", "order-1"});
    if (!ended.ok()) return 1;
    const nlohmann::json bill = ended->value();
    std::cout << bill.at("customer").get<std::string>() << " pays " << bill.at("sum") << '\n';
    return 0;
}
