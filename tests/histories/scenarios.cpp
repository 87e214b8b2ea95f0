#include "histories/scenarios.hpp"

#include "histories/code.hpp"
#include "histories/flow_scenarios.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/testing/world.hpp>

#include <chrono>
#include <string>

namespace belay::histories {

using namespace std::chrono_literals;

namespace {

/// Resumes a run from the last of its events of this kind, under another id, until its end.
template <class Code>
std::string resumed(testing::World& world,
                    const Code& code,
                    const InstanceName& run,
                    const std::string& kind,
                    const std::string& id) {
    EventNo last = 0;
    for (const TimelineEntry& entry : world.client().timeline(run).or_throw().entries) {
        if (entry.text.starts_with(kind)) last = entry.event;
    }
    const auto started = world.client().resume(run, last, RerunOptions().id(id)).or_throw();
    (void)world.wait(code, started.instance.name);
    return world.exported(started.instance.name);
}

}  // namespace

std::map<std::string, std::string> record() {
    testing::World world(code());
    std::map<std::string, std::string> recorded;

    const InstanceName order = world.start(Order, "o1");
    (void)world.wait(Order, order);
    recorded["order"] = world.exported(order);

    recorded["order-resumed"] = resumed(world, Order, order, "CommandCompleted", "order-resumed");

    const InstanceName saga = world.start(Saga, "s1");
    (void)world.wait(Saga, saga);
    recorded["saga"] = world.exported(saga);

    const InstanceName approval = world.start(Approval);
    world.raise(approval, "vote", "early");
    world.advance(1h);
    world.raise(approval, "vote", "late");
    world.run_until_idle();
    recorded["approval-running"] = world.exported(approval);
    (void)world.wait(Approval, approval);
    recorded["approval"] = world.exported(approval);

    const InstanceName fan_out = world.start(FanOut, 5);
    (void)world.wait(FanOut, fan_out);
    recorded["fan-out"] = world.exported(fan_out);

    const InstanceName sums = world.start(Sums, 0, 3);
    for (const int number : {1, 10, 100}) world.enqueue(sums, "numbers", number);
    (void)world.wait(Sums, sums);
    recorded["sums"] = world.exported(sums);

    const InstanceName cleanup = world.start(Cleanup);
    world.run_until_idle();
    world.cancel(cleanup, "no longer needed", "ann");
    (void)world.wait(Cleanup, cleanup);
    recorded["cleanup"] = world.exported(cleanup);

    const InstanceName notes = world.start(Notes, "n1");
    world.enqueue(notes, "numbers", 1);
    (void)world.wait(Notes, notes);
    recorded["notes"] = world.exported(notes);

    const InstanceName terms = world.start(Terms, "t1", 1);
    (void)world.wait(Terms, terms);
    recorded["terms"] = world.exported(terms);

    const InstanceName retired = world.start(Retired, "r1");
    (void)world.wait(Retired, retired);
    recorded["retired"] = world.exported(retired);

    record_flows(recorded);
    record_schedule(recorded);
    return recorded;
}

}  // namespace belay::histories
