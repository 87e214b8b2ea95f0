// Replays recorded runs against the code of this program: nothing acts, nothing is written.
//
//     belay-example-replay             a run of its own, against its code and against changed code
//     belay-example-replay FILE...     documents of `belay export`, of runs of the web-shop
#include "shop/orchestrations.hpp"
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/testing/replay.hpp>
#include <belay/testing/world.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

inline constexpr belay::Activity<int(std::string)> Charge{"Charge"};
inline constexpr belay::Definition<int(std::string)> Checkout{"Checkout"};

belay::Orchestration<int> checkout(belay::OrchestrationContext ctx, std::string order) {
    co_return co_await ctx.call(Charge, order);
}

/// The same after a change that old runs cannot bear: it asks for another thing.
belay::Orchestration<int> changed(belay::OrchestrationContext ctx, std::string order) {
    const std::string receipt = order + " with receipt";
    co_return co_await ctx.call(Charge, receipt);
}

belay::Registry registry_of(belay::Orchestration<int> (*code)(belay::OrchestrationContext,
                                                              std::string)) {
    belay::Registry registry;
    registry.add(Checkout, code);
    return registry;
}

/// The document of a run that `checkout` has made.
std::string recorded() {
    belay::testing::World world(registry_of(checkout));
    world.replace(Charge, [](const std::string&) { return 42; });
    const belay::InstanceName run = world.start(Checkout, "order-7");
    world.run_until_idle();
    return world.exported(run);
}

std::string content_of(const char* file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in.is_open() || in.bad()) throw std::runtime_error(std::string("cannot read ") + file);
    return text.str();
}

/// Prints what a replay finds, and returns whether code and history agree.
bool replays(const std::string& name, const std::string& document, const belay::Registry& code) {
    const belay::Result<void> result = belay::testing::replay(document, code);
    std::cout << name << ": " << (result.ok() ? "replays" : result.error().describe()) << '\n';
    return result.ok();
}

int replay_files(int count, char** files) {
    belay::Registry code;
    shop::add_orchestrations(code);
    bool all = true;
    for (int at = 0; at < count; ++at) {
        all = replays(files[at], content_of(files[at]), code) && all;
    }
    return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc > 1) return replay_files(argc - 1, argv + 1);
        const std::string document = recorded();
        const bool same = replays("the same code", document, registry_of(checkout));
        const bool other = replays("changed code", document, registry_of(changed));
        return same && !other ? 0 : 1;
    } catch (const std::exception& problem) {
        std::cerr << problem.what() << '\n';
        return 1;
    }
}
