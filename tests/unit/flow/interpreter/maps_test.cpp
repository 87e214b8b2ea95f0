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

TEST(FlowMap, ResultsOfOneWindowOfAChildBeyondTheLimitFailTheStepClearly) {
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

}  // namespace
}  // namespace belay::flow::test
