// The kit for tests, without any test framework.
#include <belay/orchestration.hpp>
#include <belay/testing/world.hpp>

#include <chrono>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

inline constexpr belay::Activity<std::string()> Ask{"Ask"};
inline constexpr belay::Definition<std::string()> Later{"Later"};

belay::Orchestration<std::string> later(belay::OrchestrationContext ctx) {
    co_await ctx.timer(30 * 24h);
    co_return co_await ctx.call(Ask);
}

int main() {
    belay::testing::World world;
    world.add(Later, later);
    world.replace(Ask, belay::testing::returns("a month later"));
    std::cout << world.run(Later).value() << '\n';
    return 0;
}
