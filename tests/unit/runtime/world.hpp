// A store, a client and processes on a clock that stands still, for tests of the runtime.
#pragma once

#include "support/faulty_store.hpp"
#include "support/manual_clock.hpp"
#include "support/scripted_executor.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/registry.hpp>
#include <belay/runtime.hpp>
#include <belay/store/memory.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace belay::runtime_tests {

using support::FaultyStore;
using support::ManualClock;
using support::ScriptedExecutor;
using Fault = FaultyStore::Fault;

inline constexpr Activity<std::string(std::string)> Work{"Work"};
inline constexpr Activity<void(std::string)> Undo{"Undo"};
inline constexpr Definition<std::string(std::string)> Main{"Main"};

/// Code for `Main` that most tests are content with.
inline Orchestration<std::string> one_step(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Work, input);
}

/// As that, with three at once.
inline Orchestration<std::string> three_steps(OrchestrationContext ctx, std::string input) {
    std::vector<Call<std::string>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(ctx.call(Work, input));
    const auto all = co_await ctx.join(std::move(calls));
    co_return all.front();
}

/// One simulated process: its own executor, registry and runtime on the shared store.
struct Process {
    Process(Store& store, ManualClock& clock, Registry code, const RuntimeOptions& options)
        : registry(std::move(code)),
          runtime(std::make_unique<Runtime>(
              store, registry, executor, RuntimeOptions(options).clock(clock))) {}

    Registry registry;
    ScriptedExecutor executor;
    std::unique_ptr<Runtime> runtime;
};

class World : public ::testing::Test {
protected:
    using Code = Orchestration<std::string> (*)(OrchestrationContext, std::string);

    /// Code for `Main`, with activities that return or record their argument.
    Registry registry_with(Code code) {
        Registry registry = activities_only();
        registry.add(Main, code);
        return registry;
    }
    Registry activities_only() {
        Registry registry;
        registry.add(Work, [this](const std::string& what) {
            ++works;
            return "did " + what;
        });
        registry.add(Undo, [this](const std::string& what) { undone.push_back(what); });
        return registry;
    }

    Process& process(Registry registry, const RuntimeOptions& options = RuntimeOptions()) {
        processes.push_back(std::make_unique<Process>(store, clock, std::move(registry), options));
        return *processes.back();
    }
    void crash(Process& process) { process.runtime.reset(); }

    InstanceName start(const std::string& id = "i1", const std::string& input = "x") {
        const auto started = client.start(Main, StartOptions().id(id), input);
        EXPECT_TRUE(started.ok()) << started.error().describe();
        return {"default", id};
    }
    /// Steps every live process until none has anything to do.
    void settle() {
        bool busy = true;
        while (busy) {
            busy = false;
            for (const auto& process : processes) {
                while (process->runtime && process->runtime->step()) busy = true;
            }
        }
    }
    void pass(Millis time) {
        clock.advance(time);
        settle();
    }
    InstanceInfo info(const InstanceName& name) {
        auto found = client.inspect(name);
        EXPECT_TRUE(found.ok());
        return found.ok() ? *found : InstanceInfo{};
    }
    Status status(const InstanceName& name) { return info(name).status; }
    /// Number of canceled handlers that have not been seen to end.
    std::uint64_t stopping() {
        std::uint64_t count = 0;
        inner->read(CountQueues{},
                    [&](const Result<CountQueues::Answer>& r) { count = r->stopping; });
        return count;
    }
    std::vector<ActivityInfo> queue() {
        std::vector<ActivityInfo> rows;
        inner->read(ListActivities{}, [&](const Result<ListActivities::Answer>& r) { rows = *r; });
        return rows;
    }

    ManualClock clock;
    std::unique_ptr<Store> inner = make_memory_store(clock);
    FaultyStore store{*inner};
    Client client{store, clock};
    std::vector<std::unique_ptr<Process>> processes;
    int works = 0;
    std::vector<std::string> undone;
};

}  // namespace belay::runtime_tests
