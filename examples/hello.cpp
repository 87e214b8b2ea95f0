// The smallest whole program: one orchestration, one activity, a SQLite file.
//
//     belay-example-hello [FILE]     run it twice on one file: the second run finds the result
#include <belay/client.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <exception>
#include <iostream>
#include <string>

// Name and signature of each, once: callers and code cannot disagree.
inline constexpr belay::Activity<std::string(std::string)> Greet{"Greet"};
inline constexpr belay::Definition<std::string(std::string)> Hello{"Hello"};

// An orchestration decides. Each await is recorded, so after a crash it goes on where it was.
belay::Orchestration<std::string> hello(belay::OrchestrationContext ctx, std::string name) {
    const std::string greeting = co_await ctx.call(Greet, name);
    co_return greeting + "!";
}

// An activity acts: it may use files, networks and clocks.
std::string greet(const std::string& name) { return "Hello, " + name; }

int main(int argc, char** argv) try {
    const auto store = belay::make_sqlite_store(argc > 1 ? argv[1] : "hello.db").or_throw();
    belay::Registry registry;
    registry.add(Hello, hello);
    registry.add(Greet, greet);
    belay::Worker worker(*store, registry);
    belay::Client client(worker.store());

    const auto options =
        belay::StartOptions().id("greeting").on_conflict(belay::IdConflict::use_existing);
    const auto run = client.start(Hello, options, "world");
    const std::string greeting = run.result();  // Waits for the end; throws if there is none.
    std::cout << greeting << (run->created ? "" : " (from before)") << '\n';
    return 0;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
}
