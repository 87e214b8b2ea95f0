// Cancels of one step by a client: the run that works on it, and the answers.
#include "unit/flow/bundles.hpp"
#include <belay/flow/cancel_step.hpp>

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kMain = R"flow(
belay: 1
name: f
steps:
  - {id: quick, set: 1}
  - {id: load, map: "lists.range(3)", items_may_fail: 1, activity: Slow}
  - {id: large, map: "lists.range(1500)", window: 2, items_may_fail: true, activity: Slow}
  - {id: sub, flow: inner, may_fail: true}
  - {id: later, needs: [load], set: 2}
output: "1"
)flow";

constexpr const char* kInner = R"(
belay: 1
name: inner
steps: [{id: work, activity: Slow}]
)";

class CancelStepTest : public BundleWorld {
protected:
    CancelStepTest() {
        world.replace(Activity<Payload(Payload)>{"Slow"}, testing::never_answers());
        EXPECT_TRUE(start(bundle_of(kMain, {{"inner", kInner}}), expr::Value(), "run").ok());
        world.run_until_idle();
    }
    Result<CancelStepResult> cancel(const std::string& step, const std::string& run = "run") {
        auto canceled =
            cancel_step(world.client(), run, step, CancelStepOptions().reason("slow").by("ann"));
        world.run_until_idle();
        return canceled;
    }
    std::string refusal(const std::string& step, Errc code, const std::string& run = "run") {
        const auto canceled = cancel(step, run);
        if (canceled) return "it was canceled";
        EXPECT_EQ(canceled.error().code(), code);
        return canceled.error().message();
    }
};

TEST_F(CancelStepTest, AnItemOfAMapIsCanceledAndTheRunGoesOn) {
    const auto canceled = cancel("load[1]").or_throw();
    EXPECT_TRUE(canceled.changed);
    EXPECT_EQ(canceled.state, "started");
    const auto again = cancel("load[1]").or_throw();
    EXPECT_FALSE(again.changed);
    EXPECT_EQ(again.state, "canceled");
    EXPECT_EQ(status("run"), Status::running);
    (void)cancel("load[0]").or_throw();
    ASSERT_EQ(status("run"), Status::failed);
    EXPECT_EQ(info("run").outcome->failure.where, "load[0]");
    EXPECT_EQ(info("run").outcome->failure.message, "canceled by ann: slow");
}

TEST_F(CancelStepTest, AnItemOfALargeMapIsCanceledInTheRunThatHasIt) {
    EXPECT_TRUE(cancel("large[1]").or_throw().changed);
    EXPECT_EQ(cancel("large[1]").or_throw().state, "canceled");
    EXPECT_EQ(cancel("large[2]").or_throw().state, "started") << "it took its place";
    EXPECT_NE(refusal("large[1200]", Errc::not_found).find("yet"), std::string::npos);
}

TEST_F(CancelStepTest, AStepOfASubFlowIsNamedByItsPath) {
    EXPECT_TRUE(cancel("sub/work").or_throw().changed);
    EXPECT_EQ(status("run/sub"), Status::failed);
    EXPECT_EQ(status("run"), Status::running);
    EXPECT_FALSE(cancel("sub").or_throw().changed);
}

TEST_F(CancelStepTest, AStepThatHasEndedIsNotChanged) {
    const auto late = cancel("quick").or_throw();
    EXPECT_FALSE(late.changed);
    EXPECT_EQ(late.state, "completed");
    ASSERT_TRUE(world.client().cancel("run").ok());
    EXPECT_EQ(cancel("later").or_throw().state, "canceled");
}

TEST_F(CancelStepTest, AStepThatIsNotThereIsNotFound) {
    EXPECT_EQ(refusal("nobody", Errc::not_found), "'run' has no 'nobody'");
    EXPECT_EQ(refusal("load[3]", Errc::not_found), "'run' has no 'load[3]'");
    EXPECT_EQ(refusal("quick[0]", Errc::not_found), "'run' has no 'quick[0]'");
    EXPECT_EQ(refusal("later/x", Errc::not_found), "'run' has no 'later' that has started a flow");
    EXPECT_FALSE(refusal("quick", Errc::not_found, "nobody").empty());
}

TEST_F(CancelStepTest, ATextThatIsNoStepIsRefused) {
    for (const char* const text : {"", "[3]", "load[", "load[x]", "load[1]x", "sub//work", "/"}) {
        EXPECT_NE(refusal(text, Errc::invalid_argument).find("is no step"), std::string::npos);
    }
}

TEST_F(CancelStepTest, ARunOfNoFlowIsRefused) {
    const belay::Definition<Payload(Payload)> plain{"plain"};
    world.add(plain, [](OrchestrationContext, Payload input) -> Orchestration<Payload> {
        co_return input;
    });
    (void)world.start_with(plain, StartOptions().id("plain"), Payload());
    world.run_until_idle();
    EXPECT_NE(refusal("a", Errc::invalid_argument, "plain").find("no run of a flow"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
