// Only the engine, and in one file with headers of Boost, as programs have them.
#include <belay/client.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/version.hpp>
#include <belay/worker.hpp>

#include <boost/any.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/optional.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/variant.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

inline constexpr belay::Activity<int(int)> Check{"Check"};
inline constexpr belay::Definition<int(int)> Twice{"Twice"};

belay::Orchestration<int> twice(belay::OrchestrationContext ctx, int value) {
    // An exception of the library is caught here as what it is, so both sides agree on its type.
    auto checked = co_await ctx.try_call(Check, value);
    if (!checked.ok()) co_return -1;
    co_return 2 * checked.value();
}

int main() {
    const auto store = belay::make_memory_store(belay::system_clock());
    belay::Registry registry;
    registry.add(Twice, twice);
    registry.add(Check, [](int value) {
        if (value < 0) throw std::invalid_argument("negative");
        return value;
    });
    belay::Worker worker(*store, registry);
    belay::Client client(worker.store());
    int sum = 0;
    boost::asio::io_context loop;
    boost::asio::post(loop, [&] {
        for (const int value : {21, -5}) {
            const std::string id = "twice-" + std::to_string(value);
            if (!client.start(Twice, belay::StartOptions().id(id), value).ok()) return;
            const auto ended = client.wait(Twice, {"default", id});
            if (ended.ok()) sum += ended->value();
        }
    });
    loop.run();
    std::cout << belay::version() << " says " << sum << '\n';
    return sum == 41 ? 0 : 1;
}
