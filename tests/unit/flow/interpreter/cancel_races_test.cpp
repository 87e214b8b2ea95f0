// A cancel against every end of a flow, in both orders. The commits are forced into their order: no
// time passes, and nothing runs between them.
#include "flows.hpp"

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

/// A flow whose first step waits for the event "go". Its end follows from that event.
class FlowCancelRaces : public ::testing::Test {
protected:
    using Made = std::shared_ptr<const Definition>;

    static Made completes() {
        Flow flow("f");
        flow.step("a", Wait{.event = "go"}).call("last").needs({"a"});
        return flow.made();
    }
    static Made fails() {
        Flow flow("f");
        flow.step("a", Wait{.event = "go"}).call("last", "Bad").needs({"a"});
        flow.failed().call("tell");
        return flow.made();
    }
    static Made ends_early() {
        Flow flow("f");
        flow.step("a", Wait{.event = "go"}).ends_if("steps.a.output == 1").call("other", "Slow");
        return flow.made();
    }
    static void prepare(FlowWorld& flow) {
        flow.hangs("Slow");
        flow.fails("Bad");
    }
    static InstanceName start(FlowWorld& flow) {
        const belay::Definition<Payload(Payload)> handle{"f"};
        const InstanceName run = flow.world().start_with(
            handle, StartOptions().id("run").on_fail(true), Payload(PayloadCodec::json, "{}"));
        flow.world().run_until_idle();
        return run;
    }
    /// Raises the event, which may come too late.
    static void go(FlowWorld& flow, const InstanceName& run) {
        (void)flow.world().client().raise(run, "go", Payload(PayloadCodec::json, "1"));
    }
    static CancelResult cancel(FlowWorld& flow, const InstanceName& run) {
        return flow.world().client().cancel(run, CancelOptions().reason("enough")).or_throw();
    }

    /// The end comes first: the cancel changes nothing.
    static Outcome end_then_cancel(const Made& made) {
        FlowWorld flow({made});
        prepare(flow);
        const InstanceName run = start(flow);
        go(flow, run);
        flow.world().run_until_idle();
        const Outcome ended = flow.wait(run);
        const CancelResult late = cancel(flow, run);
        EXPECT_FALSE(late.changed);
        EXPECT_EQ(late.instance.status, ended.status);
        EXPECT_EQ(flow.wait(run), ended);
        return ended;
    }
    /// The cancel comes first, or before the run has seen what would end it: it decides.
    static void cancel_then_end(const Made& made) {
        for (const bool is_raised_before : {false, true}) {
            FlowWorld flow({made});
            prepare(flow);
            const InstanceName run = start(flow);
            if (is_raised_before) go(flow, run);
            EXPECT_TRUE(cancel(flow, run).changed);
            if (!is_raised_before) go(flow, run);
            const Outcome outcome = flow.wait(run);
            flow.world().run_until_idle();
            EXPECT_EQ(outcome.status, Status::canceled);
            EXPECT_EQ(outcome.cancel.reason, "enough");
            EXPECT_EQ(flow.wait(run), outcome);
            EXPECT_TRUE(flow.calls("Work").empty());
            EXPECT_TRUE(flow.calls("Bad").empty());
            EXPECT_FALSE(flow.world().client().inspect("run/~on-fail").ok());
        }
    }
};

TEST_F(FlowCancelRaces, ACompletionBeforeTheCancelStands) {
    EXPECT_EQ(end_then_cancel(completes()).status, Status::completed);
}

TEST_F(FlowCancelRaces, ACancelBeforeTheCompletionDecides) { cancel_then_end(completes()); }

TEST_F(FlowCancelRaces, AFailureBeforeTheCancelStands) {
    EXPECT_EQ(end_then_cancel(fails()).failure.where, "last");
}

TEST_F(FlowCancelRaces, ACancelBeforeTheFailureDecidesAndNothingHandlesAFailure) {
    cancel_then_end(fails());
}

TEST_F(FlowCancelRaces, AnEarlyEndBeforeTheCancelStands) {
    EXPECT_EQ(end_then_cancel(ends_early()).output.bytes, "1");
}

TEST_F(FlowCancelRaces, ACancelBeforeTheEarlyEndDecides) { cancel_then_end(ends_early()); }

/// A run that is to expire in line: another one has its key.
class FlowCancelAndExpiry : public ::testing::Test {
protected:
    FlowCancelAndExpiry() {
        flow.hangs("Slow");
        start(StartOptions().id("first"));
        run = start(StartOptions().id("run").expires(1min));
    }
    InstanceName start(StartOptions options) {
        const belay::Definition<Payload(Payload)> handle{"f"};
        const InstanceName started =
            flow.world().start_with(handle,
                                    options.concurrency("k", belay::WhenBusy::queue),
                                    Payload(PayloadCodec::json, "{}"));
        flow.world().run_until_idle();
        return started;
    }
    CancelResult cancel() {
        return flow.world().client().cancel(run, CancelOptions().reason("enough")).or_throw();
    }

    FlowWorld flow{Flow("f").call("a", "Slow")};
    InstanceName run;
};

TEST_F(FlowCancelAndExpiry, AnExpiryBeforeTheCancelStands) {
    flow.world().advance(2min);
    EXPECT_FALSE(cancel().changed);
    EXPECT_EQ(flow.wait(run).cancel.source, CancelSource::policy);
    EXPECT_EQ(flow.calls("Slow").size(), 1U) << "that of the first";
}

TEST_F(FlowCancelAndExpiry, ACancelBeforeTheExpiryDecides) {
    EXPECT_TRUE(cancel().changed);
    flow.world().advance(2min);
    EXPECT_EQ(flow.wait(run).cancel.source, CancelSource::user);
    EXPECT_EQ(flow.wait(run).cancel.reason, "enough");
    EXPECT_EQ(flow.calls("Slow").size(), 1U) << "that of the first";
}

}  // namespace
}  // namespace belay::flow::test
