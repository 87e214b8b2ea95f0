// Code and history that disagree, and histories that cannot be.
#include "model/encoding.hpp"
#include "unit/replay/harness.hpp"

#include <algorithm>

namespace belay::replay::mismatch_tests {
namespace {

using model::Event;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The history of a run: a call, a timer, a wait and a child in one turn, then the call's result.
Orchestration<std::string> original(OrchestrationContext ctx) {
    auto call = ctx.start(ctx.call(Work, "a"));
    auto timer = ctx.start(ctx.timer(Millis(5)));
    auto wait = ctx.start(ctx.wait<std::string>("go"));
    auto child = ctx.start(ctx.call(Child, "c"));
    const std::string result = co_await std::move(call);
    ctx.set_custom_status("half");
    co_return result;
}

std::vector<Event> history_of_original() {
    Scenario s(original);
    s.start().complete(1, "x");
    return s.history();
}

/// The message of the mismatch; there must be one.
template <class Code>
std::string difference(Code code, const std::vector<Event>& history) {
    const Result<void> result = replay_with(code, history);
    EXPECT_FALSE(result.ok());
    if (result.ok()) return "";
    EXPECT_EQ(result.error().code(), Errc::nondeterminism);
    const std::string& message = result.error().message();
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;
    return message;
}

auto shows(const std::string& history, const std::string& code) {
    return AllOf(HasSubstr("\n  history: " + history + "\n  code:    " + code));
}

TEST(Mismatch, TheSameCodeAgrees) {
    EXPECT_TRUE(replay_with(original, history_of_original()).ok());
}

TEST(Mismatch, SaysWhichEventOfWhichRun) {
    const std::string message =
        difference([](OrchestrationContext) -> Orchestration<std::string> { co_return ""; },
                   history_of_original());
    EXPECT_THAT(
        message,
        StartsWith("history and code disagree at event 3 of execution 1 of 'test-1' (Test 1)"));
}

TEST(Mismatch, CodeThatEndsTooEarly) {
    EXPECT_THAT(
        difference([](OrchestrationContext) -> Orchestration<std::string> { co_return "z"; },
                   history_of_original()),
        shows("ActivityScheduled #1 Work \"a\"", "ExecutionEnded completed \"z\""));
}

TEST(Mismatch, AnotherName) {
    EXPECT_THAT(
        difference(
            [](OrchestrationContext ctx) -> Orchestration<void> { co_await ctx.call(Undo, "a"); },
            history_of_original()),
        shows("ActivityScheduled #1 Work \"a\"", "ActivityScheduled #1 Undo \"a\""));
}

TEST(Mismatch, AnotherInput) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<std::string> {
                        co_return co_await ctx.call(Work, "b");
                    },
                    history_of_original()),
                shows("ActivityScheduled #1 Work \"a\"", "ActivityScheduled #1 Work \"b\""));
}

TEST(Mismatch, AnotherTypeOfInput) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<int> {
        co_return co_await ctx.call(Count, 1);
    });
    s.start();
    static constexpr Activity<int(std::string)> CountText{"Count"};
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<int> {
                        co_return co_await ctx.call(CountText, "1");
                    },
                    s.history()),
                shows("ActivityScheduled #1 Count 1", "ActivityScheduled #1 Count \"1\""));
}

TEST(Mismatch, AnotherQueue) {
    EXPECT_THAT(
        difference(
            [](OrchestrationContext ctx) -> Orchestration<std::string> {
                co_return co_await ctx.call(Work, "a").queue("gpu");
            },
            history_of_original()),
        shows("ActivityScheduled #1 Work \"a\"", "ActivityScheduled #1 Work \"a\" on queue gpu"));
}

TEST(Mismatch, AShieldThatWasNotThere) {
    EXPECT_THAT(
        difference(
            [](OrchestrationContext ctx) -> Orchestration<std::string> {
                const Shield shield = ctx.shield();
                co_return co_await ctx.call(Work, "a");
            },
            history_of_original()),
        shows("ActivityScheduled #1 Work \"a\"", "ActivityScheduled #1 Work \"a\" (shielded)"));
}

TEST(Mismatch, AnotherKindOfCommand) {
    EXPECT_THAT(
        difference(
            [](OrchestrationContext ctx) -> Orchestration<void> { co_await ctx.timer(Millis(5)); },
            history_of_original()),
        shows("ActivityScheduled #1 Work \"a\"", "TimerScheduled #1 due 2023-11-14T22:13:21.005Z"));
}

TEST(Mismatch, AnotherOrder) {
    EXPECT_THAT(
        difference(
            [](OrchestrationContext ctx) -> Orchestration<void> {
                auto call = ctx.start(ctx.call(Work, "a"));
                auto wait = ctx.start(ctx.wait<std::string>("go"));
                co_await ctx.timer(Millis(5));
            },
            history_of_original()),
        shows("TimerScheduled #2 due 2023-11-14T22:13:21.005Z", "WaitScheduled #2 event go"));
}

TEST(Mismatch, AnotherDelay) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<void> {
                        auto call = ctx.start(ctx.call(Work, "a"));
                        co_await ctx.timer(Millis(6));
                    },
                    history_of_original()),
                shows("TimerScheduled #2 due 2023-11-14T22:13:21.005Z",
                      "TimerScheduled #2 due 2023-11-14T22:13:21.006Z"));
}

TEST(Mismatch, AnotherChildId) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<void> {
                        auto call = ctx.start(ctx.call(Work, "a"));
                        auto timer = ctx.start(ctx.timer(Millis(5)));
                        auto wait = ctx.start(ctx.wait<std::string>("go"));
                        (void)co_await ctx.call(Child, "c").id("named");
                    },
                    history_of_original()),
                shows("ChildScheduled #4 Child as test-1/4 \"c\"",
                      "ChildScheduled #4 Child as test-1/named \"c\""));
}

TEST(Mismatch, ACommandThatIsMissing) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<void> {
                        auto call = ctx.start(ctx.call(Work, "a"));
                        co_await ctx.timer(Millis(5));
                    },
                    history_of_original()),
                shows("WaitScheduled #3 event go", "(does nothing here)"));
}

TEST(Mismatch, ACommandTooMany) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<void> {
                        auto call = ctx.start(ctx.call(Work, "a"));
                        auto timer = ctx.start(ctx.timer(Millis(5)));
                        auto wait = ctx.start(ctx.wait<std::string>("go"));
                        auto child = ctx.start(ctx.call(Child, "c"));
                        co_await ctx.call(Ping);
                    },
                    history_of_original()),
                shows("TurnStarted 2023-11-14T22:13:22.000Z", "ActivityScheduled #5 Ping ()"));
}

TEST(Mismatch, ACommandTooManyAtTheEndOfHistory) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> { co_await ctx.call(Ping); });
    s.start();
    EXPECT_THAT(
        difference(
            [](OrchestrationContext ctx) -> Orchestration<void> {
                auto more = ctx.start(ctx.timer(Millis(1)));
                co_await ctx.call(Ping);
            },
            s.history()),
        shows("ActivityScheduled #1 Ping ()", "TimerScheduled #1 due 2023-11-14T22:13:21.001Z"));
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<void> {
                        auto ping = ctx.start(ctx.call(Ping));
                        co_await ctx.timer(Millis(1));
                    },
                    s.history()),
                shows("(ends here)", "TimerScheduled #2 due 2023-11-14T22:13:21.001Z"));
}

TEST(Mismatch, AWorkThatIsNoLongerLetGo) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<std::string> {
                        auto call = ctx.start(ctx.call(Work, "a"));
                        auto timer = ctx.start(ctx.timer(Millis(5)));
                        auto wait = ctx.start(ctx.wait<std::string>("go"));
                        auto child = ctx.start(ctx.call(Child, "c"));
                        const std::string result = co_await std::move(call);
                        ctx.set_custom_status("half");
                        (void)co_await std::move(child);
                        co_return result;
                    },
                    history_of_original()),
                shows("CommandCanceled #4", "(does nothing here)"));
}

TEST(Mismatch, AnotherResult) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<std::string> {
                        const std::string result = co_await original(ctx);
                        co_return result + "!";
                    },
                    history_of_original()),
                shows("ExecutionEnded completed \"x\"", "ExecutionEnded completed \"x!\""));
}

TEST(Mismatch, AFailureInsteadOfAResult) {
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<std::string> {
                        (void)co_await original(ctx);
                        throw std::runtime_error("new bug\nin two lines");
                    },
                    history_of_original()),
                shows("ExecutionEnded completed \"x\"",
                      "ExecutionEnded failed (application) new bug\\nin two lines, in Test "
                      "<std::runtime_error>"));
}

TEST(Mismatch, AnotherCustomStatus) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        ctx.set_custom_status("old");
        co_await ctx.call(Ping);
    });
    s.start();
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<void> {
                        ctx.set_custom_status("new");
                        co_await ctx.call(Ping);
                    },
                    s.history()),
                shows("CustomStatusSet \"old\"", "CustomStatusSet \"new\""));
}

TEST(Mismatch, LongTextsThatDifferAtTheEndLookDifferent) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        co_await ctx.call(Undo, std::string(200, 'x') + "1");
    });
    s.start();
    const std::string message = difference(
        [](OrchestrationContext ctx) -> Orchestration<void> {
            co_await ctx.call(Undo, std::string(200, 'x') + "2");
        },
        s.history());
    const std::size_t history = message.find("history: ");
    const std::size_t code = message.find("code:    ");
    ASSERT_NE(history, std::string::npos);
    ASSERT_NE(code, std::string::npos);
    EXPECT_NE(message.substr(history + 9, message.find('\n', history) - history - 9),
              message.substr(code + 9));
}

// ---- Histories that no code could have made -----------------------------------------------------

TEST(Mismatch, ACompletionOfACommandThatDoesNotExist) {
    std::vector<Event> history = history_of_original();
    std::get<model::CommandCompleted>(history[7]).command = 9;
    EXPECT_THAT(difference(original, history),
                shows("CommandCompleted #9 \"x\"", "(does nothing here)"));
}

TEST(Mismatch, ACompletionOfAWait) {
    std::vector<Event> history = history_of_original();
    std::get<model::CommandCompleted>(history[7]).command = 3;
    EXPECT_THAT(difference(original, history),
                shows("CommandCompleted #3 \"x\"", "(does nothing here)"));
}

TEST(Mismatch, AFailureOfATimer) {
    std::vector<Event> history = history_of_original();
    history[7] = model::CommandFailed{2, Failure{.message = "timers do not fail"}};
    EXPECT_THAT(difference(original, history),
                shows("CommandFailed #2 (application) timers do not fail", "(does nothing here)"));
}

TEST(Mismatch, ASecondCompletion) {
    std::vector<Event> history = history_of_original();
    history.resize(7);
    history.push_back(model::CommandCompleted{2, Payload()});
    history.push_back(model::CommandCompleted{2, Payload()});
    EXPECT_THAT(difference(original, history),
                shows("CommandCompleted #2 ()", "(does nothing here)"));
}

TEST(Mismatch, EventsAfterTheEnd) {
    std::vector<Event> history = history_of_original();
    history.push_back(model::TurnStarted{from_unix_ms(1)});
    EXPECT_THAT(difference(original, history),
                shows("TurnStarted 1970-01-01T00:00:00.001Z", "(does nothing here)"));
}

TEST(Mismatch, ASecondStart) {
    std::vector<Event> history = history_of_original();
    history.resize(7);
    history.push_back(model::ExecutionStarted{kDefinition, "1", Payload()});
    EXPECT_THAT(difference(original, history),
                shows("ExecutionStarted Test 1 ()", "(does nothing here)"));
}

TEST(Mismatch, ASecondCancel) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        const Shield shield = ctx.shield();
        co_await ctx.call(Ping);
    });
    s.start().cancel("first");
    std::vector<Event> history = s.history();
    history.push_back(model::CancelRequested{CancelRecord{.by = "me", .reason = "second"}});
    EXPECT_THAT(difference(
                    [](OrchestrationContext ctx) -> Orchestration<void> {
                        const Shield shield = ctx.shield();
                        co_await ctx.call(Ping);
                    },
                    history),
                shows("CancelRequested by user me: second", "(does nothing here)"));
}

TEST(Mismatch, AHistoryThatDoesNotBeginWithTheStart) {
    const model::TurnStarted turn{from_unix_ms(1)};
    EXPECT_THAT(difference(original, {turn, turn}),
                shows("TurnStarted 1970-01-01T00:00:00.001Z", "(does nothing here)"));
    const model::MessageReceived message{MessageKind::event_raised, "go", Payload()};
    EXPECT_THAT(difference(original, {message}),
                shows("MessageReceived event go ()", "(does nothing here)"));
    EXPECT_THAT(difference(original, {turn, message}),
                shows("MessageReceived event go ()", "(does nothing here)"));
}

TEST(Mismatch, AHistoryThatBeginsWithADecision) {
    EXPECT_THAT(difference(original, {model::CommandCanceled{1}}),
                shows("CommandCanceled #1", "(does nothing here)"));
}

TEST(Mismatch, AHistoryThatIsCutOffInTheMiddleOfATurn) {
    std::vector<Event> history = history_of_original();
    for (std::size_t size = 3; size < 6; ++size) {
        const std::vector<Event> cut(history.begin(),
                                     history.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_THAT(difference(original, cut), HasSubstr("history: (ends here)"));
    }
}

TEST(Mismatch, ARunThatWentOnUnnoticedIsFoundInALaterTurn) {
    Registry registry;
    registry.add(Definition<std::string()>{kDefinition}, original);
    Execution execution(registry.orchestration(kDefinition)->handler,
                        Identity{{"space", kInstance}, 1, kDefinition, "1"},
                        Limits());
    std::vector<Event> history = history_of_original();
    const std::vector<Event> first(history.begin(), history.begin() + 6);
    std::vector<Event> second(history.begin() + 6, history.end());
    ASSERT_TRUE(execution.replay(first).ok());
    second.back() = model::ExecutionEnded{Outcome{.output = Payload::text("other")}};
    const Result<void> result = execution.replay(second);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("disagree at event 13"));
}

// ---- Bytes --------------------------------------------------------------------------------------

TEST(StoredHistory, AnUnknownEventKindIsATypedError) {
    HistoryRow row = model::encode_events(history_of_original());
    row.bytes[0] = 99;
    const auto events = model::decode_events(row);
    ASSERT_FALSE(events.ok());
    EXPECT_EQ(events.error().code(), Errc::unsupported);
    EXPECT_THAT(events.error().message(), HasSubstr("event kind 99"));
}

TEST(StoredHistory, AnUnknownFormatIsATypedError) {
    HistoryRow row = model::encode_events(history_of_original());
    row.format = model::kHistoryFormat + 1;
    const auto events = model::decode_events(row);
    ASSERT_FALSE(events.ok());
    EXPECT_EQ(events.error().code(), Errc::unsupported);
}

TEST(StoredHistory, BytesThatEndTooEarlyAreATypedError) {
    const HistoryRow row = model::encode_events(history_of_original());
    for (std::size_t size = 0; size < row.bytes.size(); ++size) {
        HistoryRow cut = row;
        cut.bytes.resize(size);
        const auto events = model::decode_events(cut);
        ASSERT_FALSE(events.ok()) << size;
        EXPECT_EQ(events.error().code(), Errc::corrupt);
    }
}

}  // namespace
}  // namespace belay::replay::mismatch_tests
