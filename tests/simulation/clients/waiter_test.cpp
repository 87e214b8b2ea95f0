// Clients that wait are told, and the checks of the answers can fail.
#include "simulation/clients/waiter.hpp"

#include "simulation/races/stage.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace belay::sim::waiter_tests {
namespace {

/// A run that is done, one that waits for an event, and somebody who waits for runs.
class WaiterTest : public ::testing::Test {
protected:
    WaiterTest() {
        stage_.boot(0);
        stage_.start("done", "(g(u 7))");
        stage_.start("waiting", "(g(u 7)(e 0 0))");
        stage_.run();
        stage_.pass(Millis(10));
    }

    /// Lets everything happen that is due. The test decides about notifications.
    void run() {
        for (;;) {
            const std::optional<Millis> due = waiter_.next_due();
            if (due && *due <= stage_.time().now()) {
                waiter_.step();
            } else if (!transport_.calls().empty()) {
                StoreCall& call = *transport_.calls().front();
                call.applied ? transport_.answer(call) : transport_.apply(call);
            } else {
                return;
            }
        }
    }
    void end_what_waits() {
        stage_.client().raise(InstanceName{kSpace, "waiting"},
                              kEvents[0],
                              Payload::text("m1"),
                              "",
                              [](const Result<InstanceBrief>&) {});
        stage_.run();
        ASSERT_EQ(stage_.status("waiting"), Status::completed);
    }
    void doctor(const std::function<void(memory::Run&)>& change) {
        stage_.true_store().with_tables([&](memory::Tables& tables) {
            change(*memory::find_run(tables, InstanceName{kSpace, "waiting"}));
        });
    }
    [[nodiscard]] RunRef waiting() { return stage_.instance("waiting")->ref; }
    [[nodiscard]] std::string broken() {
        return stage_.violations().any() ? stage_.violations().first()->invariant : "nothing";
    }

    Stage stage_{1};
    Trace trace_{false, stage_.time().ms};
    Transport transport_{stage_.time(), trace_};
    Rng rng_{1};
    Waiter waiter_{stage_.time(),
                   stage_.true_store(),
                   transport_,
                   trace_,
                   stage_.violations(),
                   stage_.observer().records(),
                   rng_,
                   9,
                   stage_.policy()};
};

TEST_F(WaiterTest, IsToldAtOnceOfWhatHasEnded) {
    waiter_.wait_for_end("done");
    run();
    EXPECT_EQ(waiter_.waiting(), 0U);
    EXPECT_EQ(waiter_.counts().at_once, 1U);
    EXPECT_EQ(broken(), "nothing");
}
TEST_F(WaiterTest, IsWokenByANotification) {
    waiter_.wait_for_end("waiting");
    run();
    end_what_waits();
    run();
    EXPECT_EQ(waiter_.waiting(), 1U);
    waiter_.hear_end(waiting());
    run();
    EXPECT_EQ(waiter_.waiting(), 0U);
    EXPECT_EQ(waiter_.counts().by_notice, 1U);
    EXPECT_EQ(broken(), "nothing");
}
TEST_F(WaiterTest, IsToldByThePollWhenItHearsNothing) {
    waiter_.wait_for_status("waiting", 1);
    run();
    end_what_waits();
    stage_.pass(stage_.policy().poll_interval);
    run();
    EXPECT_EQ(waiter_.waiting(), 0U);
    EXPECT_EQ(waiter_.counts().by_poll, 1U);
    EXPECT_EQ(broken(), "nothing");
}
TEST_F(WaiterTest, IsToldThatARunHasSettled) {
    waiter_.wait_for_settling("waiting");
    run();
    end_what_waits();
    waiter_.hear_end(waiting());
    run();
    EXPECT_EQ(waiter_.waiting(), 0U);
    EXPECT_EQ(waiter_.counts().settled, 1U);
    EXPECT_EQ(broken(), "nothing");
}
TEST_F(WaiterTest, IsToldOfAKeyValue) {
    stage_.start("counting", "(g(v 0 0)(e 0 0))");
    stage_.run();
    waiter_.wait_for_value("counting", "v0", std::nullopt);
    run();
    EXPECT_EQ(waiter_.counts().of_value, 1U);
    EXPECT_EQ(broken(), "nothing");
}
TEST_F(WaiterTest, HearsOfTheTopicOfItsWait) {
    waiter_.wait_for_value("waiting", "v0", std::nullopt);
    run();
    end_what_waits();
    waiter_.hear_status(waiting());
    run();
    EXPECT_EQ(waiter_.waiting(), 1U);
    waiter_.hear_values(waiting());
    run();
    EXPECT_EQ(waiter_.waiting(), 0U);
    EXPECT_EQ(waiter_.counts().by_notice, 1U);
    EXPECT_EQ(broken(), "nothing");
}
TEST_F(WaiterTest, IsNotToldWhenItHasLeft) {
    waiter_.wait_for_end("waiting");
    waiter_.step();
    end_what_waits();
    waiter_.leave();
    run();
    EXPECT_EQ(waiter_.counts().at_once + waiter_.counts().by_notice, 0U);
    EXPECT_EQ(broken(), "nothing");
}

TEST_F(WaiterTest, FindsAnEndBeforeItsTime) {
    doctor([](memory::Run& one) {
        one.status = Status::completed;
        one.outcome = Outcome();
    });
    waiter_.wait_for_end("waiting");
    run();
    EXPECT_EQ(broken(), "a wait for the end tells how its run ended");
}
TEST_F(WaiterTest, FindsAnotherOutcome) {
    end_what_waits();
    doctor([](memory::Run& one) { one.outcome->output.bytes = "other"; });
    waiter_.wait_for_end("waiting");
    run();
    EXPECT_EQ(broken(), "a wait for the end tells how its run ended");
}
TEST_F(WaiterTest, FindsACustomStatusThatWasNotSet) {
    doctor([](memory::Run& one) { one.custom_status = Payload::text("at 8"); });
    waiter_.wait_for_status("waiting", 0);
    run();
    EXPECT_EQ(broken(), "a wait tells of a custom status that was set");
}
TEST_F(WaiterTest, FindsAVersionThatWasNotSet) {
    doctor([](memory::Run& one) { ++one.custom_status_version; });
    waiter_.wait_for_status("waiting", 1);
    run();
    EXPECT_EQ(broken(), "a wait tells of a custom status that was set");
}
TEST_F(WaiterTest, FindsAKeyValueThatWasNotSet) {
    doctor([](memory::Run& one) { one.key_values["v0"] = Payload::text("8"); });
    waiter_.wait_for_value("waiting", "v0", std::nullopt);
    run();
    EXPECT_EQ(broken(), "a wait tells of a key-value that the run had");
}
TEST_F(WaiterTest, FindsARunThatIsNotGone) {
    waiter_.wait_for_end("waiting");
    run();
    const RunRef ref = waiting();
    stage_.true_store().with_tables([&](memory::Tables& tables) { tables.runs.erase(ref); });
    waiter_.hear_end(ref);
    run();
    EXPECT_EQ(broken(), "a wait fails only when its run is gone");
}
TEST_F(WaiterTest, FindsALostWakeUp) {
    waiter_.wait_for_end("waiting");
    run();
    const Millis quiet_since = stage_.time().now();
    stage_.pass(Millis(10));
    end_what_waits();
    waiter_.check_wake_ups(quiet_since);
    EXPECT_EQ(broken(), "nothing");
    stage_.pass(Waiter::kWakeUp + Millis(5));
    waiter_.check_wake_ups(quiet_since);
    EXPECT_EQ(broken(), "a wait whose notification arrives is woken by it");
}
TEST_F(WaiterTest, FindsAWaitThatOutlivesItsRun) {
    waiter_.wait_for_end("waiting");
    run();
    end_what_waits();
    const Millis quiet_since = stage_.time().now();
    stage_.pass(stage_.policy().poll_interval);
    waiter_.check_wake_ups(quiet_since);
    EXPECT_EQ(broken(), "nothing");
    stage_.pass(Waiter::kWakeUp + Millis(5));
    waiter_.check_wake_ups(quiet_since);
    EXPECT_EQ(broken(), "no wait outlives its run by more than a poll interval");
}

}  // namespace
}  // namespace belay::sim::waiter_tests
