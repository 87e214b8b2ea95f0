// Maps: order, windows, failures of items, and items in children.
#include "flow/interpreter/maps.hpp"

#include "flows.hpp"

#include <chrono>

namespace belay::flow::test {
namespace {

expr::Value number(std::int64_t value) { return expr::Value(value); }

/// A flow that maps the activity "Item" over the numbers from 0 on.
Flow mapped(const std::string& over, std::uint32_t window = 16, std::uint32_t may_fail = 0) {
    Flow made("f");
    made.raw().params.push_back(Param{.name = "list", .place = {}, .required = false});
    made.call("m", "Item").map(over, window, may_fail).with("n", "${{ item }}");
    return made;
}

std::string list_of(int count) {
    std::string json = R"({"list":[)";
    for (int i = 0; i < count; ++i) json.append(i > 0 ? "," : "").append(std::to_string(i));
    return json + "]}";
}

const expr::Value& n_of(const expr::Value& input) { return *input.map().find("n"); }

TEST(FlowMap, GivesTheResultsInTheOrderOfTheItems) {
    FlowWorld flow(mapped("[3, 1, 2]").output("${{ steps.m.output }}"));
    flow.does("Item", [](const expr::Value& in) { return number(n_of(in).integer() * 10); });
    EXPECT_EQ(flow.result(), "[30,10,20]");
}

TEST(FlowMap, AnEmptyListCompletesAtOnce) {
    FlowWorld flow(mapped("[]").output("${{ [steps.m.output, steps.m.failed] }}"));
    EXPECT_EQ(flow.result(), "[[],[]]");
    EXPECT_TRUE(flow.calls("Item").empty());
}

TEST(FlowMap, OverSomethingThatIsNoListFailsTheStep) {
    FlowWorld flow(mapped("42"));
    EXPECT_EQ(flow.result(),
              "m: line 1, column 1: a map needs a list, not a value of the type int");
}

TEST(FlowMap, AnItemSeesItsElementAndItsNumber) {
    Flow made("f");
    made.set("m", "${{ host }} ${{ index }} ${{ step.key }}").map("['a', 'b']");
    made.last().map->as = "host";
    FlowWorld flow(made.output("${{ steps.m.output }}"));
    EXPECT_EQ(flow.result(), R"(["a 0 run/m[0]","b 1 run/m[1]"])");
}

TEST(FlowMap, KeepsOnlyAWindowOfItemsInTheQueue) {
    FlowWorld flow(mapped("params.list", 3));
    flow.hangs("Item");
    const InstanceName run = flow.start(list_of(10));
    flow.world().run_until_idle();
    EXPECT_EQ(flow.calls("Item").size(), 3U);
    const FlowPicture picture = flow.picture(run);
    const StepPicture& step = *find_step(picture, "m");
    EXPECT_EQ(step.count, 10U);
    EXPECT_EQ(step.items[2].status, StepStatus::queued);
    EXPECT_EQ(step.items[3].status, StepStatus::pending);
}

TEST(FlowMap, AFailedItemFailsTheStepAndCancelsTheOtherItems) {
    FlowWorld flow(mapped("params.list", 2));
    flow.does("Item", [](const expr::Value& in) {
        if (n_of(in).integer() == 3) throw std::runtime_error("three");
        return n_of(in);
    });
    const InstanceName run = flow.start(list_of(10));
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), "m[3]: three");
    const FlowPicture picture = flow.picture(run);
    EXPECT_EQ(find_step(picture, "m")->status, StepStatus::failed);
    EXPECT_EQ(find_step(picture, "m")->items[3].status, StepStatus::failed);
    EXPECT_EQ(find_step(picture, "m")->items[9].status, StepStatus::canceled);
}

TEST(FlowMap, SomeItemsMayFail) {
    Flow made = mapped("params.list", 4, 2);
    made.output("${{ [steps.m.output, steps.m.failed.map(f, f.item), steps.m.items] }}");
    FlowWorld flow(made);
    flow.does("Item", [](const expr::Value& in) {
        if (n_of(in).integer() % 4 == 1) throw std::runtime_error("bad");
        return n_of(in);
    });
    EXPECT_EQ(flow.result(list_of(8)), "[[0,2,3,4,6,7],[1,5],8]");
}

TEST(FlowMap, OneFailureTooManyFailsTheStep) {
    FlowWorld flow(mapped("params.list", 1, 2));
    flow.fails("Item");
    const Outcome outcome = flow.run(list_of(8));
    EXPECT_EQ(outcome.failure.where, "m[2]");
    EXPECT_EQ(outcome.failure.detail, "3 items have failed; 2 may");
    EXPECT_EQ(flow.calls("Item").size(), 3U);
}

TEST(FlowMap, AllItemsMayFail) {
    Flow made = mapped("params.list");
    made.last().map->any_may_fail = true;
    FlowWorld flow(made.output("${{ steps.m.failed.size() }}"));
    flow.fails("Item");
    EXPECT_EQ(flow.result(list_of(5)), "5");
}

TEST(FlowMap, EachItemIsRetriedOnItsOwn) {
    FlowWorld flow(mapped("params.list").retry(3).output("${{ steps.m.output }}"));
    std::map<std::int64_t, int> tries;
    flow.does("Item", [&](const expr::Value& in) {
        if (++tries[n_of(in).integer()] < 3) throw std::runtime_error("again");
        return n_of(in);
    });
    EXPECT_EQ(flow.result(list_of(4)), "[0,1,2,3]");
    EXPECT_EQ(flow.calls("Item").size(), 12U);
}

TEST(FlowMap, AMapOfValuesNeedsNoActivity) {
    Flow made("f");
    made.set("m", "${{ item * 2 }}").map("[1, 2, 3]").output("${{ steps.m.output }}");
    FlowWorld flow(made);
    EXPECT_EQ(flow.result(), "[2,4,6]");
}

/// A payload limit that the results of a few hundred items exceed.
testing::WorldOptions narrow() {
    Limits limits;
    limits.payload_bytes = 64 * 1024;
    return quick().limits(limits);
}

// ---- Children ----------------------------------------------------------------------------------

TEST(FlowMap, RunsALargeMapInChildrenOfBoundedSize) {
    Flow made = mapped("params.list", 100);
    made.output("${{ [steps.m.output.size(), steps.m.output[2499]] }}");
    FlowWorld large(made, quick());
    large.does("Item", [](const expr::Value& in) { return n_of(in); });
    const InstanceName run = large.start(list_of(2'500));
    EXPECT_EQ(FlowWorld::shown(large.wait(run)), "[2500,2499]");
    const FlowPicture picture = large.picture(run);
    const StepPicture& step = *find_step(picture, "m");
    ASSERT_EQ(step.chunks.size(), 3U);
    EXPECT_EQ(step.chunks[2].child, "run/m-3");
    EXPECT_EQ(step.chunks[2].count, 500U);
    EXPECT_TRUE(step.items.empty());
}

TEST(FlowMap, ThePictureOfAChildHasItsItems) {
    FlowWorld flow(mapped("params.list", 100), quick());
    flow.does("Item", [](const expr::Value& in) { return n_of(in); });
    const InstanceName run = flow.start(list_of(1'001));
    ASSERT_EQ(flow.wait(run).status, Status::completed);
    FlowPicture picture = flow.picture(run);
    add_chunk(picture, flow.picture(InstanceName{"default", "run/m-2"}));
    add_chunk(picture, flow.picture(InstanceName{"default", "run/m-1"}));
    const StepPicture& step = *find_step(picture, "m");
    ASSERT_EQ(step.items.size(), 1'001U);
    EXPECT_EQ(step.items[1'000].item, 1'000U);
    EXPECT_EQ(step.items[1'000].status, StepStatus::completed);
}

TEST(FlowMap, TheFailuresOfAllChildrenAreCountedTogether) {
    FlowWorld flow(mapped("params.list", 100, 2), quick());
    flow.does("Item", [](const expr::Value& in) {
        if (n_of(in).integer() % 700 == 0) throw std::runtime_error("bad");
        return n_of(in);
    });
    EXPECT_EQ(flow.result(list_of(2'000)), "m[1400]: bad");
}

TEST(FlowMap, ItemsOfAChildSeeTheStepsThatTheyUse) {
    Flow made("f");
    made.set("base", "${{ 100 }}").set("m", "${{ steps.base.output + item }}").needs({"base"});
    made.map("lists.range(1001)").output("${{ steps.m.output[1000] }}");
    FlowWorld flow(made, quick());
    EXPECT_EQ(flow.result(), "1100");
}

TEST(FlowMap, ResultsThatNothingUsesAreNotKept) {
    Flow made = mapped("params.list", 100);
    made.output("${{ steps.m.completed }}");
    FlowWorld flow(made, narrow());
    const std::string large(100, 'x');
    flow.does("Item", [&](const expr::Value&) { return expr::Value(large); });
    EXPECT_EQ(flow.result(list_of(1'001)), "1001");
}

TEST(FlowMap, ResultsOfChildrenMayTogetherExceedThePayloadLimit) {
    Flow made = mapped("params.list", 10);
    made.output("${{ [steps.m.output.size(), steps.m.output.filter(o, o.size() > 1500).size()] }}");
    FlowWorld flow(made, quick());
    flow.does("Item", [&](const expr::Value& in) {
        return expr::Value(std::string(n_of(in).integer() == 7 ? 1501 : 1500, 'x'));
    });
    const InstanceName run = flow.start(list_of(1'001));
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), "[1001,1]");
    EXPECT_EQ(flow.calls("Item").size(), 1'001U) << "no item runs twice";
    FlowPicture picture = flow.picture(run);
    const std::vector<ChunkPicture> chunks = find_step(picture, "m")->chunks;
    EXPECT_EQ(chunks.size(), 2U);
    for (const ChunkPicture& chunk : chunks) {
        add_chunk(picture, flow.picture(InstanceName{"default", chunk.child}));
    }
    const StepPicture& step = *find_step(picture, "m");
    ASSERT_EQ(step.items.size(), 1'001U);
    for (const ItemPicture& item : step.items) EXPECT_EQ(item.status, StepStatus::completed);
}

TEST(FlowMap, AWindowOfLargeResultsIsBegunByAndBy) {
    Flow made = mapped("params.list", 16);
    made.output("${{ [steps.m.output.size(), steps.m.output[19].size()] }}");
    FlowWorld flow(made, quick());
    flow.does("Item", [&](const expr::Value& in) {
        return expr::Value(std::string(n_of(in).integer() < 20 ? 208 * 1024 : 1, 'x'));
    });
    EXPECT_EQ(flow.result(list_of(1'001)), "[1001,212992]");
    EXPECT_EQ(flow.calls("Item").size(), 1'001U) << "no item runs twice";
}

TEST(FlowMap, ResultsThatAChildCannotGiveBackFailTheStepClearly) {
    FlowWorld flow(mapped("params.list", 100).output("${{ steps.m.output.size() }}"), narrow());
    const std::string large(1'000, 'x');
    flow.does("Item", [&](const expr::Value&) { return expr::Value(large); });
    const Outcome outcome = flow.run(list_of(1'001));
    EXPECT_EQ(outcome.failure.kind, FailureKind::limit);
    EXPECT_EQ(outcome.failure.where, "m");
}

TEST(FlowMap, ResultsInTheRunItselfMayTogetherExceedThePayloadLimit) {
    FlowWorld flow(mapped("params.list", 100).output("${{ steps.m.output.size() }}"), narrow());
    const std::string large(200, 'x');
    flow.does("Item", [&](const expr::Value&) { return expr::Value(large); });
    EXPECT_EQ(flow.result(list_of(500)), "500");
}

TEST(FlowMap, AValueThatExceedsThePayloadLimitOnceResolvedFailsItsStep) {
    Flow made = mapped("params.list", 100);
    made.call("all").needs({"m"}).with("x", "${{ steps.m.output }}");
    FlowWorld flow(made, narrow());
    const std::string large(200, 'x');
    flow.does("Item", [&](const expr::Value&) { return expr::Value(large); });
    const Outcome outcome = flow.run(list_of(500));
    EXPECT_EQ(outcome.failure.kind, FailureKind::limit);
    EXPECT_EQ(outcome.failure.where, "all");
}

TEST(FlowMap, FiveThousandItemsThatEachFailOnceComplete) {
    constexpr std::int64_t kItems = 5'000;
    Flow made("f");
    made.call("m", "Item").map("lists.range(" + std::to_string(kItems) + ")", 1'000);
    made.with("n", "${{ item }}").retry(2, Millis(1)).output("${{ steps.m.completed }}");
    FlowWorld flow(made, quick());
    std::vector<int> attempts(kItems);
    flow.does("Item", [&](const expr::Value& in) {
        if (++attempts[static_cast<std::size_t>(n_of(in).integer())] == 1) {
            throw std::runtime_error("once");
        }
        return expr::Value();
    });
    EXPECT_EQ(flow.result(), std::to_string(kItems));
    EXPECT_TRUE(std::ranges::all_of(attempts, [](int count) { return count == 2; }));
}

// ---- The inputs of children --------------------------------------------------------------------

TEST(FlowMap, AChildGetsOnlyWhatItsItemsUse) {
    Flow made = mapped("params.list", 100);
    made.raw().params.push_back(Param{.name = "tag", .place = {}});
    made.last().with.emplace_back("tag", form("${{ params.tag }}"));
    made.output("${{ steps.m.completed }}");
    FlowWorld flow(made, quick());
    flow.does("Item", [](const expr::Value&) { return expr::Value(); });
    std::string json = R"({"tag":"t","list":[)";
    const std::string element = "\"" + std::string(1'400, 'x') + "\"";
    for (int i = 0; i < 1'400; ++i) json.append(i > 0 ? "," : "").append(element);
    json += "]}";
    const InstanceName run = flow.start(json);
    ASSERT_EQ(FlowWorld::shown(flow.wait(run)), "1400");
    const auto child = flow.world().client().inspect(InstanceName{"default", "run/m-1"});
    ASSERT_TRUE(child);
    const expr::Value input = expr::parse_json(child->input.bytes).or_throw();
    const expr::Value& params = *input.map().find("$flow")->map().find("params");
    EXPECT_EQ(expr::to_json(params).or_throw(), R"({"tag":"t"})");
}

TEST(FlowMap, AChildDoesNotGetTheStepThatTheMapIsOver) {
    Flow made("f");
    made.call("list", "List").call("m", "Item").map("steps.list.output", 100);
    made.with("n", "${{ item }}").needs({"list"}).output("${{ steps.m.completed }}");
    FlowWorld flow(made, quick());
    flow.does("List", [](const expr::Value&) {
        return expr::Value(expr::List(1'500, expr::Value(std::string(1'200, 'x'))));
    });
    flow.does("Item", [](const expr::Value&) { return expr::Value(); });
    EXPECT_EQ(flow.result(), "1500");
}

TEST(FlowMap, ItemsLeaveRoomForTheValuesThatTheyUse) {
    Flow made("f");
    made.raw().params.push_back(Param{.name = "tag", .place = {}});
    made.call("list", "List").call("m", "Item").map("steps.list.output", 100).needs({"list"});
    made.with("n", "${{ params.tag == '' }}").output("${{ steps.m.completed }}");
    FlowWorld flow(made, quick());
    flow.does("List", [](const expr::Value&) {
        return expr::Value(expr::List(1'100, expr::Value(std::string(1'400, 'x'))));
    });
    flow.does("Item", [](const expr::Value&) { return expr::Value(); });
    EXPECT_EQ(flow.result(R"({"tag":")" + std::string(1'200'000, 't') + "\"}"), "1100");
    const auto child = flow.world().client().inspect(InstanceName{"default", "run/m-1"});
    ASSERT_TRUE(child);
    EXPECT_LT(child->input.bytes.size(), Limits().payload_bytes);
    EXPECT_GT(child->input.bytes.size(), 2'000'000U);
}

TEST(FlowMap, AStepOfWhichItemsUseOnlyTheStatusComesWithoutItsResults) {
    Flow made("f");
    made.call("big", "Big").call("m", "Item").map("lists.range(1001)", 100);
    made.with("n", "${{ steps.big.status }}").needs({"big"});
    made.output("${{ steps.m.output[1000] }}");
    FlowWorld flow(made, quick());
    flow.does("Big", [](const expr::Value&) { return expr::Value(std::string(1'500'000, 'x')); });
    flow.does("Item", [](const expr::Value& in) { return n_of(in); });
    EXPECT_EQ(flow.result(), R"("completed")");
    const auto child = flow.world().client().inspect(InstanceName{"default", "run/m-1"});
    ASSERT_TRUE(child);
    EXPECT_LT(child->input.bytes.size(), 100'000U);
}

// ---- Other lists -------------------------------------------------------------------------------

TEST(FlowMap, ALargeMapRunsInFinallyAndSeesTheOutcome) {
    Flow made("f");
    made.set("a", "x");
    made.finally().call("z", "Item").map("lists.range(1001)", 100);
    made.with("n", "${{ outcome.status + steps.a.output }}");
    FlowWorld flow(made, quick());
    flow.does("Item", [](const expr::Value& in) { return n_of(in); });
    const InstanceName run = flow.start();
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    const std::vector<std::string> calls = flow.calls("Item");
    ASSERT_EQ(calls.size(), 1'001U);
    EXPECT_EQ(calls.back(), R"({"n":"completedx"})");
}

TEST(FlowMap, ALargeMapRunsInOnCancel) {
    Flow made("f");
    made.call("a", "Hang");
    made.canceled().call("z", "Item").map("lists.range(1001)", 100);
    made.with("n", "${{ outcome.reason }}");
    FlowWorld flow(made, quick());
    flow.hangs("Hang");
    flow.does("Item", [](const expr::Value& in) { return n_of(in); });
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.world().cancel(run, "enough");
    EXPECT_EQ(flow.wait(run).status, Status::canceled);
    const std::vector<std::string> calls = flow.calls("Item");
    ASSERT_EQ(calls.size(), 1'001U);
    EXPECT_EQ(calls.back(), R"({"n":"enough"})");
}

// ---- One run -----------------------------------------------------------------------------------

TEST(FlowMap, ItemsOfAChildSeeTheRunOfTheFlow) {
    Flow made("f");
    made.set("before", "${{ string(run.created) }}");
    made.sleep("pause", "1h");
    made.set("m", "${{ [run.id, step.key, string(run.created)] }}").needs({"before", "pause"});
    made.map("lists.range(1001)");
    made.output("${{ [steps.m.output[1000], steps.before.output == steps.m.output[7][2]] }}");
    FlowWorld flow(made, quick());
    const std::string result = flow.result();
    EXPECT_TRUE(result.starts_with(R"([["run","run/m[1000]",)")) << result;
    EXPECT_TRUE(result.ends_with("],true]")) << result;
}

TEST(FlowMap, ProgramsOfAChildAreToldTheRunOfTheFlow) {
    Flow made("f");
    made.step("m", Exec{{form("true")}}).map("lists.range(1001)", 100);
    made.output("${{ steps.m.completed }}");
    FlowWorld flow(made, quick());
    flow.does("belay.exec", [](const expr::Value& request) {
        EXPECT_EQ(request.map().find("run")->text(), "run");
        return expr::Value();
    });
    EXPECT_EQ(flow.result(), "1001");
}

TEST(FlowMap, ACancelOfAChildCancelsTheFlow) {
    Flow made = mapped("params.list", 100);
    made.call("after").needs({"m"});
    made.canceled().call("c", "Canceled").with("reason", "${{ outcome.reason }}");
    FlowWorld flow(made, quick());
    flow.hangs("Item");
    flow.does("Canceled", [](const expr::Value&) { return expr::Value(); });
    const InstanceName run = flow.start(list_of(1'500));
    flow.world().run_until_idle();
    flow.world().cancel(InstanceName{"default", "run/m-1"}, "the item says so");
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(FlowWorld::shown(outcome), "canceled: the item says so");
    EXPECT_EQ(flow.calls("Canceled"), std::vector<std::string>{R"({"reason":"the item says so"})"});
    EXPECT_TRUE(flow.calls("Work").empty());
    EXPECT_EQ(flow.calls("Item").size(), 100U) << "no other child begins";
}

TEST(FlowMap, ListsLeaveOutTheChildrenOfALargeMap) {
    FlowWorld flow(mapped("params.list", 100), quick());
    const InstanceName run = flow.start(list_of(1'200));
    flow.does("Item", [](const expr::Value& in) { return n_of(in); });
    ASSERT_EQ(flow.wait(run).status, Status::completed);
    belay::Client& client = flow.world().client();
    EXPECT_EQ(client.list(ListOptions())->instances.size(), 1U);
    EXPECT_EQ(client.list(ListOptions().all_parts())->instances.size(), 3U);
    EXPECT_EQ(client.list(ListOptions().parent("run"))->instances.size(), 2U);
}

TEST(FlowMap, AnotherRunGetsThroughWhileALargeMapRuns) {
    FlowWorld flow(mapped("params.list", 16), quick());
    flow.does("Item", [](const expr::Value& in) { return n_of(in); });
    const InstanceName large = flow.start(list_of(10'000), "large");
    const InstanceName small = flow.start(R"({"list":["small"]})", "small");
    EXPECT_EQ(flow.wait(small).status, Status::completed);
    EXPECT_EQ(flow.wait(large).status, Status::completed);
    const std::vector<std::string> calls = flow.calls("Item");
    ASSERT_EQ(calls.size(), 10'001U);
    const auto found = std::ranges::find(calls, R"({"n":"small"})");
    EXPECT_LT(found - calls.begin(), 1'000) << "it did not wait for the large one";
}

}  // namespace
}  // namespace belay::flow::test
