// Defects of the system that flows are modelled on, each shown not to be here: the workers. The
// table is in tests/seed-tests.md.
#include "unit/flow/flow_processes.hpp"
#include <belay/exceptions.hpp>

#include <optional>

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOneStep = R"(
belay: 1
name: f
steps: [{id: a, activity: Work}]
)";

constexpr const char* kWithCleanup = R"(
belay: 1
name: f
steps: [{id: a, activity: Work}]
finally: [{id: z, activity: Work}]
)";

constexpr const char* kOnFail = R"(
belay: 1
name: f
steps: [{id: a, activity: Bad}]
on_fail: [{id: tell, activity: Work}]
)";

using OriginDefects = FlowProcesses;

// ---- Canceled for ever -------------------------------------------------------------------------

TEST_F(OriginDefects, ACanceledFlowWhoseWorkerIsDeadDoesNotStayCanceling) {
    Process& dead = flow_process();
    const InstanceName run = start_flow(kOneStep);
    settle();
    ASSERT_EQ(dead.executor.count(), 1U);
    crash(dead);
    EXPECT_EQ(client.cancel(run)->instance.status, Status::canceling);
    EXPECT_FALSE(info(run).settled) << "its handler may still run";
    flow_process();
    settle();
    pass(Policy().grace + Policy().activity_lease);
    EXPECT_TRUE(info(run).settled);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(stopping(), 0U);
}

TEST_F(OriginDefects, ACanceledFlowWithCleanupWhoseWorkerIsDeadDoesNotStayCanceling) {
    Process& dead = flow_process();
    const InstanceName run = start_flow(kWithCleanup);
    settle();
    crash(dead);
    ASSERT_TRUE(client.cancel(run)->changed);
    EXPECT_EQ(status(run), Status::canceling);
    Process& other = flow_process();
    settle();
    ASSERT_EQ(begun(other, "Work"), 1U) << "only `finally`";
    finish_last(other);
    EXPECT_FALSE(info(run).settled) << "the handler of the dead worker may still run";
    pass(Policy().grace + Policy().activity_lease);
    EXPECT_TRUE(info(run).settled);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(outcome(run).cleanup, Cleanup::done);
}

TEST_F(OriginDefects, ACancelDoesNotFailBecauseTheClockWasSetBack) {
    Process& p = flow_process();
    const InstanceName run = start_flow(kOneStep);
    settle();
    clock.set_back(1h);
    const auto canceled = client.cancel(run, CancelOptions().reason("enough"));
    ASSERT_TRUE(canceled.ok()) << canceled.error().describe();
    EXPECT_TRUE(canceled->changed);
    settle();
    finish_last(p);
    EXPECT_EQ(outcome(run).cancel.reason, "enough");
    EXPECT_TRUE(info(run).settled);
}

// ---- Waits -------------------------------------------------------------------------------------

TEST_F(OriginDefects, AWaitDoesNotMissThatItsRunExpires) {
    const FlowStart flow = flow_start(bundle_of(kOneStep), expr::Value(), "ann").or_throw();
    StartOptions options = flow.options;
    ASSERT_TRUE(client.start(flow.flow, flow.input, options.id("run").expires(10s)).ok());
    std::optional<Outcome> seen;
    client.wait(InstanceName{"default", "run"},
                [&](const Result<Outcome>& ended) { seen = ended.or_throw(); });
    client.step();
    EXPECT_FALSE(seen);
    clock.advance(11s);
    flow_process();
    settle();
    client.step();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->status, Status::canceled);
    EXPECT_EQ(seen->cancel.source, CancelSource::policy);
}

// ---- The handler of a failure ------------------------------------------------------------------

TEST_F(OriginDefects, TheHandlerOfAFailureIsNotStuckWhenItsWorkerDies) {
    Process& dead = flow_process();
    const InstanceName run = start_flow(kOnFail);
    const InstanceName handler{"default", "run/~on-fail"};
    settle();
    finish_last(dead);
    ASSERT_EQ(status(run), Status::failed);
    ASSERT_EQ(begun(dead, "Work"), 1U);
    crash(dead);
    Process& other = flow_process();
    settle();
    pass(Policy().activity_lease + Policy().turn_lease);
    ASSERT_EQ(begun(other, "Work"), 1U);
    finish_last(other);
    EXPECT_EQ(status(handler), Status::completed);
}

TEST_F(OriginDefects, AHandlerOfAFailureThatThrowsANumberDoesNotKillTheProcess) {
    Process& p = flow_process();
    std::string text = kOnFail;
    text.replace(text.find("Work"), 4, "Throws");
    (void)start_flow(text);
    settle();
    finish_last(p);
    ASSERT_EQ(begun(p, "Throws"), 1U);
    finish_last(p);
    EXPECT_EQ(status({"default", "run/~on-fail"}), Status::failed);
    const InstanceName next = start_flow(kOneStep, "next");
    settle();
    finish_last(p);
    EXPECT_EQ(status(next), Status::completed);
}

TEST_F(OriginDefects, ACancelOfAFailedRunDoesNotStopTheHandlerOfItsFailure) {
    Process& p = flow_process();
    const InstanceName run = start_flow(kOnFail);
    settle();
    finish_last(p);
    ASSERT_EQ(begun(p, "Work"), 1U);
    EXPECT_FALSE(client.cancel(run)->changed);
    const InstanceName handler{"default", "run/~on-fail"};
    settle();
    EXPECT_EQ(status(handler), Status::running);
    finish_last(p);
    EXPECT_EQ(status(handler), Status::completed);
}

// ---- Results and claims ------------------------------------------------------------------------

TEST_F(OriginDefects, AResultThatComesDuringAShutdownIsNotLost) {
    Process& p = flow_process();
    const InstanceName run = start_flow(kOneStep);
    settle();
    p.runtime->shut_down();
    settle();
    finish_last(p);
    EXPECT_TRUE(queue().empty()) << "nobody is to do it again";
    Process& other = flow_process();
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(other.executor.count(), 0U);
}

// ---- Duplicate starts --------------------------------------------------------------------------

TEST_F(OriginDefects, ADuplicateStartOfAChangedFlowDoesNotAddItsStepsToTheRun) {
    Process& p = flow_process();
    const InstanceName run = start_flow(kOneStep);
    settle();
    const auto before = info(run).document;
    const FlowStart changed = flow_start(bundle_of(R"(
belay: 1
name: f
steps: [{id: a, activity: Work}, {id: b, activity: Work}]
)"),
                                         expr::Value(),
                                         "ann")
                                  .or_throw();
    StartOptions options = changed.options;
    const auto again = client.start(changed.flow, changed.input, options.id("run"));
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().code(), Errc::id_in_use);
    settle();
    EXPECT_EQ(info(run).document, before);
    EXPECT_EQ(p.executor.count(), 1U);
    finish_last(p);
    EXPECT_EQ(outcome(run).output.bytes, R"({"a":{}})");
    EXPECT_EQ(p.executor.count(), 1U);
}

}  // namespace
}  // namespace belay::flow::test
