// The order of steps: sequences, diamonds, skipping, joins, early ends.
#include "flows.hpp"

namespace belay::flow::test {
namespace {

TEST(FlowGraph, RunsASequenceAndPassesOutputsOn) {
    FlowWorld flow(Flow("f")
                       .call("a")
                       .with("n", "${{ params }}")
                       .call("b")
                       .needs({"a"})
                       .with("n", "${{ steps.a.output }}")
                       .output("${{ steps.b.output }}"));
    EXPECT_EQ(flow.result(), R"({"n":{"n":{}}})");
    EXPECT_EQ(flow.calls().size(), 2U);
}

TEST(FlowGraph, RunsBranchesOfADiamondAtTheSameTime) {
    Flow made("f");
    made.call("a").call("b", "Slow").needs({"a"}).call("c", "Slow").needs({"a"});
    made.call("d").needs({"b", "c"});
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(flow.calls("Slow").size(), 2U);
    EXPECT_EQ(flow.states(run), "a:completed b:queued c:queued d:pending");
}

TEST(FlowGraph, TheOutputIsThatOfTheLastStepsByDefault) {
    FlowWorld flow(Flow("f").set("a", "1").set("b", "x").set("c", "y").after({"a"}));
    EXPECT_EQ(flow.result(), R"({"b":"x","c":"y"})");
}

TEST(FlowGraph, AFalseConditionSkipsAStepAndAllThatNeedIt) {
    Flow made("f");
    made.set("a", "1").only_if("false").set("b", "2").needs({"a"}).set("c", "3").needs({"b"});
    made.set("d", "4");
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), R"({"d":"4"})");
    EXPECT_EQ(flow.states(run), "a:skipped b:skipped c:skipped d:completed");
    const FlowPicture picture = flow.picture(run);
    EXPECT_EQ(find_step(picture, "a")->reason, "its condition is false");
    EXPECT_EQ(find_step(picture, "c")->reason, "it needs 'b', which was skipped");
}

TEST(FlowGraph, BranchesJoinAgainAfterASkippedStep) {
    Flow made("f");
    made.set("a", "1").only_if("false").set("b", "2");
    made.set("c", "${{ steps.a.?output.orValue('none') }}").needs({"b"}).after({"a"});
    FlowWorld flow(made.output("${{ steps.c.output }}"));
    EXPECT_EQ(flow.result(), R"("none")");
}

TEST(FlowGraph, AConditionThatCannotBeEvaluatedFailsTheStepAndNamesThePlace) {
    FlowWorld flow(Flow("f").set("a", "1").only_if("params.x > 1"));
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.where, "a");
    EXPECT_EQ(outcome.failure.kind, FailureKind::application);
    EXPECT_NE(outcome.failure.message.find("line 1, column 8"), std::string::npos)
        << outcome.failure.message;
}

TEST(FlowGraph, AConditionMustBeABoolean) {
    FlowWorld flow(Flow("f").set("a", "1").only_if("1 + 1"));
    EXPECT_NE(flow.result().find("must be true or false"), std::string::npos);
}

TEST(FlowGraph, AFailedStepFailsTheFlowAtOnceAndCancelsTheOthers) {
    Flow made("f");
    made.call("a", "Bad").call("b", "Slow").call("c").needs({"b"});
    FlowWorld flow(made);
    flow.fails("Bad");
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.failure.where, "a");
    EXPECT_EQ(outcome.failure.message, "no luck");
    EXPECT_EQ(flow.states(run), "a:failed b:canceled c:canceled");
    EXPECT_EQ(find_step(flow.picture(run), "c")->reason, "'a' failed");
}

TEST(FlowGraph, AStepThatMayFailSkipsOnlyWhatNeedsIt) {
    Flow made("f");
    made.call("a", "Bad").may_fail().set("b", "1").needs({"a"});
    made.set("c", "${{ steps.a.status }} ${{ steps.a.failure.message }}").after({"a"});
    FlowWorld flow(made);
    flow.fails("Bad");
    const InstanceName run = flow.start();
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), R"({"c":"failed no luck"})");
    EXPECT_EQ(flow.states(run), "a:failed b:skipped c:completed");
}

TEST(FlowGraph, AStepCanEndTheFlowEarly) {
    Flow made("f");
    made.call("slow", "Slow").set("a", "done").ends_if("steps.a.output == 'done'");
    made.set("b", "no").needs({"a"}).output("${{ steps.a.output }}");
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), R"("done")");
    EXPECT_EQ(flow.states(run), "slow:canceled a:completed b:canceled");
    EXPECT_EQ(flow.picture(run).ended_by, "a");
}

TEST(FlowGraph, AFlowThatAStepEndsHasTheOutputOfThatStep) {
    Flow made("f");
    made.set("a", "done").ends_if("steps.a.output == 'done'").set("b", "no").needs({"a"});
    EXPECT_EQ(FlowWorld(made).result(), R"("done")");
    made.output("${{ steps.b.output }}");
    EXPECT_EQ(FlowWorld(made).result(), R"("done")");
}

TEST(FlowGraph, AMapThatEndsTheFlowKeepsItsResults) {
    Flow made("f");
    made.set("a", "${{ item }}").map("[1, 2]").ends_if("true").set("b", "no").needs({"a"});
    EXPECT_EQ(FlowWorld(made.output("no")).result(), "[1,2]");
}

TEST(FlowGraph, AFalseEndFlowLetsTheFlowGoOn) {
    FlowWorld flow(
        Flow("f").set("a", "1").ends_if("steps.a.output == '2'").set("b", "x").needs({"a"}));
    EXPECT_EQ(flow.result(), R"({"b":"x"})");
}

TEST(FlowGraph, AnOutputThatCannotBeEvaluatedFailsTheFlow) {
    FlowWorld flow(Flow("f").set("a", "1").output("${{ steps.a.output.b }}"));
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.failure.where, "output");
}

TEST(FlowGraph, RunsAThousandStepsInSequence) {
    Flow made("f");
    made.set("s0", "0");
    for (int i = 1; i < 1'000; ++i) {
        made.set("s" + std::to_string(i), "x").needs({"s" + std::to_string(i - 1)});
    }
    FlowWorld flow(made, quick());
    EXPECT_EQ(flow.result(), R"({"s999":"x"})");
}

TEST(FlowGraph, FinallyRunsAfterSuccessAndSeesTheOutcome) {
    Flow made("f");
    made.set("a", "1").finally().call("z").with("o", "${{ outcome.status }}");
    made.with("a", "${{ steps.a.output }}");
    FlowWorld flow(made);
    EXPECT_EQ(flow.result(), R"({"a":"1"})");
    EXPECT_EQ(flow.calls(), (std::vector<std::string>{R"({"o":"completed","a":"1"})"}));
}

TEST(FlowGraph, FinallyRunsAfterAFailure) {
    Flow made("f");
    made.call("a", "Bad").finally().call("z").with("m", "${{ outcome.failure.message }}");
    FlowWorld flow(made);
    flow.fails("Bad");
    EXPECT_EQ(flow.result(), "a: no luck");
    EXPECT_EQ(flow.calls(), (std::vector<std::string>{R"({"m":"no luck"})"}));
}

TEST(FlowGraph, AFailureOfFinallyFailsAFlowThatWouldHaveCompleted) {
    FlowWorld flow(Flow("f").set("a", "1").finally().call("z", "Bad"));
    flow.fails("Bad");
    EXPECT_EQ(flow.result(), "z: no luck");
}

TEST(FlowGraph, AFailureOfFinallyIsADetailOfAnEarlierOne) {
    Flow made("f");
    made.call("a", "Bad").finally().call("z", "Bad");
    FlowWorld flow(made);
    flow.fails("Bad");
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.where, "a");
    EXPECT_NE(outcome.failure.detail.find("finally: z: no luck"), std::string::npos);
}

TEST(FlowGraph, OnFailIsARunOfItsOwnThatSeesTheFailure) {
    Flow made("f");
    made.call("a", "Bad")
        .failed()
        .call("tell")
        .with("text", "${{ failure.step }}: ${{ failure.message }}");
    FlowWorld flow(made);
    RunInput input;
    input.entry = EntryPoint::on_fail;
    input.failure = Failure{.message = "no luck", .where = "dump[17]"};
    const InstanceName run = flow.start(encode_input(input).bytes);
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.calls(), (std::vector<std::string>{R"({"text":"dump: no luck"})"}));
    EXPECT_TRUE(flow.calls("Bad").empty());
}

TEST(FlowFailure, ASubFlowThatFailsHasItsOwnHandler) {
    Flow inner("inner");
    inner.call("a", "Bad").failed().call("tell").with("why", "${{ failure.message }}");
    Flow outer("outer");
    outer.step("part", SubFlow{"inner", true});
    FlowWorld flow({outer.made(), inner.made()});
    flow.fails("Bad");
    const InstanceName run = flow.start();
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), "part: no luck");
    flow.world().run_until_idle();
    EXPECT_EQ(flow.calls(), std::vector<std::string>{R"({"why":"no luck"})"});
    const InstanceName handler{"default", "run/part/~on-fail"};
    EXPECT_EQ(flow.world().status(handler), Status::completed);
}

TEST(FlowFailure, ASubFlowWithWrongParamsHasItsHandlerToo) {
    Flow inner("inner");
    inner.call("a")
        .failed()
        .call("tell")
        .with("given", "${{ params.n }}")
        .with("why", "${{ failure.type }}");
    inner.raw().params.push_back(Param{.name = "n", .place = {}, .type = ParamType::integer});
    Flow outer("outer");
    outer.step("part", SubFlow{"inner", true}).with("n", "many");
    FlowWorld flow({outer.made(), inner.made()});
    EXPECT_EQ(flow.run().status, Status::failed);
    flow.world().run_until_idle();
    EXPECT_EQ(flow.calls(), std::vector<std::string>{R"({"given":"many","why":"params"})"});
}

TEST(FlowFailure, ASubFlowWhoseHistoryIsFullHasItsHandlerToo) {
    Flow inner("inner");
    inner.call("a0");
    for (int i = 1; i < 10; ++i) {
        inner.call("a" + std::to_string(i)).needs({"a" + std::to_string(i - 1)});
    }
    inner.failed().call("tell").with("kind", "${{ failure.kind }}");
    Flow outer("outer");
    outer.step("part", SubFlow{"inner", true});
    Limits limits;
    limits.history_events = 20;
    FlowWorld flow({outer.made(), inner.made()}, testing::WorldOptions().limits(limits));
    EXPECT_EQ(flow.run().failure.kind, FailureKind::limit);
    flow.world().run_until_idle();
    EXPECT_EQ(flow.calls().back(), R"({"kind":"limit"})");
}

TEST(FlowFailure, FlowsThatStartThemselvesWithoutEndFail) {
    Flow made("f");
    made.step("again", SubFlow{"f"});
    FlowWorld flow(made);
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.kind, FailureKind::limit);
    EXPECT_NE(outcome.failure.message.find("more than 32 levels"), std::string::npos)
        << outcome.failure.message;
}

TEST(FlowFinally, SeesTheStepsThatDidNotEndAsCanceled) {
    Flow made("f");
    made.call("a", "Bad")
        .sleep("b", "1h")
        .finally()
        .call("z")
        .with("s", "${{ steps.a.status }} ${{ steps.b.status }}");
    FlowWorld flow(made);
    flow.fails("Bad");
    EXPECT_EQ(flow.result(), "a: no luck");
    EXPECT_EQ(flow.calls(), std::vector<std::string>{R"({"s":"failed canceled"})"});
}

TEST(FlowCondition, AFalseConditionOfTheFlowSkipsTheRun) {
    Flow made("f");
    made.call("a");
    made.raw().params.push_back(Param{.name = "go", .place = {}, .type = ParamType::boolean});
    made.raw().condition = program("params.go");
    FlowWorld flow(made);
    EXPECT_EQ(flow.run(R"({"go":false})").status, Status::skipped);
    EXPECT_TRUE(flow.calls().empty());
    EXPECT_EQ(flow.states(InstanceName{"default", "run"}), "a:skipped");
}

}  // namespace
}  // namespace belay::flow::test
