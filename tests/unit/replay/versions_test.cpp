// Versions of code, patches, detached starts and the log.
#include "unit/replay/harness.hpp"
#include <belay/exceptions.hpp>

#include <stdexcept>

namespace belay::replay::versions_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- Registry ----------------------------------------------------------------------------------

Orchestration<std::string> some_code(OrchestrationContext /*ctx*/) { co_return ""; }
inline constexpr Definition<std::string()> Some{"Some"};

TEST(Versions, TheNewestIsTakenWhateverWasRegisteredFirst) {
    Registry registry;
    registry.add(Some, some_code, "1.10");
    registry.add(Some, some_code, "1.9");
    registry.add(Some, some_code, "1.2");
    EXPECT_EQ(registry.orchestration("Some")->version, "1.10");
    EXPECT_EQ(registry.orchestration("Some", "")->version, "1.10");
    EXPECT_EQ(registry.orchestration("Some", "1.2")->version, "1.2");
    EXPECT_EQ(registry.orchestration("Some", "1.3"), nullptr);
    EXPECT_EQ(registry.orchestration("Other", "1.2"), nullptr);
}

TEST(Versions, OneIsRegisteredOnce) {
    Registry registry;
    registry.add(Some, some_code, "2");
    EXPECT_THROW(registry.add(Some, some_code, "2"), std::invalid_argument);
    try {
        registry.add(Some, some_code, "2.0");
        FAIL() << "it is registered";
    } catch (const std::invalid_argument& refused) {
        EXPECT_NE(std::string(refused.what()).find("version '2.0', which is the same as '2'"),
                  std::string::npos)
            << refused.what();
    }
    EXPECT_THROW(registry.add(Some, some_code, "a\nb"), std::invalid_argument);
}

TEST(Versions, AreOrderedByTheirParts) {
    EXPECT_TRUE(compare_versions("1.9", "1.10") < 0);
    EXPECT_TRUE(compare_versions("1.10", "2") < 0);
    EXPECT_TRUE(compare_versions("2", "2.0") == 0);
    EXPECT_TRUE(compare_versions("2.0.1", "2") > 0);
    EXPECT_TRUE(compare_versions("007", "7") == 0);
    EXPECT_TRUE(compare_versions("99999999999999999999", "100000000000000000000") < 0);
    EXPECT_TRUE(compare_versions("2.rc", "2") < 0);
    EXPECT_TRUE(compare_versions("2.alpha", "2.beta") < 0);
    EXPECT_TRUE(compare_versions("", "1") < 0);
    EXPECT_TRUE(compare_versions("", "") == 0);
}

Orchestration<void> names_version(OrchestrationContext ctx, std::string version) {
    auto next = ctx.continue_as_new(Definition<void(std::string)>{kDefinition}, version);
    if (!version.empty()) next.version(version);
    co_await std::move(next);
}

TEST(Versions, TheNextExecutionMayBeOfANamedOne) {
    Scenario s(names_version);
    s.start(std::string("7")).expect({"version 7", "continued \"7\""});
    EXPECT_EQ(s.execution().next_version(), "7");
    Scenario newest(names_version);
    newest.start(std::string()).expect({"continued \"\""});
    EXPECT_EQ(newest.execution().next_version(), "");
}

TEST(Versions, AVersionIsAName) {
    Scenario s(names_version);
    s.start(std::string("a\nb"));
    EXPECT_THAT(s.failure().message, HasSubstr("a version"));
}

// ---- Patches -----------------------------------------------------------------------------------

Orchestration<std::string> before_patch(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    co_return co_await ctx.call(Work, "old");
}
Orchestration<std::string> with_patch(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    if (ctx.patched("new-way")) co_return co_await ctx.call(Work, "new");
    co_return co_await ctx.call(Work, "old");
}
Orchestration<std::string> patch_retired(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    ctx.retire_patch("new-way");
    co_return co_await ctx.call(Work, "new");
}
Orchestration<std::string> patch_removed(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    co_return co_await ctx.call(Work, "new");
}

TEST(Patches, ARunThatComesThereTakesTheNewPathAndLeavesAMark) {
    Scenario s(with_patch);
    s.start().skip().complete(1).expect({"patch new-way", "call #2 Work \"new\""});
    s.complete(2, "done").expect({"completed \"done\""});
}

TEST(Patches, ARunThatPassedThereBeforeStaysOnTheOldPath) {
    Scenario s(before_patch);
    s.start().complete(1);
    EXPECT_TRUE(replay_with(with_patch, s.history()).ok());
    s.complete(2, "done");
    EXPECT_TRUE(replay_with(with_patch, s.history()).ok());
}

TEST(Patches, ARunThatHasNotComeThereYetTakesTheNewPath) {
    Scenario s(before_patch);
    s.start();
    Registry registry;
    registry.add(definition_of(+with_patch), with_patch);
    Execution execution(registry.orchestration(kDefinition)->handler,
                        Identity{{"space", kInstance}, 1, kDefinition, "1"},
                        Limits());
    ASSERT_TRUE(execution.replay(s.history()).ok());
    execution.begin_turn(from_unix_ms(1'700'000'009'000), Payload());
    execution.apply(NewMessage{MessageKind::activity_completed, 1, 1, "", Payload()});
    const std::vector<model::Event> recorded = execution.take_recorded();
    ASSERT_EQ(recorded.size(), 4U);
    EXPECT_EQ(std::get<model::PatchMarked>(recorded[2]).name, "new-way");
}

TEST(Patches, CodeThatLostThePatchIsAMismatch) {
    Scenario s(with_patch);
    s.start().complete(1);
    const Result<void> same = replay_with(patch_removed, s.history());
    ASSERT_FALSE(same.ok());
    EXPECT_THAT(same.error().message(), HasSubstr("history: PatchMarked new-way"));
}

TEST(Patches, ARetiredOneGoesOnWithMarkedAndWithUnmarkedHistories) {
    Scenario marked(with_patch);
    marked.start().complete(1);
    EXPECT_TRUE(replay_with(patch_retired, marked.history()).ok());

    Scenario retired(patch_retired);
    retired.start().skip().complete(1).expect({"retired new-way", "call #2 Work \"new\""});
    EXPECT_TRUE(replay_with(patch_retired, retired.history()).ok());
    Scenario removed(patch_removed);
    removed.start().complete(1);
    EXPECT_TRUE(replay_with(patch_retired, removed.history()).ok());
    EXPECT_FALSE(replay_with(patch_retired,
                             [] {
                                 Scenario old(before_patch);
                                 old.start().complete(1);
                                 return old.history();
                             }())
                     .ok());
}

TEST(Patches, ARetiredOneIsAMarkForCodeThatAsksForItAndNothingForCodeThatForgotIt) {
    Scenario s(patch_retired);
    s.start().complete(1);
    EXPECT_TRUE(replay_with(with_patch, s.history()).ok());
    EXPECT_TRUE(replay_with(patch_removed, s.history()).ok());
    const Result<void> old = replay_with(before_patch, s.history());
    ASSERT_FALSE(old.ok());
    EXPECT_THAT(old.error().message(), HasSubstr("at event 7"));
}

// The paths part long after the patch was asked for.

Orchestration<std::string> asks_early(OrchestrationContext ctx) {
    const bool is_new = ctx.patched("new-way");
    co_await ctx.call(Ping);
    co_return co_await ctx.call(Work, is_new ? "new" : "old");
}
Orchestration<std::string> retires_early(OrchestrationContext ctx) {
    ctx.retire_patch("new-way");
    co_await ctx.call(Ping);
    co_return co_await ctx.call(Work, "new");
}

TEST(Patches, ARetiredOneShowsHoweverLateThePathsPart) {
    Scenario s(retires_early);
    s.start().expect({"retired new-way", "call #1 Ping ()"});
    EXPECT_TRUE(replay_with(asks_early, s.history()).ok());
    s.complete(1).expect({"call #2 Work \"new\""});
    EXPECT_TRUE(replay_with(asks_early, s.history()).ok());
}

// Several in one place, each forgotten at another time.

template <bool has_a, bool has_b, bool has_c>
Orchestration<std::string> retires(OrchestrationContext ctx) {
    if constexpr (has_a) ctx.retire_patch("a");
    if constexpr (has_b) ctx.retire_patch("b");
    const auto number = ctx.random().integer(1, 9);
    if constexpr (has_c) ctx.retire_patch("c");
    co_await ctx.wait<std::string>("go");
    co_return std::to_string(number);
}
Orchestration<std::string> asks_for_b(OrchestrationContext ctx) {
    const bool is_new = ctx.patched("b");
    const auto number = ctx.random().integer(1, 9);
    co_await ctx.wait<std::string>("go");
    co_return is_new ? std::to_string(number) : "old";
}

TEST(Patches, RetiredOnesAreForgottenOneByOne) {
    Scenario s(retires<true, true, true>);
    s.start();
    s.raise("go", "now");
    ASSERT_NE(s.result<std::string>(), "");
    EXPECT_TRUE((replay_with(retires<false, true, true>, s.history()).ok()));
    EXPECT_TRUE((replay_with(retires<true, false, true>, s.history()).ok()));
    EXPECT_TRUE((replay_with(retires<true, true, false>, s.history()).ok()));
    EXPECT_TRUE((replay_with(retires<false, false, false>, s.history()).ok()));
    EXPECT_TRUE(replay_with(asks_for_b, s.history()).ok());
}

template <bool is_forgotten>
Orchestration<std::string> retires_and_waits(OrchestrationContext ctx) {
    auto work = ctx.start(ctx.call(Work, "slow"));
    co_await ctx.call(Ping);
    if constexpr (!is_forgotten) ctx.retire_patch("p");
    co_return co_await std::move(work);
}

TEST(Patches, OneThatIsTheLastOfWhatATurnDidIsForgottenToo) {
    Scenario s(retires_and_waits<false>);
    s.start().skip().complete(2).expect({"retired p"});
    EXPECT_TRUE(replay_with(retires_and_waits<true>, s.history()).ok());
    s.complete(1, "done");
    EXPECT_TRUE(replay_with(retires_and_waits<true>, s.history()).ok());
    EXPECT_TRUE(replay_with(retires_and_waits<false>, s.history()).ok());
}

template <bool is_forgotten>
Orchestration<std::string> retires_and_adds(OrchestrationContext ctx) {
    ctx.set_custom_status("one");
    if constexpr (!is_forgotten) ctx.retire_patch("p");
    try {
        ctx.set_custom_status("two");
    } catch (const LimitExceeded&) {
        co_return "full";
    }
    co_return "had room";
}

TEST(Patches, AForgottenOneThatFilledTheHistoryStillFillsIt) {
    Scenario with_room(retires_and_adds<false>);
    with_room.start();
    ASSERT_EQ(with_room.result<std::string>(), "had room");
    // As many as there are up to the patch.
    Limits limits;
    limits.history_events = 0;
    for (const model::Event& event : with_room.history()) {
        ++limits.history_events;
        if (std::holds_alternative<model::PatchRetired>(event)) break;
    }

    Scenario full(retires_and_adds<false>, limits);
    full.start();
    ASSERT_EQ(full.result<std::string>(), "full");
    const Result<void> same = replay_with(retires_and_adds<true>, full.history(), limits);
    EXPECT_TRUE(same.ok()) << same.error().describe();
}

Orchestration<std::string> loops_before(OrchestrationContext ctx) {
    for (int i = 0; i < 3; ++i) co_await ctx.call(Ping);
    co_return "";
}
Orchestration<std::string> loops_with_patch(OrchestrationContext ctx) {
    std::string ways;
    for (int i = 0; i < 3; ++i) {
        ways += ctx.patched("p") ? "n" : "o";
        co_await ctx.call(Ping);
    }
    co_return ways;
}

TEST(Patches, OneExecutionTakesOnePath) {
    Scenario fresh(loops_with_patch);
    fresh.start().expect({"patch p", "call #1 Ping ()"});
    fresh.complete(1).complete(2).complete(3);
    EXPECT_EQ(fresh.result<std::string>(), "nnn");

    Scenario old(loops_before);
    old.start().complete(1);
    Registry registry;
    registry.add(definition_of(+loops_with_patch), loops_with_patch);
    Execution execution(registry.orchestration(kDefinition)->handler,
                        Identity{{"space", kInstance}, 1, kDefinition, "1"},
                        Limits());
    ASSERT_TRUE(execution.replay(old.history()).ok());
    for (const CommandNo command : {2U, 3U}) {
        execution.begin_turn(from_unix_ms(1'700'000'009'000), Payload());
        execution.apply(NewMessage{MessageKind::activity_completed, 1, command, "", Payload()});
    }
    ASSERT_TRUE(execution.outcome().has_value());
    EXPECT_EQ(Codec<std::string>::decode(execution.outcome()->output), "ooo");
}

Orchestration<std::string> loops_with_patch_retired(OrchestrationContext ctx) {
    for (int i = 0; i < 3; ++i) {
        ctx.retire_patch("p");
        co_await ctx.call(Ping);
    }
    co_return "nnn";
}

TEST(Patches, OneIsRetiredOnceInAnExecution) {
    Scenario s(loops_with_patch_retired);
    s.start().expect({"retired p", "call #1 Ping ()"});
    s.complete(1).expect({"call #2 Ping ()"});
    s.complete(2).complete(3);
    EXPECT_TRUE(replay_with(loops_with_patch, s.history()).ok());
    Scenario marked(loops_with_patch);
    marked.start().complete(1).complete(2).complete(3);
    EXPECT_TRUE(replay_with(loops_with_patch_retired, marked.history()).ok());
}

Orchestration<void> retires_without_name(OrchestrationContext ctx) {
    ctx.retire_patch("");
    co_await ctx.call(Ping);
}
Orchestration<void> patch_without_name(OrchestrationContext ctx) {
    if (ctx.patched("")) co_await ctx.call(Ping);
}

TEST(Patches, HaveAName) {
    Scenario asked(patch_without_name);
    asked.start();
    EXPECT_THAT(asked.failure().message, HasSubstr("a patch's name"));
    Scenario retired(retires_without_name);
    retired.start();
    EXPECT_THAT(retired.failure().message, HasSubstr("a patch's name"));
}

// ---- Detached starts ---------------------------------------------------------------------------

Orchestration<std::string> detaches(OrchestrationContext ctx, std::string id) {
    ctx.start_detached(Child, id, "in");
    const auto other = Child.with(ChildOptions().version("2").label("kind", true));
    ctx.start_detached(other, id + "-b", "in");
    co_await ctx.call(Ping);
    co_return "done";
}

TEST(Detached, AreRecordedAndNotWaitedFor) {
    Scenario s(detaches);
    s.start(std::string("audit-7"))
        .expect({"detached Child \"in\" as audit-7",
                 "detached Child \"in\" as audit-7-b version 2",
                 "call #1 Ping ()"});
    EXPECT_EQ(s.execution().open_commands(), 1U);
    s.complete(1).expect({"completed \"done\""});
}

TEST(Detached, AreNotCanceledWithTheRun) {
    Scenario s(detaches);
    s.start(std::string("audit-7"))
        .skip()
        .cancel("stop")
        .expect({"cancel #1", "canceled by user: stop, cleanup done"});
}

TEST(Detached, TheirIdIsARootsName) {
    const auto problem = [](const std::string& id) {
        Scenario s(detaches);
        s.start(id);
        return s.failure().message;
    };
    EXPECT_THAT(problem("a/b"), HasSubstr("which is kept for children"));
    EXPECT_THAT(problem(""), HasSubstr("an instance's id"));
    EXPECT_THAT(problem(std::string(300, 'x')), HasSubstr("an instance's id"));
}

Orchestration<void> detaches_when_canceled(OrchestrationContext ctx) {
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
    }
    ctx.start_detached(Child, "late", "in");
}

TEST(Detached, AfterACancelOnlyUnderAShield) {
    Scenario s(detaches_when_canceled);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup done"});
}

Orchestration<void> shielded_detach(OrchestrationContext ctx) {
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
    }
    const auto shield = ctx.shield();
    ctx.start_detached(Child, "late", "in");
}

TEST(Detached, UnderAShieldAfterACancelToo) {
    Scenario s(shielded_detach);
    s.start().skip().cancel("stop").expect(
        {"cancel #1", "detached Child \"in\" as late", "canceled by user: stop, cleanup done"});
}

Orchestration<void> detaches_with_id(OrchestrationContext ctx) {
    ctx.start_detached(Child.with(ChildOptions().id("x")), "y", "in");
    co_return;
}

TEST(Detached, OptionsThatMakeNoSenseAreRefused) {
    Scenario s(detaches_with_id);
    s.start();
    EXPECT_THAT(s.failure().message,
                HasSubstr("a run on its own has a version, labels and a document"));
}

// ---- Log ---------------------------------------------------------------------------------------

Orchestration<void> logs(OrchestrationContext ctx) {
    ctx.log().info("begun");
    co_await ctx.call(Ping);
    ctx.log().warning("half way");
    ctx.log().debug("details");
    co_await ctx.call(Ping);
    ctx.log().error("done");
}

class Logged {
public:
    explicit Logged(LogSink sink = {}) {
        registry_.add(definition_of(+logs), logs);
        if (sink) sink_ = std::move(sink);
    }
    std::unique_ptr<Execution> make() {
        return std::make_unique<Execution>(registry_.orchestration(kDefinition)->handler,
                                           Identity{{"space", kInstance}, 3, kDefinition, "1"},
                                           Limits(),
                                           &sink_);
    }
    std::vector<std::string> lines;

private:
    Registry registry_;
    LogSink sink_ = [this](const LogRecord& record) {
        lines.push_back(std::string(to_string(record.level)) + " " + record.instance.id + "." +
                        std::to_string(record.execution) + " " + record.definition + " " +
                        record.version + ": " + std::string(record.message));
    };
};

TEST(Log, LinesGoToTheSinkOnce) {
    Logged logged;
    const auto first = logged.make();
    first->begin_turn(from_unix_ms(1), Payload());
    EXPECT_THAT(logged.lines, ElementsAre("info test-1.3 Test 1: begun"));
    const std::vector<model::Event> history = first->take_recorded();

    logged.lines.clear();
    const auto second = logged.make();
    ASSERT_TRUE(second->replay(history).ok());
    EXPECT_THAT(logged.lines, ElementsAre()) << "silent on replay";
    second->begin_turn(from_unix_ms(2), Payload());
    second->apply(NewMessage{MessageKind::activity_completed, 3, 1, "", Payload()});
    EXPECT_THAT(logged.lines,
                ElementsAre("warning test-1.3 Test 1: half way", "debug test-1.3 Test 1: details"));
}

TEST(Log, AnExceptionOfTheSinkIsLost) {
    Logged logged([](const LogRecord&) { throw std::runtime_error("disk full"); });
    const auto execution = logged.make();
    execution->begin_turn(from_unix_ms(1), Payload());
    execution->apply(NewMessage{MessageKind::activity_completed, 3, 1, "", Payload()});
    execution->apply(NewMessage{MessageKind::activity_completed, 3, 2, "", Payload()});
    ASSERT_TRUE(execution->outcome().has_value());
    EXPECT_EQ(execution->outcome()->status, Status::completed);
}

TEST(Log, WithoutASinkNothingHappens) {
    Scenario s(logs);
    s.start().complete(1).complete(2);
    EXPECT_EQ(s.outcome().status, Status::completed);
}

}  // namespace
}  // namespace belay::replay::versions_tests
