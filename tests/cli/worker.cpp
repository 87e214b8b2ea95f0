// belay-cli-worker FILE [VERSION]: the worker of the suite `cli`, until SIGTERM. It tells what it
// does on its standard output, line by line.
#include <belay/activity.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

inline constexpr belay::Activity<std::string(std::string)> Hello{"Hello"};
inline constexpr belay::Activity<std::string(std::string)> Bye{"Bye"};
inline constexpr belay::Activity<void()> Compile{"Compile"};
inline constexpr belay::Activity<void()> Nap{"Nap"};
inline constexpr belay::Activity<void(std::string)> Undo{"Undo"};

inline constexpr belay::Definition<std::string(std::string)> Greet{"Greet"};
inline constexpr belay::Definition<void()> Fails{"Fails"};
inline constexpr belay::Definition<void()> Compiles{"Compiles"};
inline constexpr belay::Definition<void()> Sleeps{"Sleeps"};
inline constexpr belay::Definition<std::string()> Waits{"Waits"};
inline constexpr belay::Definition<std::string()> Family{"Family"};
inline constexpr belay::Definition<std::int64_t(std::int64_t)> Loop{"Loop"};
inline constexpr belay::Definition<std::string(std::int64_t)> Descends{"Descends"};
inline constexpr belay::Definition<std::string()> Changes{"Changes"};

void say(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

belay::Orchestration<std::string> greet(belay::OrchestrationContext ctx, std::string name) {
    co_return co_await ctx.call(Hello, name);
}

belay::Orchestration<void> fails(belay::OrchestrationContext) {
    throw std::runtime_error("it broke\x1b[31m");
    co_return;
}

belay::Orchestration<void> compiles(belay::OrchestrationContext ctx) { co_await ctx.call(Compile); }

belay::Orchestration<void> sleeps(belay::OrchestrationContext ctx) {
    ctx.on_rollback(Undo, ctx.instance_id());
    ctx.set_custom_status("napping");
    ctx.set_value("pillows", 2);
    co_await ctx.call(Nap);
}

belay::Orchestration<std::string> waits(belay::OrchestrationContext ctx) {
    co_return co_await ctx.wait<std::string>("go");
}

belay::Orchestration<std::string> family(belay::OrchestrationContext ctx) {
    auto elder = ctx.start(ctx.call(Waits).id("elder"));
    auto younger = ctx.start(ctx.call(Waits).id("younger"));
    const std::string first = co_await std::move(elder);
    const std::string second = co_await std::move(younger);
    co_return first + second;
}

belay::Orchestration<std::int64_t> loop(belay::OrchestrationContext ctx, std::int64_t left) {
    if (left > 0) co_await ctx.continue_as_new(Loop, left - 1);
    co_return left;
}

/// Calls itself until this many levels are below it; the last one waits.
belay::Orchestration<std::string> descends(belay::OrchestrationContext ctx, std::int64_t levels) {
    if (levels == 0) co_return co_await ctx.wait<std::string>("go");
    co_return co_await ctx.call(Descends, levels - 1);
}

/// The second version of this one does something else, and its history says so.
belay::Orchestration<std::string> changes_first(belay::OrchestrationContext ctx) {
    const std::string said = co_await ctx.call(Hello, std::string("you"));
    co_return said + co_await ctx.wait<std::string>("go");
}
belay::Orchestration<std::string> changes_second(belay::OrchestrationContext ctx) {
    const std::string said = co_await ctx.call(Bye, std::string("you"));
    co_return said + co_await ctx.wait<std::string>("go");
}

void compile(belay::ActivityContext& ctx) {
    ctx.output().out("main.c\n");
    ctx.output().err("main.c:1: \x1b[31merror\x1b[0m\n");
    throw belay::ApplicationError("compiler", "exit status 1")
        .detail("main.c:1: error\nmain.c:2: error\n")
        .not_retryable();
}

void nap(belay::ActivityContext& ctx) {
    ctx.heartbeat("turning over");
    ctx.output().out("zzz\n");
    say("Nap began");
    while (!ctx.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    say("Nap stopped: " + std::string(to_string(ctx.stop_reason())));
    ctx.output().err("who is there?\n");
    throw std::runtime_error("stopped");
}

belay::Registry all_the_code(const std::string& version) {
    belay::Registry registry;
    registry.add(Greet, greet);
    registry.add(Fails, fails);
    registry.add(Compiles, compiles);
    registry.add(Sleeps, sleeps);
    registry.add(Waits, waits);
    registry.add(Family, family);
    registry.add(Loop, loop);
    registry.add(Descends, descends);
    registry.add(Changes, version == "2" ? changes_second : changes_first);
    registry.add(Hello, [](const std::string& name) { return "hello " + name; });
    registry.add(Bye, [](const std::string& name) { return "bye " + name; });
    registry.add(Compile, compile);
    registry.add(Nap, nap);
    registry.add(Undo, [](const std::string& id) { say("Undo " + id); });
    return registry;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: belay-cli-worker FILE [VERSION]\n");
        return 2;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // Before there are threads: all inherit it.
    auto store = belay::make_sqlite_store(argv[1]);
    if (!store) {
        std::fprintf(stderr, "%s\n", store.error().describe().c_str());
        return 1;
    }
    const belay::Registry registry = all_the_code(argc > 2 ? argv[2] : "1");
    say("ready");  // Before it begins: what it does then is told behind it.
    belay::Worker worker(**store, registry, belay::RuntimeOptions().worker("test worker"));
    int signal = 0;
    sigwait(&signals, &signal);
    worker.stop();
    return 0;
}
