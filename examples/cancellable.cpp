// Activities of each kind, canceled while they run. A function looks if it should stop. A coroutine
// is woken where it waits. A program is ended with all it has started.
#include "embedded.hpp"
#include <belay/async.hpp>
#include <belay/orchestration.hpp>
#include <belay/program.hpp>

#include <atomic>
#include <thread>

namespace {

using namespace std::chrono_literals;

inline constexpr belay::Activity<void()> Loop{"Loop"};
inline constexpr belay::Activity<void()> Wait{"Wait"};
inline constexpr belay::Activity<void()> Run{"Run"};
inline constexpr belay::Definition<void()> All{"All"};

belay::Orchestration<void> all(belay::OrchestrationContext ctx) {
    co_await ctx.join(ctx.call(Loop), ctx.call(Wait), ctx.call(Run));
}

std::atomic<int> begun = 0;

void loop(belay::ActivityContext& ctx) {
    ++begun;
    while (!ctx.stop_requested()) std::this_thread::sleep_for(1ms);
    examples::say("the function stops: " + std::string(to_string(ctx.stop_reason())));
    throw belay::Stopped(ctx.stop_reason());  // To return would say that all is done.
}

// The destructor of what a coroutine holds runs wherever it is stopped.
struct Cleanup {
    ~Cleanup() { examples::say("the coroutine cleans up"); }
};

belay::Async<void> wait(belay::ActivityContext& ctx) {
    ++begun;
    const Cleanup cleanup;
    co_await ctx.sleep(1h);
}

belay::Program run() {
    ++begun;
    return belay::Program("sleep", "3600");
}

void cancel_them() {
    belay::Registry registry;
    registry.add(All, all);
    registry.add(Loop, loop);
    registry.add(Wait, wait);
    registry.add(Run, run);
    examples::Embedded embedded(registry);
    const auto name = embedded.start(All, "all");
    while (begun < 3) std::this_thread::sleep_for(1ms);

    const auto why = belay::CancelOptions().by("ann").reason("enough");
    embedded.client().cancel(name, why).or_throw();
    const auto ended = embedded.wait(All, name);
    const belay::CancelRecord& record = ended.outcome().cancel;
    examples::say("the run is canceled by " + record.by + ": " + record.reason);
    // Settled: no handler of it runs any more, the program's process is gone, too.
    (void)embedded.client().wait_until_settled(name, 1min).or_throw();
    examples::say("nothing of it is left running");
}

}  // namespace

int main() { return examples::run(cancel_them); }
