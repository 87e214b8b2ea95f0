// The state of every step and item of a run, for users; and events that are answered.
#include "bundles.hpp"
#include <belay/flow/signals.hpp>
#include <belay/flow/states.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* kSlow = R"(
belay: 1
name: slow
steps:
  - id: quick
    set: "${{ 1 }}"
  - id: a
    activity: Slow
    retry: {attempts: 3}
  - id: b
    needs: [a]
    activity: Slow
)";

constexpr const char* kAsks = R"(
belay: 1
name: asks
params:
  wanted: {type: boolean, default: false}
steps:
  - id: first
    sleep: 1h
  - id: go
    needs: [first]
    wait: {event: go, timeout: 2h, on_timeout: complete}
  - id: other
    if: params.wanted
    wait: {event: never}
  - id: last
    needs: [go]
    sleep: 10h
)";

Payload json(std::string text) { return Payload(PayloadCodec::json, std::move(text)); }

class FlowStatesTest : public BundleWorld {
protected:
    FlowStatesTest() {
        const Activity<Payload(Payload)> slow("Slow");
        world.replace(slow, testing::never_answers());
    }

    InstanceName begin(const char* text, const std::string& id = "run") {
        const Bundle bundle = flow::test::bundle_of(text);
        const auto started = start(bundle, params_of({}), id);
        EXPECT_TRUE(started.ok());
        world.run_until_idle();
        return InstanceName{"default", id};
    }
    FlowStates states(const InstanceName& run) {
        return flow_states(world.client(), run).or_throw();
    }
    static const FlowStepState& step(const FlowStates& states, std::string_view id) {
        const auto found = std::ranges::find(states.steps, id, &FlowStepState::id);
        if (found == states.steps.end()) throw std::out_of_range(std::string(id));
        return *found;
    }
    SignalResult signal(const InstanceName& run, const std::string& event, bool anyway = false) {
        SignalOptions options;
        options.anyway = anyway;
        auto sent = signal_flow(world.client(), run, event, json("1"), options);
        world.run_until_idle();
        return sent.or_throw();
    }
};

// ---- States ------------------------------------------------------------------------------------

TEST_F(FlowStatesTest, HaveTimesAttemptsAndTheWorkerOfARunUnderWay) {
    const InstanceName run = begin(kSlow);
    const FlowStates seen = states(run);
    EXPECT_EQ(seen.flow, "slow");
    EXPECT_EQ(seen.status, Status::running);
    const FlowStepState& a = step(seen, "a");
    EXPECT_EQ(a.state, FlowWorkState::started);
    EXPECT_EQ(a.list, "steps");
    EXPECT_EQ(a.kind, "activity");
    EXPECT_EQ(a.began_at, world.now());
    EXPECT_EQ(a.attempt, 1U);
    EXPECT_EQ(a.attempts, 3U);
    EXPECT_FALSE(a.worker.empty());
    EXPECT_EQ(step(seen, "b").state, FlowWorkState::pending);
    EXPECT_EQ(step(seen, "quick").state, FlowWorkState::completed);
    EXPECT_EQ(step(seen, "quick").ended_at, world.now());
}

TEST_F(FlowStatesTest, TellWhatAStepWaitsForAndUntilWhen) {
    const InstanceName run = begin(kAsks);
    const FlowStates sleeping = states(run);
    ASSERT_TRUE(step(sleeping, "first").waits.has_value());
    EXPECT_EQ(step(sleeping, "first").waits->what, FlowWait::What::time);
    EXPECT_EQ(step(sleeping, "first").waits->until, world.now() + 1h);
    EXPECT_EQ(step(sleeping, "other").state, FlowWorkState::skipped);
    EXPECT_FALSE(step(sleeping, "other").cause.empty());
    world.advance(1h);
    const FlowStates waiting = states(run);
    ASSERT_TRUE(step(waiting, "go").waits.has_value());
    EXPECT_EQ(step(waiting, "go").waits->event, "go");
    EXPECT_EQ(step(waiting, "go").waits->until, world.now() + 2h);
}

TEST_F(FlowStatesTest, HaveTheItemsOfALargeMapWithTheirWorkers) {
    const InstanceName run = begin(R"(
belay: 1
name: large
steps:
  - id: each
    map: lists.range(1100)
    window: 3
    activity: Slow
output: "1"
)");
    const FlowStates seen = states(run);
    const FlowStepState& each = step(seen, "each");
    EXPECT_EQ(each.count, 1'100U);
    ASSERT_EQ(each.items.size(), 1'000U);
    EXPECT_EQ(each.items[2].item, 2U);
    EXPECT_EQ(each.items[2].state, FlowWorkState::started);
    EXPECT_FALSE(each.items[2].worker.empty());
    EXPECT_EQ(each.items[3].state, FlowWorkState::pending);
}

TEST_F(FlowStatesTest, OfACanceledRunAreCancelingUntilItsHandlersHaveEnded) {
    const InstanceName run = begin(kSlow);
    const auto canceled = world.client().cancel(run, CancelOptions().reason("enough").by("ann"));
    ASSERT_TRUE(canceled.ok());
    EXPECT_EQ(canceled->instance.status, Status::canceling);
    const FlowStates stopping = states(run);
    EXPECT_EQ(stopping.status, Status::canceling);
    EXPECT_FALSE(stopping.ended_at.has_value());
    EXPECT_EQ(step(stopping, "a").state, FlowWorkState::canceling);
    EXPECT_EQ(step(stopping, "a").canceled_at, world.now());
    EXPECT_FALSE(step(stopping, "a").ended_at.has_value());
    EXPECT_FALSE(step(stopping, "a").worker.empty());
    EXPECT_EQ(step(stopping, "b").state, FlowWorkState::canceled);
    world.run_until_idle();
    const FlowStates ended = states(run);
    EXPECT_EQ(ended.status, Status::canceled);
    EXPECT_TRUE(ended.ended_at.has_value());
    EXPECT_EQ(step(ended, "a").state, FlowWorkState::canceled);
    EXPECT_EQ(step(ended, "a").cause, "the run was canceled");
}

TEST_F(FlowStatesTest, OfAnEarlyEndNameTheStepAndItsCondition) {
    const InstanceName run = begin(R"(
belay: 1
name: early
params:
  found: {type: integer, default: 0}
steps:
  - id: check
    set: "${{ params.found }}"
    end_flow: steps.check.output == 0
  - id: rest
    needs: [check]
    activity: Slow
)");
    const FlowStates seen = states(run);
    EXPECT_EQ(seen.status, Status::completed);
    EXPECT_EQ(seen.ended_by, "check");
    EXPECT_EQ(seen.ended_why, "steps.check.output == 0");
    EXPECT_EQ(step(seen, "rest").cause, "'check' ended the flow early");
}

TEST_F(FlowStatesTest, ShowTheStepsOfTheRunForTheFailure) {
    const InstanceName run = begin(R"(
belay: 1
name: fails
params:
  none: {type: integer, default: 0}
steps:
  - id: bad
    set: "${{ 1 / params.none }}"
on_fail:
  - id: tell
    activity: Slow
)");
    const FlowStates seen = states(run);
    EXPECT_EQ(seen.status, Status::failed);
    EXPECT_EQ(step(seen, "bad").state, FlowWorkState::failed);
    ASSERT_TRUE(step(seen, "bad").failure.has_value());
    EXPECT_EQ(step(seen, "bad").cause, step(seen, "bad").failure->message);
    EXPECT_EQ(step(seen, "tell").state, FlowWorkState::started);
}

TEST_F(FlowStatesTest, OfARunWithoutADocumentAreAnError) {
    const auto none = flow_states(world.client(), "nobody");
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code(), Errc::not_found);
    ASSERT_TRUE(world.client().start("Plain", Payload(), StartOptions().id("plain")).ok());
    const auto plain = flow_states(world.client(), "plain");
    ASSERT_FALSE(plain.ok());
    EXPECT_EQ(plain.error().code(), Errc::invalid_argument);
}

// ---- Seed 4 ------------------------------------------------------------------------------------

TEST_F(FlowStatesTest, Seed4_TheRemainingNodesOfAnAbortedRunAreSkipped) {
    const InstanceName run = begin(kSlow);
    EXPECT_EQ(control_view(states(run)).status, "RUNNING");
    const Timestamp at = world.now();
    world.cancel(run, "User requested cancellation", "user_123");
    EXPECT_EQ(control_view(states(run)).status, "CANCEL_REQUESTED");
    world.run_until_idle();
    const FlowControlView view = control_view(states(run));
    EXPECT_EQ(view.status, "ABORTED");
    EXPECT_EQ(view.aborted_at, at);
    EXPECT_EQ(view.aborted_by, "user_123");
    EXPECT_EQ(view.abort_reason, "User requested cancellation");
    ASSERT_EQ(view.nodes.size(), 3U);
    EXPECT_EQ(view.nodes[0].status, "completed");
    EXPECT_EQ(view.nodes[1].status, "canceled") << "it had begun";
    EXPECT_EQ(view.nodes[2].status, "skipped");
}

TEST_F(FlowStatesTest, Seed4_AnAbortedRunIsNoFailedOne) {
    const InstanceName run = begin(R"(
belay: 1
name: bad
params:
  none: {type: integer, default: 0}
steps:
  - id: a
    set: "${{ 1 / params.none }}"
)");
    const FlowControlView view = control_view(states(run));
    EXPECT_EQ(view.status, "FAILED");
    EXPECT_FALSE(view.aborted_at.has_value());
    EXPECT_EQ(view.nodes[0].status, "failed");
}

// ---- Signals -----------------------------------------------------------------------------------

TEST_F(FlowStatesTest, AnEventForAStepThatWaitsIsDeliveredAndTheFirstOneWins) {
    const InstanceName run = begin(kAsks);
    world.advance(1h);
    const SignalResult first = signal(run, "go");
    EXPECT_EQ(first.answer, SignalAnswer::delivered);
    EXPECT_TRUE(first.sent);
    EXPECT_EQ(step(states(run), "go").state, FlowWorkState::completed);
    const SignalResult second = signal(run, "go");
    EXPECT_EQ(second.answer, SignalAnswer::already);
    EXPECT_FALSE(second.sent);
}

TEST_F(FlowStatesTest, AnEventThatIsNotReceivedYetIsThereAlready) {
    const InstanceName run = begin(kAsks);
    world.advance(1h);
    ASSERT_TRUE(world.client().raise(run, "go", json("1")).ok());
    const auto second = signal_flow(world.client(), run, "go", json("2"));
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->answer, SignalAnswer::already);
}

TEST_F(FlowStatesTest, AnEarlyEventIsKeptAndTheSecondOneIsThereAlready) {
    const InstanceName run = begin(kAsks);
    const SignalResult early = signal(run, "go");
    EXPECT_EQ(early.answer, SignalAnswer::kept);
    EXPECT_TRUE(early.sent);
    EXPECT_THAT(early.why, HasSubstr("'go' has not begun"));
    EXPECT_EQ(signal(run, "go").answer, SignalAnswer::already);
    world.advance(1h);
    EXPECT_EQ(step(states(run), "go").state, FlowWorkState::completed);
}

TEST_F(FlowStatesTest, AnEventThatNoStepWaitsForIsNotExpectedAndNotSent) {
    const InstanceName run = begin(kAsks);
    const SignalResult unknown = signal(run, "gone");
    EXPECT_EQ(unknown.answer, SignalAnswer::not_expected);
    EXPECT_FALSE(unknown.sent);
    EXPECT_THAT(unknown.why, HasSubstr("no step waits for 'gone'"));
    const SignalResult late = signal(run, "never");
    EXPECT_EQ(late.answer, SignalAnswer::not_expected);
    EXPECT_THAT(late.why, HasSubstr("'other' is skipped"));
    const SignalResult anyway = signal(run, "gone", true);
    EXPECT_EQ(anyway.answer, SignalAnswer::not_expected);
    EXPECT_TRUE(anyway.sent);
}

TEST_F(FlowStatesTest, AnEventAfterTheTimeoutOfItsWaitIsNotExpected) {
    const InstanceName run = begin(kAsks);
    world.advance(1h);
    world.advance(2h);
    EXPECT_EQ(step(states(run), "go").state, FlowWorkState::completed);
    EXPECT_EQ(signal(run, "go").answer, SignalAnswer::not_expected);
}

TEST_F(FlowStatesTest, EachStepThatWaitsForTheSameEventTakesOne) {
    const InstanceName run = begin(R"(
belay: 1
name: two
steps:
  - id: one
    wait: {event: go}
  - id: two
    wait: {event: go}
  - id: last
    sleep: 1h
)");
    EXPECT_EQ(signal(run, "go").answer, SignalAnswer::delivered);
    EXPECT_EQ(signal(run, "go").answer, SignalAnswer::delivered);
    EXPECT_EQ(signal(run, "go").answer, SignalAnswer::already);
}

TEST_F(FlowStatesTest, TheEventOfAnApprovalIsKnownByItsStepAndItem) {
    const InstanceName run = begin(R"(
belay: 1
name: ask
steps:
  - id: ok
    approval: {prompt: "Go?"}
)");
    EXPECT_EQ(signal(run, "approval/other").answer, SignalAnswer::not_expected);
    EXPECT_EQ(signal(run, "approval/ok/1").answer, SignalAnswer::not_expected);
    EXPECT_EQ(signal(run, "approval/ok").answer, SignalAnswer::delivered);
}

TEST_F(FlowStatesTest, AnEventForARunThatHasEndedIsRefusedByTheRun) {
    const InstanceName run = begin("belay: 1\nname: f\nsteps: [{id: a, set: \"${{ 1 }}\"}]\n");
    const auto sent = signal_flow(world.client(), run, "go", json("1"));
    ASSERT_FALSE(sent.ok());
    EXPECT_EQ(sent.error().code(), Errc::already_ended);
}

}  // namespace
}  // namespace belay::flow::test
