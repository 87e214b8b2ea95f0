// Every limit of the engine is a clear error.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::limits_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<void> fans_out(OrchestrationContext ctx, int count) {
    std::vector<Call<void>> calls;
    for (int i = 0; i < count; ++i) calls.push_back(ctx.call(Ping));
    (void)co_await ctx.join(std::move(calls));
}

TEST(Limits, OpenCommandsUpToTheLimit) {
    Limits limits;
    limits.open_commands = 3;
    Scenario s(fans_out, limits);
    s.start(3).complete(1).complete(2).complete(3);
    EXPECT_EQ(s.outcome().status, Status::completed);
}

TEST(Limits, OpenCommandsBeyondTheLimit) {
    Limits limits;
    limits.open_commands = 3;
    Scenario s(fans_out, limits);
    s.start(4).expect(
        {"call #1 Ping ()",
         "call #2 Ping ()",
         "call #3 Ping ()",
         "cancel #1",
         "cancel #2",
         "cancel #3",
         "failed limit: more than 3 commands are open at once (Limits::open_commands): "
         "await some before more are started"});
}

Orchestration<void> endless(OrchestrationContext ctx) {
    for (;;) co_await ctx.call(Ping);
}

TEST(Limits, HistoryEvents) {
    Limits limits;
    limits.history_events = 12;
    Scenario s(endless, limits);
    s.start();
    for (CommandNo i = 1; !s.finished(); ++i) s.complete(i);
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_EQ(s.failure().message,
              "this execution's history has reached 12 events; continue as new before that");
    EXPECT_EQ(s.history().size(), 15U) << "a turn, what came in it, and the end";
}

Orchestration<void> status_for_ever(OrchestrationContext ctx) {
    for (;;) ctx.set_custom_status("x");
    co_return;
}

TEST(Limits, HistoryEventsFilledWithCustomStatus) {
    Limits limits;
    limits.history_events = 12;
    Scenario s(status_for_ever, limits);
    s.start();
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_THAT(s.failure().message, HasSubstr("has reached 12 events"));
}

Orchestration<std::string> waits(OrchestrationContext ctx) {
    co_return co_await ctx.wait<std::string>("go");
}

TEST(Limits, HistoryEventsFilledFromOutside) {
    Limits limits;
    limits.history_events = 20;
    Scenario s(waits, limits);
    s.start();
    for (int i = 0; i < 20 && !s.finished(); ++i) s.raise("other", "x");
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_EQ(s.failure().message,
              "the orchestration was ended: its history has more than 20 events; continue as new "
              "before that");
}

inline constexpr Definition<void()> Self{"Test"};

Orchestration<void> continues_late(OrchestrationContext ctx) {
    (void)co_await ctx.wait<std::string>("go");
    co_await ctx.continue_as_new(Self);
}

TEST(Limits, ARunThatIsOverTheHistoryLimitMayStillContinueAsNew) {
    Limits limits;
    limits.history_events = 20;
    Scenario s(continues_late, limits);
    s.start();
    while (s.history().size() < 20) s.raise("other", "x");
    s.raise("go", "now");
    EXPECT_GT(s.history().size(), 22U) << "beyond what is tolerated of code that waits";
    EXPECT_TRUE(s.execution().continued().has_value());
}

Orchestration<void> retries_for_ever(OrchestrationContext ctx) {
    for (;;) {
        try {
            co_await ctx.call(Ping);
        } catch (const std::exception&) {
        }
    }
}

TEST(Limits, CodeThatIgnoresALimitForEverIsEnded) {
    Limits limits;
    limits.history_events = 10;
    limits.cancel_throws = 50;
    Scenario s(retries_for_ever, limits);
    s.start();
    for (CommandNo i = 1; !s.finished(); ++i) s.complete(i);
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_THAT(s.failure().message, HasSubstr("refused 50 times"));
}

Orchestration<std::string> passes(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Work, input);
}

TEST(Limits, PayloadOfACall) {
    Limits limits;
    limits.payload_bytes = 10;
    Scenario s(passes, limits);
    s.start(std::string(11, 'x'));
    s.expect(
        {"failed limit: the input of 'Work' is 11 bytes; at most 10 are allowed "
         "(Limits::payload_bytes): keep it elsewhere, and pass on where it is"});
}

Payload flagged() {
    Payload payload = Payload::text("x");
    payload.flags = 4;
    return payload;
}

inline constexpr Activity<void(Payload)> Takes{"Takes"};
inline constexpr Definition<void(Payload)> TakesToo{"TakesToo"};

Orchestration<Payload> passes_flags(OrchestrationContext ctx, int how) {
    if (how == 1) co_await ctx.call(Takes, flagged());
    if (how == 2) co_await ctx.call(TakesToo, flagged());
    if (how == 3) ctx.start_detached(TakesToo, "other", flagged());
    if (how == 4) ctx.on_rollback(Takes, flagged());
    co_return flagged();
}

TEST(Limits, FlagsOfPayloadsAreNotForUsers) {
    const std::string why =
        " has Payload::flags 4, which are kept for coders (store/coded.hpp): leave them 0";
    const std::vector<std::string> refused = {"the result",
                                              "the input of 'Takes'",
                                              "the input of 'TakesToo'",
                                              "the input of 'TakesToo'",
                                              "the input of 'Takes'"};
    for (int how = 0; how < 5; ++how) {
        Scenario s(passes_flags);
        s.start(how).expect(
            {"failed application: " + refused[static_cast<std::size_t>(how)] + why});
        EXPECT_EQ(s.failure().type, "std::invalid_argument");
    }
}

Orchestration<void> continues_with_flags(OrchestrationContext ctx, Payload /*input*/) {
    co_await ctx.continue_as_new(Definition<void(Payload)>{"Test"}, flagged());
}

TEST(Limits, NorInTheInputOfANextExecution) {
    Scenario s(continues_with_flags);
    s.start(Payload::text("x"));
    EXPECT_THAT(s.failure().message,
                HasSubstr("the input of the next execution has Payload::flags"));
}

Orchestration<void> continues_with_mail(OrchestrationContext ctx) {
    (void)co_await ctx.wait<std::string>("go");
    co_await ctx.continue_as_new(Self);
}

TEST(Limits, TheNextExecutionTakesSomeOfItAlong) {
    Limits limits;
    limits.carried_bytes = 100;
    Scenario s(continues_with_mail, limits);
    s.start().raise("kept", std::string(60, 'x')).raise("kept", std::string(60, 'y'));
    s.raise("go", "now");
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_THAT(s.failure().message,
                HasSubstr("the input of the next execution, with the 2 messages and 0 key-values "
                          "it takes along"));
    EXPECT_THAT(s.failure().message,
                HasSubstr("at most 100 are allowed (Limits::carried_bytes): receive messages and "
                          "clear key-values before it continues"));
    EXPECT_FALSE(s.execution().continued().has_value());
}

TEST(Limits, TheNextExecutionTakesMessagesAlongUpToTheLimit) {
    Limits limits;
    limits.carried_bytes = 100;
    Scenario s(continues_with_mail, limits);
    s.start().raise("kept", std::string(60, 'x')).raise("go", "now");
    EXPECT_TRUE(s.execution().continued().has_value());
}

Orchestration<void> gives_up(OrchestrationContext, int size) {
    throw Canceled(std::string(static_cast<std::size_t>(size), 'x'));
    co_return;
}

TEST(Limits, ReasonOfARunThatCancelsItself) {
    Limits limits;
    limits.reason_bytes = 10;
    Scenario within(gives_up, limits);
    within.start(10);
    EXPECT_EQ(within.outcome().status, Status::canceled);
    Scenario beyond(gives_up, limits);
    beyond.start(11);
    EXPECT_EQ(beyond.failure().kind, FailureKind::limit);
    EXPECT_EQ(beyond.failure().message,
              "the reason it canceled itself for is 11 bytes; at most 10 are allowed");
}

Orchestration<void> rambles(OrchestrationContext) {
    throw std::runtime_error(std::string(1000, 'x'));
    co_return;
}

TEST(Limits, FailureMessagesAreCutAndSaySo) {
    Limits limits;
    limits.failure_bytes = 100;
    Scenario s(rambles, limits);
    s.start();
    EXPECT_EQ(s.failure().message.size(), 100U);
    EXPECT_THAT(s.failure().message, HasSubstr("(cut: it was 1000 bytes long)"));
}

Orchestration<void> rambles_everywhere(OrchestrationContext) {
    Failure failure;
    failure.message = std::string(1000, 'm');
    failure.where = std::string(1000, 'w');
    failure.detail = std::string(1000, 'd');
    failure.type = std::string(1000, 't');
    throw OperationFailed(std::move(failure));
    co_return;
}

TEST(Limits, EveryTextOfAFailureIsCut) {
    Limits limits;
    limits.failure_bytes = 100;
    Scenario s(rambles_everywhere, limits);
    s.start();
    for (const std::string& text :
         {s.failure().message, s.failure().where, s.failure().detail, s.failure().type}) {
        EXPECT_EQ(text.size(), 100U);
        EXPECT_THAT(text, HasSubstr("(cut: it was 1000 bytes long)"));
    }
}

TEST(Limits, PayloadOfTheResult) {
    Limits limits;
    limits.payload_bytes = 10;
    Scenario s(passes, limits);
    s.start(std::string("in")).skip().complete(1, std::string(11, 'x'));
    s.expect(
        {"failed limit: the result is 11 bytes; at most 10 are allowed "
         "(Limits::payload_bytes): keep it elsewhere, and pass on where it is"});
}

Orchestration<void> names(OrchestrationContext ctx, int which) {
    const std::string bad = "a\tb";
    static constexpr Activity<void()> Bad{"a\tb"};
    static constexpr Definition<void()> BadChild{"a\tb"};
    if (which == 0) co_await ctx.call(Bad);
    if (which == 1) co_await ctx.call(BadChild);
    if (which == 2) co_await ctx.wait<void>(bad);
    if (which == 3) co_await ctx.receive<void>(bad);
    if (which == 4) co_await ctx.call(Ping).queue(bad);
}

TEST(Limits, NamesSayWhatTheyAreOf) {
    const char* const expected[] = {"an activity's name has a control character at byte 1",
                                    "a definition's name has a control character at byte 1",
                                    "an event's name has a control character at byte 1",
                                    "a queue's name has a control character at byte 1",
                                    "a queue's name has a control character at byte 1"};
    for (int which = 0; which < 5; ++which) {
        Scenario s(names);
        s.start(which);
        EXPECT_EQ(s.failure().message, expected[which]);
        EXPECT_EQ(s.failure().kind, FailureKind::application);
        EXPECT_EQ(s.failure().type, "std::invalid_argument");
    }
}

TEST(Limits, NamesHaveALength) {
    Limits limits;
    limits.name_bytes = 3;
    Scenario s(passes, limits);
    s.start(std::string("x"));
    EXPECT_EQ(s.failure().message, "an activity's name is 4 bytes long; at most 3 are allowed");
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
}

Orchestration<void> insists_on_a_bad_name(OrchestrationContext ctx) {
    for (;;) {
        try {
            co_await ctx.wait<void>("");
        } catch (const std::invalid_argument&) {
        }
    }
}

TEST(Limits, CodeThatInsistsOnWhatIsInvalidIsEnded) {
    Limits limits;
    limits.cancel_throws = 50;
    Scenario s(insists_on_a_bad_name, limits);
    s.start();
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_THAT(s.failure().message, HasSubstr("refused 50 times"));
}

Orchestration<void> registers_a_bad_name(OrchestrationContext ctx) {
    static constexpr Activity<void()> Nameless{""};
    ctx.on_rollback(Nameless);
    co_return;
}

TEST(Limits, ACompensationWithoutANameIsRefusedWhenItIsRegistered) {
    Scenario s(registers_a_bad_name);
    s.start();
    EXPECT_EQ(s.failure().message, "an activity's name must not be empty");
    EXPECT_EQ(s.failure().type, "std::invalid_argument");
}

Orchestration<std::string> survives(OrchestrationContext ctx) {
    bool refused = false;
    try {
        (void)co_await ctx.call(Work, std::string(100, 'x'));
    } catch (const LimitExceeded&) {
        refused = true;
    }
    co_return co_await ctx.call(Work, refused ? "shorter" : "not refused");
}

TEST(Limits, AnErrorCanBeCaughtAndNothingWasScheduled) {
    Limits limits;
    limits.payload_bytes = 50;
    Scenario s(survives, limits);
    s.start().expect({"call #1 Work \"shorter\""});
}

}  // namespace
}  // namespace belay::replay::limits_tests
