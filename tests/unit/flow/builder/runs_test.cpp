// Flows built in C++: their runs.
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/flow.hpp>
#include <belay/json.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/worker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace belay_test {

struct Order {
    std::string customer;
    std::int64_t cents = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, customer, cents)

}  // namespace belay_test

template <>
struct belay::Codec<belay_test::Order> : belay::JsonCodec<belay_test::Order> {};

namespace belay {
namespace {

using namespace std::chrono_literals;
using belay_test::Order;
using ::testing::HasSubstr;

inline constexpr Activity<std::string(Order, std::int64_t)> Charge{"Charge"};
inline constexpr Activity<std::vector<double>(std::vector<std::string>)> Measure{"Measure"};
inline constexpr Activity<double(std::vector<double>)> Sum{"Sum"};
inline constexpr Activity<std::string(std::string)> Upper{"Upper"};
inline constexpr Activity<Order(std::string)> Find{"Find"};
inline constexpr Activity<std::string(std::string, FlowFailure)> Tell{"Tell"};
inline constexpr Activity<void(std::string)> Undo{"Undo"};
inline constexpr Activity<std::string(std::optional<std::string>)> Greet{"Greet"};

class FlowRuns : public ::testing::Test {
protected:
    FlowRuns() {
        add_flows(registry);
        registry.add(Charge, [](Order order, std::int64_t copies) {
            return order.customer + " pays " + std::to_string(order.cents * copies);
        });
        registry.add(Measure, [](std::vector<std::string> texts) {
            std::vector<double> sizes;
            for (const std::string& text : texts) sizes.push_back(static_cast<double>(text.size()));
            return sizes;
        });
        registry.add(Sum, [](std::vector<double> values) {
            double sum = 0;
            for (const double value : values) sum += value;
            return sum;
        });
        registry.add(Upper, [](std::string text) {
            if (text == "bad") throw std::runtime_error("bad word");
            return text + "!";
        });
        registry.add(Find, [](std::string customer) { return Order{customer, 250}; });
        registry.add(Tell, [this](std::string text, FlowFailure failure) {
            told.set_value(text + ": " + failure.step + ": " + failure.message);
            return text;
        });
        registry.add(Undo, [this](std::string what) { undone.set_value(what); });
        registry.add(Greet, [](std::optional<std::string> name) {
            return "hello " + name.value_or("stranger");
        });
    }

    Registry registry;
    std::promise<std::string> told;
    std::promise<std::string> undone;
    std::unique_ptr<Store> store = make_memory_store(system_clock());
    std::unique_ptr<Worker> worker = std::make_unique<Worker>(*store, registry);
    Client client{worker->store()};
};

TEST_F(FlowRuns, ArgumentsAndResultsKeepTheirTypes) {
    Flow<std::string(Order)> flow("pay", "order");
    flow.output(flow.step(Charge, flow.param<0>(), 3));
    EXPECT_EQ(client.start(flow, Order{"ann", 4}).result(), "ann pays 12");
}

TEST_F(FlowRuns, ContainersOfNumbersKeepTheirTypes) {
    Flow<double(std::vector<std::string>)> flow("sum", "texts");
    auto sizes = flow.step(Measure, flow.param<0>());
    flow.output(flow.step(Sum, sizes));
    EXPECT_EQ(client.start(flow, std::vector<std::string>{"a", "bcd"}).result(), 4.0);
}

TEST_F(FlowRuns, MembersOfAResultArePassedOn) {
    Flow<std::string()> flow("members");
    auto order = flow.step(Find, "bob");
    auto paid = flow.step(Charge, order, order.field<std::int64_t>("cents"));
    flow.output(paid);
    EXPECT_EQ(client.start(flow).result(), "bob pays 62500");
}

TEST_F(FlowRuns, AMapCallsAnActivityForEachElement) {
    Flow<std::vector<std::string>(std::vector<std::string>)> flow("shout", "words");
    flow.output(flow.map(Upper, flow.param<0>()).window(2));
    const auto words = client.start(flow, std::vector<std::string>{"a", "b", "c"}).result();
    EXPECT_EQ(words, (std::vector<std::string>{"a!", "b!", "c!"}));
}

TEST_F(FlowRuns, AMapOverAConstantMayLoseItems) {
    Flow<std::vector<std::string>()> flow("shout");
    flow.output(flow.map(Upper, std::vector<std::string>{"a", "bad"}).items_may_fail(1));
    EXPECT_EQ(client.start(flow).result(), std::vector<std::string>{"a!"});
}

TEST_F(FlowRuns, ASkippedBranchLeavesItsDefault) {
    Flow<std::string(std::string)> flow("branch", "word");
    auto loud = flow.step("loud", Upper, flow.param<0>()).when(flow.param<0>() != "quiet");
    flow.output(loud.output_or("...") + " " + loud.status());
    EXPECT_EQ(client.start(flow, "hey").result(), "hey! completed");
    EXPECT_EQ(client.start(flow, "quiet").result(), "... skipped");
}

TEST_F(FlowRuns, ASubFlowIsAStep) {
    Flow<std::string(std::string)> inner("inner", "word");
    inner.output(inner.step(Upper, inner.param<0>()));
    Flow<std::vector<std::string>()> outer("outer");
    auto once = outer.step("once", inner, "x");
    auto twice = outer.step("twice", inner, once);
    outer.output(outer.map("all", inner, std::vector<std::string>{"p", "q"}).after(twice));
    EXPECT_EQ(client.start(outer).result(), (std::vector<std::string>{"p!", "q!"}));
}

TEST_F(FlowRuns, AnEventAndAnAnswerHaveTypes) {
    Flow<std::int64_t()> flow("wait");
    auto paid = flow.wait<std::int64_t>("paid", "payment");
    auto ask = flow.approval("ask", "Ship " + paid.status() + "?");
    auto copies = ask.asks<std::int64_t>("copies");
    flow.output(paid + copies);
    ASSERT_TRUE(flow.check().ok()) << flow.check().error().describe();
    const auto run = client.start(flow);
    ASSERT_TRUE(run.raise("payment", std::int64_t{40}).ok());
    const Payload answer(PayloadCodec::json,
                         R"({"approved":true,"by":"ann","values":{"copies":2}})");
    ASSERT_TRUE(run.raise("approval/ask", answer).ok());
    EXPECT_EQ(run.result(), 42);
}

TEST_F(FlowRuns, AHandlerOfFailuresGetsTheFailure) {
    Flow<std::string(std::string)> flow("fails", "word");
    flow.output(flow.step("shout", Upper, flow.param<0>()));
    flow.on_fail().step(Tell, flow.param<0>(), flow.failure());
    const auto ended = client.start(flow, "bad").wait().or_throw();
    EXPECT_EQ(ended.outcome().status, Status::failed);
    EXPECT_EQ(told.get_future().get(), "bad: shout: bad word");
}

TEST_F(FlowRuns, FinallySeesTheOutcome) {
    Flow<void()> flow("ends");
    auto shout = flow.step("shout", Upper, "x");
    flow.finally().step(Undo, flow.outcome() + " " + shout.output_or("nothing"));
    EXPECT_EQ(client.start(flow).wait().or_throw().outcome().status, Status::completed);
    EXPECT_EQ(undone.get_future().get(), "completed x!");
}

TEST_F(FlowRuns, ACanceledStepIsCleanedUp) {
    Flow<void()> flow("cancels");
    flow.wait<std::string>("wait", "never").on_cancel(Undo, "the wait");
    const auto run = client.start(flow);
    while (client.describe(run).or_throw().awaits.empty()) std::this_thread::yield();
    ASSERT_TRUE(run.cancel("enough").ok());
    EXPECT_EQ(undone.get_future().get(), "the wait");
}

TEST_F(FlowRuns, AnOptionalArgumentMayBeMissing) {
    Flow<std::string(std::optional<std::string>)> flow("greet", "name");
    flow.output(flow.step(Greet, flow.param<0>()));
    EXPECT_EQ(client.start(flow, std::nullopt).result(), "hello stranger");
    EXPECT_EQ(client.start(flow, "ann").result(), "hello ann");
}

TEST_F(FlowRuns, AStartOfAFlowWithMistakesIsRefused) {
    Flow<std::string()> flow("wrong");
    const auto run = client.start(flow);
    ASSERT_FALSE(run.ok());
    EXPECT_EQ(run.error().code(), Errc::invalid_argument);
    EXPECT_THAT(run.error().message(), HasSubstr("wrong"));
}

TEST_F(FlowRuns, AFalseConditionSkipsTheRun) {
    Flow<std::string(std::string)> flow("maybe", "word");
    flow.output(flow.step(Upper, flow.param<0>()));
    flow.when(flow.param<0>() != "");
    EXPECT_EQ(client.start(flow, "").wait().or_throw().outcome().status, Status::skipped);
    EXPECT_EQ(client.start(flow, "a").result(), "a!");
}

TEST_F(FlowRuns, OptionsOfTheStartComeBeforeThoseOfTheFlow) {
    Flow<void()> flow("labelled");
    flow.step(Upper, "x");
    flow.label("team", "data").label("tier", "1");
    const auto run =
        client.start(flow, StartOptions().id("own").label("team", std::string("mine")));
    ASSERT_TRUE(run.wait().ok());
    const auto info = client.inspect(run).or_throw();
    EXPECT_EQ(info.labels.at("team"), LabelValue(std::string("mine")));
    EXPECT_EQ(info.labels.at("tier"), LabelValue(std::string("1")));
}

}  // namespace
}  // namespace belay
