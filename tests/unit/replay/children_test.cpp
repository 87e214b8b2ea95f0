// Children: other orchestrations, run as instances of their own.
#include "unit/replay/harness.hpp"

namespace belay::replay::children_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> one_child(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    co_return co_await ctx.call(Child, "in");
}

TEST(Children, HaveAPathUnderTheirParentAsId) {
    Scenario s(one_child);
    s.start().skip().complete(1).expect({"child #2 Child \"in\" as test-1/2"});
}

TEST(Children, GiveTheirResult) {
    Scenario s(one_child);
    s.start().complete(1).skip().complete(2, "out").expect({"completed \"out\""});
}

TEST(Children, AFailureIsThrownInTheParent) {
    Scenario s(one_child);
    s.start().complete(1).skip().fail(2, "broken").expect({"failed application: broken"});
}

TEST(Children, OneThatWasCanceledByOthersIsAFailureOfItsOwnKind) {
    Scenario s(one_child);
    s.start().complete(1).skip().child_canceled(2, "operator");
    s.expect({"failed canceled: the child was canceled: operator"});
}

TEST(Children, OneThatWasCanceledForAnUnreadableReasonIsTheSame) {
    Scenario s(one_child);
    s.start().complete(1).skip();
    s.feed(NewMessage{MessageKind::child_canceled, 1, 2, "", Payload::text("?")});
    s.expect({"failed canceled: the child was canceled"});
}

TEST(Children, AnIdInUseIsAFailureAndNotAHang) {  // W6.
    Scenario s(one_child);
    s.start().complete(1).skip();
    s.fail(2, Failure{.kind = FailureKind::id_in_use, .message = "the id 'test-1/2' is in use"});
    s.expect({"failed id_in_use: the id 'test-1/2' is in use"});
}

Orchestration<std::string> tries_child(OrchestrationContext ctx) {
    const auto tried = co_await ctx.try_call(Child, "in").id("ship");
    co_return tried ? tried.value() : std::string(to_string(tried.failure().kind));
}

TEST(Children, MayHaveAnIdOfTheirOwn) {
    Scenario s(tries_child);
    s.start().expect({"child #1 Child \"in\" as test-1/ship"});
}

TEST(Children, CanBeTried) {
    Scenario s(tries_child);
    s.start().child_canceled(1, "operator");
    EXPECT_EQ(s.result<std::string>(), "canceled");
}

Orchestration<void> bad_child_id(OrchestrationContext ctx, std::string id) {
    (void)co_await ctx.call(Child, "in").id(std::move(id));
}

TEST(Children, AnIdThatIsNoNameIsRefused) {
    Scenario control(bad_child_id);
    control.start(std::string("a\nb"));
    EXPECT_THAT(control.failure().message, HasSubstr("a child's id has a control character"));
    Scenario text(bad_child_id);
    text.start(std::string("\xff"));
    EXPECT_THAT(text.failure().message, HasSubstr("a child's id is not valid UTF-8"));
    Scenario long_one(bad_child_id);
    long_one.start(std::string(300, 'x'));
    EXPECT_THAT(long_one.failure().message,
                HasSubstr("a child's name is 300 bytes long; at most 255 are allowed"));
}

TEST(Children, AnIdOfAGrandchildIsNoName) {
    for (const std::string id : {"a/b", "/", "a/", "/b", "1/2"}) {
        Scenario s(bad_child_id);
        s.start(id).expect({"failed application: the name '" + id +
                            "' of a child has a '/', which is kept for its own children"});
        EXPECT_EQ(s.failure().type, "std::invalid_argument");
    }
}

TEST(Children, ANumberIsNoName) {
    for (const std::string id : {"2", "007", "2.1"}) {
        Scenario s(bad_child_id);
        s.start(id).expect({"failed application: a child's name is '" + id +
                            "': numbers are the ids of children without a name"});
        EXPECT_EQ(s.failure().type, "std::invalid_argument");
    }
    for (const std::string id : {"2a", "-2", "2.", ".2", "2.1.3", "v2.1"}) {
        Scenario s(bad_child_id);
        s.start(id).expect({"child #1 Child \"in\" as test-1/" + id});
    }
}

Orchestration<std::string> retried_number(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(Millis(1000));
    co_return co_await ctx.call(Child.with(ChildOptions().id("2").retry(policy)), "in");
}

TEST(Children, ANumberIsNoNameOfOneThatIsTriedAgainEither) {
    Scenario s(retried_number);
    s.start();
    EXPECT_THAT(s.failure().message, HasSubstr("numbers are the ids of children without a name"));
}

inline constexpr Definition<void(int)> Self{"Test"};

Orchestration<void> child_in_each_round(OrchestrationContext ctx, int round) {
    (void)co_await ctx.call(Child, std::to_string(round));
    co_await ctx.continue_as_new(Self, round + 1);
}

TEST(Children, IdsDifferAfterContinueAsNew) {  // W2.
    Scenario s(child_in_each_round);
    s.start(1).expect({"child #1 Child \"1\" as test-1/1"});
    s.complete(1, "").skip().next_execution().expect({"child #1 Child \"2\" as test-1/2.1"});
    s.complete(1, "").skip().next_execution().expect({"child #1 Child \"3\" as test-1/3.1"});
}

TEST(Children, AnAnswerToAnEarlierExecutionLeavesNoTrace) {  // W3.
    Scenario s(child_in_each_round);
    s.start(1).complete(1, "").next_execution().skip();
    s.feed(NewMessage{MessageKind::child_completed, 1, 1, "", Payload::text("")}).expect({});
    EXPECT_FALSE(s.applied());
    s.complete(1, "").expect({"continued 3"});
}

TEST(Children, ACancelOfTheParentCancelsThem) {
    Scenario s(one_child);
    s.start().complete(1).skip().cancel("stop");
    s.expect({"cancel #2", "canceled by user: stop, cleanup done"});
}

Orchestration<int> fan_out(OrchestrationContext ctx) {
    std::vector<Call<std::string>> children;
    for (int i = 0; i < 3; ++i) children.push_back(ctx.call(Child, std::to_string(i)));
    co_return static_cast<int>((co_await ctx.join(std::move(children))).size());
}

TEST(Children, FanOut) {
    Scenario s(fan_out);
    s.start().expect({"child #1 Child \"0\" as test-1/1",
                      "child #2 Child \"1\" as test-1/2",
                      "child #3 Child \"2\" as test-1/3"});
    s.complete(3, "").complete(2, "").complete(1, "").expect({"completed 3"});
}

}  // namespace
}  // namespace belay::replay::children_tests
