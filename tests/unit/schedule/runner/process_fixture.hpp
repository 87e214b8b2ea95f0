// Schedules kept by simulated processes, which can crash.
#pragma once

#include "fixture.hpp"
#include "support/manual_clock.hpp"
#include "support/scripted_executor.hpp"
#include <belay/runtime.hpp>
#include <belay/store/memory.hpp>

#include <memory>

namespace belay::schedules_tests {

using support::ManualClock;
using support::ScriptedExecutor;

/// One simulated process on the shared store.
struct Process {
    Process(Store& store, ManualClock& clock)
        : registry(code()),
          runtime(std::make_unique<Runtime>(
              store, registry, executor, RuntimeOptions().clock(clock))) {}

    /// Runs every activity that was begun. Returns false if there was none.
    bool run_activities() {
        bool any = false;
        for (; done < executor.count(); ++done) {
            executor.finish(done);
            any = true;
        }
        return any;
    }

    Registry registry;
    ScriptedExecutor executor;
    std::size_t done = 0;
    std::unique_ptr<Runtime> runtime;
};

class ProcessTest : public ::testing::Test {
protected:
    ProcessTest() { process(); }

    Process& process() {
        processes.push_back(std::make_unique<Process>(*store, clock));
        return *processes.back();
    }
    /// Lets every live process do what is due, activities included.
    void settle() {
        bool busy = true;
        while (busy) {
            busy = false;
            for (const auto& one : processes) {
                while (one->runtime && one->runtime->step()) busy = true;
                if (one->runtime && one->run_activities()) busy = true;
            }
        }
    }
    /// The same without the end of any activity.
    void take_turns() {
        for (const auto& one : processes) {
            while (one->runtime && one->runtime->step()) {
            }
        }
    }
    void pass(Millis time) {
        clock.advance(time);
        settle();
    }
    void create(const ScheduleSpec& spec) {
        const Result<void> created = schedules.create("s", spec);
        ASSERT_TRUE(created.ok()) << created.error().describe();
        settle();
    }
    ScheduleView show() { return schedules.show("s").or_throw(); }
    std::vector<std::string> runs() {
        std::vector<std::string> ids;
        const auto page = client.list(ListOptions()
                                          .label("belay.schedule", std::string("s"))
                                          .order(InstanceOrder::started)
                                          .page_size(1000));
        for (const ListedInstance& one : page.or_throw().instances) {
            ids.push_back(one.instance.name.id);
        }
        return ids;
    }

    ManualClock clock{at("2026-11-19T12:00:30")};
    std::unique_ptr<Store> store = make_memory_store(clock);
    Client client{*store, clock};
    Schedules schedules{client};
    std::vector<std::unique_ptr<Process>> processes;
};

}  // namespace belay::schedules_tests
