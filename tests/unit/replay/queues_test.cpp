// Taking messages without waiting, and how many there are.
#include "unit/replay/harness.hpp"
#include <belay/exceptions.hpp>

namespace belay::replay::queues_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> drains(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    std::string all = std::to_string(ctx.queue_depth("mail")) + ":";
    while (const auto mail = ctx.try_receive<std::string>("mail")) all += " " + *mail;
    all += " " + std::to_string(ctx.queue_depth("mail"));
    co_return all;
}

TEST(Queues, ArrivedMessagesAreTakenInOrderWithoutWaiting) {
    Scenario s(drains);
    s.start().enqueue("mail", "a").enqueue("mail", "b").enqueue("other", "x").skip();
    s.complete(1).expect({"take mail", "take mail", "completed \"2: a b 0\""});
}

TEST(Queues, WhenNothingHasComeNothingIsRecorded) {
    Scenario s(drains);
    s.start().skip().complete(1).expect({"completed \"0: 0\""});
}

TEST(Queues, AnUnannouncedLaterMessageOfTheSameTurnIsNotThereYet) {
    Scenario s(drains);
    s.start().skip();
    s.in_one_turn([&] {
        s.enqueue("mail", "early");
        s.complete(1);
        s.enqueue("mail", "late");
    });
    s.expect({"take mail", "completed \"1: early 0\""});
}

TEST(Queues, AnEventOfThatNameIsSomethingElse) {
    Scenario s(drains);
    s.start().raise("mail", "an event").skip().complete(1).expect({"completed \"0: 0\""});
}

Orchestration<std::string> tries_event(OrchestrationContext ctx) {
    const auto before = ctx.try_wait<std::string>("go");
    co_await ctx.call(Ping);
    const auto after = ctx.try_wait<std::string>("go");
    co_return (before ? *before : "none") + " " + (after ? *after : "none");
}

TEST(Queues, EventsCanBeTakenWithoutWaitingToo) {
    Scenario s(tries_event);
    s.start()
        .raise("go", "now")
        .skip()
        .complete(1)
        .expect({"take event go", "completed \"none now\""});
}

Orchestration<std::string> wait_goes_first(OrchestrationContext ctx) {
    auto pending = ctx.start(ctx.receive<std::string>("mail"));
    co_await ctx.call(Ping);
    const auto second = ctx.try_receive<std::string>("mail");
    const std::string first = co_await std::move(pending);
    co_return first + (second ? *second : "-");
}

TEST(Queues, AWaitThatWasBegunBeforeGetsTheFirst) {
    Scenario s(wait_goes_first);
    s.start().enqueue("mail", "a").enqueue("mail", "b").complete(2);
    EXPECT_EQ(s.result<std::string>(), "ab");
}

TEST(Queues, AMessageGivenToAWaitIsNotCountedOrTaken) {
    Scenario s(wait_goes_first);
    s.start().enqueue("mail", "a").complete(2);
    EXPECT_EQ(s.result<std::string>(), "a-");
}

Orchestration<std::string> put_back(OrchestrationContext ctx) {
    {
        auto pending = ctx.start(ctx.receive<std::string>("mail"));
        co_await ctx.call(Ping);
    }
    const auto again = ctx.try_receive<std::string>("mail");
    co_return again ? *again : "lost";
}

TEST(Queues, AMessagePutBackCanBeTaken) {
    Scenario s(put_back);
    s.start().enqueue("mail", "a").complete(2);
    EXPECT_EQ(s.result<std::string>(), "a");
}

Orchestration<std::string> eternal(OrchestrationContext ctx, int round) {
    co_await ctx.call(Ping);
    std::string first = "none";
    if (const auto mail = ctx.try_receive<std::string>("mail")) first = *mail;
    if (round == 2) co_return first + " " + std::to_string(ctx.queue_depth("mail"));
    auto next = ctx.continue_as_new(Definition<std::string(int)>{kDefinition}, round + 1);
    co_await std::move(next);
    co_return "";
}

TEST(Queues, AMessageNotTakenIsThereInTheNextExecution) {
    Scenario s(eternal);
    s.start(1).enqueue("mail", "a").enqueue("mail", "b").enqueue("mail", "c").complete(1);
    s.next_execution().skip().complete(1);
    EXPECT_EQ(s.result<std::string>(), "b 1");
}

Orchestration<int> wrong_type(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    co_return ctx.try_receive<int>("mail").value_or(0);
}

TEST(Queues, AMessageOfAnotherTypeIsAnError) {
    Scenario s(wrong_type);
    s.start().enqueue("mail", "text").complete(1);
    EXPECT_THAT(s.failure().message, HasSubstr("expected an integer"));
}

TEST(Queues, CodeThatTakesOtherwiseIsAMismatch) {
    Scenario s(drains);
    s.start().enqueue("mail", "a").complete(1);
    const Result<void> same = replay_with(
        [](OrchestrationContext ctx) -> Orchestration<std::string> {
            co_await ctx.call(Ping);
            co_return "1: a 0";
        },
        s.history());
    ASSERT_FALSE(same.ok());
    EXPECT_THAT(same.error().message(), HasSubstr("history: MessageTaken queue mail"));
}

Orchestration<std::string> takes_after_cancel(OrchestrationContext ctx) {
    std::string got;
    try {
        co_await ctx.timer(Millis(1'000'000));
    } catch (const Canceled&) {
        while (const auto mail = ctx.try_receive<std::string>("mail")) got += *mail;
    }
    co_return got;
}

TEST(Queues, CleanupMayTakeWhatIsLeft) {
    Scenario s(takes_after_cancel);
    s.start()
        .enqueue("mail", "a")
        .skip()
        .cancel("stop")
        .expect({"cancel #1", "take mail", "canceled by user: stop, cleanup done"});
}

}  // namespace
}  // namespace belay::replay::queues_tests
