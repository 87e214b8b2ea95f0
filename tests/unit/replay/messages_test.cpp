// Events and queues.
#include "unit/replay/harness.hpp"

namespace belay::replay::messages_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> waits(OrchestrationContext ctx) {
    co_return co_await ctx.wait<std::string>("go");
}

TEST(Messages, AnEventEndsAWait) {
    Scenario s(waits);
    s.start().expect({"wait #1 go"}).raise("go", "x").expect({"completed \"x\""});
}

TEST(Messages, AnEventOfAnotherNameDoesNot) {
    Scenario s(waits);
    s.start().skip().raise("other", "x").expect({}).raise("go", "y").expect({"completed \"y\""});
}

TEST(Messages, AQueueMessageOfTheSameNameDoesNot) {
    Scenario s(waits);
    s.start().skip().enqueue("go", "x").expect({}).raise("go", "y").expect({"completed \"y\""});
}

Orchestration<std::string> waits_late(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    const std::string a = co_await ctx.wait<std::string>("go");
    const std::string b = co_await ctx.wait<std::string>("go");
    co_return a + b;
}

TEST(Messages, AnEarlyEventIsKept) {
    Scenario s(waits_late);
    s.start().raise("go", "1").skip().complete(1).expect({"wait #2 go", "wait #3 go"});
    s.raise("go", "2").expect({"completed \"12\""});
}

TEST(Messages, EarlyEventsAreReceivedInOrder) {
    Scenario s(waits_late);
    s.start().raise("go", "1").raise("go", "2").raise("go", "3").skip();
    s.complete(1).expect({"wait #2 go", "wait #3 go", "completed \"12\""});
}

Orchestration<std::string> worker(OrchestrationContext ctx) {
    std::string log;
    for (;;) {
        const std::string job = co_await ctx.receive<std::string>("jobs");
        if (job == "stop") co_return log;
        log += job;
    }
}

TEST(Messages, AQueueIsFirstInFirstOut) {
    Scenario s(worker);
    s.start();
    s.in_one_turn([&] { s.enqueue("jobs", "a").enqueue("jobs", "b").enqueue("jobs", "c"); });
    s.enqueue("jobs", "stop");
    EXPECT_EQ(s.result<std::string>(), "abc");
}

Orchestration<std::string> drains(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    int count = 0;
    while (co_await ctx.receive<std::string>("jobs") != "stop") ++count;
    co_return std::to_string(count);
}

TEST(Messages, ManyBufferedOnesAreDrainedInOneTurn) {
    Scenario s(drains, Limits(), Checks::at_end);
    s.start();
    for (int i = 0; i < 5'000; ++i) s.enqueue("jobs", "x");
    s.enqueue("jobs", "stop").complete(1);
    EXPECT_EQ(s.result<std::string>(), "5000");
}

Orchestration<std::string> concurrent_waits(OrchestrationContext ctx) {
    auto first = ctx.start(ctx.wait<std::string>("go"));
    auto second = ctx.start(ctx.wait<std::string>("go"));
    const std::string b = co_await std::move(second);
    co_return co_await std::move(first) + b;
}

TEST(Messages, ConcurrentWaitsAreServedInTheOrderOfAsking) {
    Scenario s(concurrent_waits);
    s.start().skip().raise("go", "1").expect({}).raise("go", "2").expect({"completed \"12\""});
}

Orchestration<std::string> dropped_wait(OrchestrationContext ctx) {
    (void)co_await ctx.select(ctx.wait<std::string>("go"), ctx.timer(Millis(5)));
    co_await ctx.call(Ping);
    co_return co_await ctx.wait<std::string>("go");
}

TEST(Messages, ADroppedWaitDoesNotConsume) {
    Scenario s(dropped_wait);
    s.start().fire(2).raise("go", "kept").skip().complete(3);
    s.expect({"wait #4 go", "completed \"kept\""});
}

Orchestration<std::string> middle_wait_dropped(OrchestrationContext ctx) {
    auto first = ctx.start(ctx.wait<std::string>("go"));
    std::string third_value;
    {
        auto second = ctx.start(ctx.wait<std::string>("go"));
        co_await ctx.call(Ping);
    }
    auto third = ctx.start(ctx.wait<std::string>("go"));
    const std::string a = co_await std::move(first);
    co_return a + co_await std::move(third);
}

TEST(Messages, AWaitDroppedBetweenOthersDoesNotConsume) {
    Scenario s(middle_wait_dropped);
    s.start().complete(3).raise("go", "1").raise("go", "2");
    EXPECT_EQ(s.result<std::string>(), "12");
}

Orchestration<std::string> channels(OrchestrationContext ctx) {
    const auto [a, b, c] = co_await ctx.join(
        ctx.wait<std::string>("x"), ctx.receive<std::string>("x"), ctx.wait<std::string>("y"));
    co_return a + b + c;
}

TEST(Messages, ChannelsAreSeparate) {
    Scenario s(channels);
    s.start().raise("y", "3").enqueue("x", "2").raise("x", "1");
    EXPECT_EQ(s.result<std::string>(), "123");
}

Orchestration<int> typed(OrchestrationContext ctx) { co_return co_await ctx.wait<int>("number"); }

TEST(Messages, HaveTypes) {
    Scenario s(typed);
    s.start().raise("number", 7);
    EXPECT_EQ(s.result<int>(), 7);
}

TEST(Messages, AnUndecodableOneIsAnErrorOfTheRunAndNothingWorse) {  // W18.
    Scenario s(typed);
    s.start().raise("number", "text");
    EXPECT_THAT(s.failure().message, HasSubstr("expected an integer"));
}

TEST(Messages, TwoThatAreEqualAreTwo) {
    Scenario s(waits_late);
    s.start().raise("go", "x").raise("go", "x").complete(1);
    EXPECT_EQ(s.result<std::string>(), "xx");
}

TEST(Messages, AnswerWhicheverExecutionIsCurrent) {
    Scenario s(waits);
    s.start().skip();
    s.feed(NewMessage{MessageKind::event_raised, 7, 0, "go", Payload::text("stale")}).expect({});
    EXPECT_FALSE(s.applied()) << "one that names another execution is not for this one";
}

inline constexpr Definition<std::string(int)> Self{"Test"};

Orchestration<std::string> rounds(OrchestrationContext ctx, int round) {
    co_await ctx.call(Ping);
    if (round < 3) co_await ctx.continue_as_new(Self, round + 1);
    const std::string a = co_await ctx.wait<std::string>("go");
    const std::string b = co_await ctx.receive<std::string>("jobs");
    const std::string c = co_await ctx.receive<std::string>("jobs");
    co_return a + b + c;
}

TEST(Messages, UnreceivedOnesSurviveContinueAsNewInOrder) {
    Scenario s(rounds);
    s.start(1).enqueue("jobs", "2").raise("go", "1").complete(1).next_execution();
    s.enqueue("jobs", "3").complete(1).next_execution().skip().complete(1);
    s.expect({"wait #2 go", "receive #3 jobs", "receive #4 jobs", "completed \"123\""});
}

TEST(Messages, ReceivedOnesDoNotSurviveContinueAsNew) {
    Scenario s([](OrchestrationContext ctx, int round) -> Orchestration<std::string> {
        const std::string got = co_await ctx.wait<std::string>("go");
        if (round == 1) co_await ctx.continue_as_new(Self, 2);
        co_return got;
    });
    s.start(1).raise("go", "first").next_execution().skip().raise("go", "second");
    s.expect({"completed \"second\""});
}

TEST(Messages, MoreThanTheLimitEndTheRun) {
    Limits limits;
    limits.buffered_messages = 3;
    Scenario s(waits_late, limits);
    s.start().skip();
    for (int i = 0; i < 3; ++i) s.raise("other", "x").expect({});
    s.raise("another", "x");
    s.expect(
        {"failed limit: the orchestration was ended: more than 3 messages came that nobody "
         "received"});
}

TEST(Messages, ReceivingMakesRoomForMore) {
    Limits limits;
    limits.buffered_messages = 2;
    Scenario s(waits_late, limits);
    s.start().raise("go", "1").raise("go", "2").complete(1);
    EXPECT_EQ(s.result<std::string>(), "12");
}

TEST(Messages, KeptBytesThatCannotBeReadFailTheRun) {
    Scenario s(waits);
    s.start_with(Payload(PayloadCodec::continued, std::string("\x00\x00\x00\x07", 4)));
    EXPECT_THAT(s.failure().message, HasSubstr("the input cannot be used"));
}

Orchestration<void> bad_name(OrchestrationContext ctx, std::string name) {
    (void)co_await ctx.wait<std::string>(std::move(name));
}

TEST(Messages, ANameThatIsNoNameIsRefused) {
    Scenario s(bad_name);
    s.start(std::string());
    EXPECT_EQ(s.failure().message, "an event's name must not be empty");
}

Orchestration<void> signal(OrchestrationContext ctx) { co_await ctx.wait<void>("go"); }

TEST(Messages, MayBeWithoutAValue) {
    Scenario s(signal);
    s.start().skip().feed(NewMessage{MessageKind::event_raised, 0, 0, "go", Payload()});
    s.expect({"completed ()"});
}

}  // namespace
}  // namespace belay::replay::messages_tests
