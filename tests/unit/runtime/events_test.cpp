// The engine says what happens: events, their texts, their limits and their counts.
#include "runtime/event_log.hpp"
#include "support/pipe_for_errors.hpp"
#include "world.hpp"

#include <gmock/gmock.h>

#include <climits>
#include <stdexcept>
#include <thread>

namespace belay::runtime_tests::events {
namespace {

using namespace std::chrono_literals;
using support::PipeForErrors;
using ::testing::HasSubstr;
using ::testing::Not;

EngineEvent sample() {
    EngineEvent event;
    event.code = EngineCode::lease_lost;
    event.at = Timestamp(Millis(1'000));
    event.worker = "w1";
    event.instance = InstanceName{"default", "order-7"};
    event.definition = "Checkout";
    event.activity = "Charge";
    event.attempt = 2;
    event.what = "the lease was lost";
    event.advice = "look at the disk";
    return event;
}

TEST(EngineEvents, ALineSaysWhereItHappenedAndWhatToDo) {
    EXPECT_EQ(to_line(sample()),
              "1970-01-01T00:00:01.000Z belay warning lease_lost worker=w1 run=order-7 "
              "definition=Checkout activity=Charge attempt=2: the lease was lost (look at the "
              "disk)");
}

TEST(EngineEvents, ALineStaysOneLine) {
    EngineEvent event = sample();
    event.what = "one\ntwo\x1b[31m";
    event.left_out = 3;
    EXPECT_THAT(to_line(event), HasSubstr("one two [31m"));
    EXPECT_THAT(to_line(event), HasSubstr("[3 more of these left out]"));
}

TEST(EngineEvents, JsonHasAMemberForEachThatApplies) {
    EngineEvent event = sample();
    EXPECT_EQ(to_json(event),
              R"({"at":"1970-01-01T00:00:01.000Z","level":"warning","code":"lease_lost",)"
              R"("worker":"w1","namespace":"default","run":"order-7","definition":"Checkout",)"
              R"("activity":"Charge","attempt":2,"what":"the lease was lost",)"
              R"("advice":"look at the disk"})");
    event.instance.reset();
    EXPECT_THAT(to_json(event), Not(HasSubstr("namespace")));
}

TEST(EngineEvents, EveryCodeHasAWord) {
    for (std::size_t i = 0; i < kEngineCodes; ++i) {
        EXPECT_NE(to_string(static_cast<EngineCode>(i)), "unknown") << i;
    }
    EXPECT_EQ(to_string(static_cast<EngineCode>(kEngineCodes)), "unknown");
    EXPECT_EQ(to_string(EngineCode::activity_log), "activity_log") << "the last one";
}

TEST(EventsOnStderr, AreWholeLines) {
    PipeForErrors pipe;
    lines_on_stderr()(sample());
    json_on_stderr()(sample());
    EXPECT_EQ(pipe.read(), to_line(sample()) + "\n" + to_json(sample()) + "\n");
}

TEST(EventsOnStderr, EngineEventsWaitForNoReader) {
    PipeForErrors pipe;
    pipe.fill();
    lines_on_stderr()(sample());  // Returns.
    EXPECT_THAT(pipe.read(), Not(HasSubstr("the lease was lost")));
    lines_on_stderr()(sample());
    EXPECT_THAT(pipe.read(), HasSubstr("the lease was lost"));
}

TEST(EventsOnStderr, UserEventsWaitForTheReader) {
    PipeForErrors pipe;
    pipe.fill();
    EngineEvent line = sample();
    line.code = EngineCode::activity_log;
    std::thread logs([&] { lines_on_stderr()(line); });
    std::string all;
    while (all.find("the lease was lost") == std::string::npos) all += pipe.read();
    logs.join();
}

TEST(EventsOnStderr, AReaderThatIsGoneDoesNotEndTheProcess) {
    PipeForErrors pipe;
    pipe.break_off();
    EngineEvent line = sample();
    lines_on_stderr()(line);
    line.code = EngineCode::activity_log;
    lines_on_stderr()(line);
}

TEST(EventsOnStderr, EventsOfAnyLengthFitIntoOneWriteToAPipe) {
    PipeForErrors pipe;
    EngineEvent event = sample();
    event.what = std::string(100'000, 'w');
    lines_on_stderr()(event);
    EXPECT_LE(pipe.read().size(), std::size_t{PIPE_BUF});
}

class Limited : public ::testing::Test {
protected:
    void report(EngineCode code, int times) {
        for (int i = 0; i < times; ++i) {
            log_.report(runtime::event_of(code, LogLevel::warning, "again"));
        }
    }

    ManualClock clock_;
    RuntimeCounts counts_;
    std::vector<EngineEvent> heard_;
    runtime::EventLog log_{
        clock_, "w1", [this](const EngineEvent& event) { heard_.push_back(event); }, counts_};
};

TEST_F(Limited, TooManyOfOneCodeAreLeftOutAndCounted) {
    report(EngineCode::claim_failed, 100);
    EXPECT_EQ(heard_.size(), 20U);
    EXPECT_EQ(counts_.events_of(EngineCode::claim_failed), 100U);
    report(EngineCode::commit_failed, 1);
    EXPECT_EQ(heard_.size(), 21U) << "another code has its own share";
    clock_.advance(1s);
    report(EngineCode::claim_failed, 2);
    ASSERT_EQ(heard_.size(), 22U);
    EXPECT_EQ(heard_.back().left_out, 80U);
    clock_.advance(1s);
    report(EngineCode::claim_failed, 1);
    EXPECT_EQ(heard_.back().left_out, 1U);
}

TEST_F(Limited, LinesOfUsersAreNeverLeftOut) {
    report(EngineCode::orchestration_log, 100);
    report(EngineCode::activity_log, 100);
    EXPECT_EQ(heard_.size(), 200U);
    EXPECT_EQ(heard_.back().worker, "w1");
}

class Events : public World {
protected:
    RuntimeOptions heard() {
        return RuntimeOptions().worker("w1").events(
            [this](const EngineEvent& event) { events.push_back(event); });
    }
    const EngineEvent* find(EngineCode code) const {
        for (const EngineEvent& event : events) {
            if (event.code == code) return &event;
        }
        return nullptr;
    }

    std::vector<EngineEvent> events;
};

TEST_F(Events, AWorkerWhoseStoreIsAwaySaysSo) {
    Process& p = process(registry_with(one_step), heard());
    store.fail_claims(2);
    settle();
    const EngineEvent* const claim = find(EngineCode::claim_failed);
    ASSERT_NE(claim, nullptr);
    EXPECT_EQ(claim->level, LogLevel::warning);
    EXPECT_EQ(claim->worker, "w1");
    EXPECT_THAT(claim->advice, HasSubstr("belay doctor"));
    EXPECT_GE(p.runtime->counts().events_of(EngineCode::claim_failed), 2U);
}

TEST_F(Events, ACommitThatFailsIsReported) {
    process(registry_with(one_step), heard());
    start();
    store.fail_commit_of<Turn>(Fault::not_applied);
    settle();
    const EngineEvent* const commit = find(EngineCode::commit_failed);
    ASSERT_NE(commit, nullptr);
    EXPECT_THAT(commit->what, HasSubstr("1 commit failed"));
    EXPECT_THAT(commit->what, HasSubstr("it is tried again"));
}

TEST_F(Events, ATurnThatWillBeRefusedAgainIsReportedAndGivenBack) {
    Process& p = process(registry_with(one_step), heard());
    const auto run = start();
    store.refuse_commit_of<Turn>(Errc::unsupported, "a record of a newer release");
    settle();
    const EngineEvent* const refused = find(EngineCode::turn_refused);
    ASSERT_NE(refused, nullptr);
    EXPECT_EQ(refused->level, LogLevel::error);
    EXPECT_EQ(refused->instance->id, "i1");
    EXPECT_THAT(refused->what, HasSubstr("a turn of 'i1' was refused"));
    EXPECT_THAT(refused->what, HasSubstr("a record of a newer release"));
    EXPECT_EQ(p.runtime->counts().events_of(EngineCode::turn_refused), 1U);
    EXPECT_EQ(status(run), Status::pending) << "nothing of the turn is recorded";
    EXPECT_EQ(p.executor.count(), 0U);
    pass(Policy().retry_delay);
    EXPECT_EQ(status(run), Status::running) << "it is tried again";
    EXPECT_EQ(p.runtime->counts().events_of(EngineCode::turn_refused), 1U);
}

/// As with a coder whose keys are away: the others of its batch are applied.
TEST_F(Events, ACommitThatFailsByItselfIsReportedEachTime) {
    Process& p = process(registry_with(one_step), heard());
    const auto run = start();
    store.fail_alone<Turn>(Errc::unavailable, "no key service");
    store.fail_alone<Turn>(Errc::unavailable, "no key service");
    settle();
    EXPECT_EQ(p.runtime->counts().events_of(EngineCode::commit_failed), 1U);
    pass(Policy().retry_delay);
    EXPECT_EQ(p.runtime->counts().events_of(EngineCode::commit_failed), 2U);
    const EngineEvent* const commit = find(EngineCode::commit_failed);
    ASSERT_NE(commit, nullptr);
    EXPECT_THAT(commit->what, HasSubstr("1 commit failed"));
    EXPECT_THAT(commit->what, HasSubstr("no key service"));
    EXPECT_THAT(commit->what, HasSubstr("it is tried again"));
    pass(Policy().retry_delay);
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(p.runtime->counts().events_of(EngineCode::commit_failed), 2U);
}

TEST_F(Events, ASweepThatFailsByItselfIsReported) {
    process(registry_with(one_step), heard());
    store.fail_alone<Sweep>(Errc::unavailable, "no key service");
    settle();
    const EngineEvent* const sweep = find(EngineCode::commit_failed);
    ASSERT_NE(sweep, nullptr);
    EXPECT_THAT(sweep->what, HasSubstr("the sweep failed"));
}

TEST_F(Events, AMessageThatBecomesADeadLetterIsReported) {
    Process& p = process(registry_with(one_step), heard());
    start();
    store.say_undelivered<Turn>(2);
    settle();
    const EngineEvent* const letter = find(EngineCode::message_undeliverable);
    ASSERT_NE(letter, nullptr);
    EXPECT_EQ(letter->level, LogLevel::warning);
    EXPECT_THAT(letter->what, HasSubstr("2 messages are dead letters"));
    EXPECT_THAT(letter->advice, HasSubstr("belay dead-letters list"));
    EXPECT_EQ(p.runtime->counts().events_of(EngineCode::message_undeliverable), 1U);
}

TEST_F(Events, AMessageThatASweepCannotDeliverIsReported) {
    process(registry_with(one_step), heard());
    store.say_undelivered<Sweep>(1);
    settle();
    const EngineEvent* const letter = find(EngineCode::message_undeliverable);
    ASSERT_NE(letter, nullptr);
    EXPECT_THAT(letter->what, HasSubstr("1 message is a dead letter"));
}

TEST_F(Events, ARunWhoseCodeIsMissingIsReportedOnceItHasWaited) {
    process(activities_only(), heard());
    start();
    settle();
    pass(Policy().code_patience + 1s);
    const EngineEvent* const missing = find(EngineCode::code_missing);
    ASSERT_NE(missing, nullptr);
    EXPECT_THAT(missing->what, HasSubstr("wait for code that no worker has"));
}

TEST_F(Events, ALeaseThatCouldNotBeRenewedIsReportedWithTheActivity) {
    Process& p = process(registry_with(one_step), heard());
    start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    clock.advance(Policy().activity_lease + 1ms);
    settle();
    const EngineEvent* const lost = find(EngineCode::lease_lost);
    ASSERT_NE(lost, nullptr);
    EXPECT_EQ(lost->activity, "Work");
    EXPECT_EQ(lost->instance->id, "i1");
    EXPECT_EQ(p.runtime->counts().leases_lost, 1U);
}

TEST_F(Events, ARenewalThatFailsOrIsRefusedIsReported) {
    process(registry_with(one_step), heard());
    start();
    settle();
    store.fail_commit_of<RenewActivity>(Fault::not_applied);
    pass(Policy().activity_lease - Policy().renewal_buffer);
    ASSERT_NE(find(EngineCode::renewal_failed), nullptr);
    store.refuse_commit_of<RenewActivity>(Errc::lease_lost, "another worker has it");
    pass(Policy().retry_delay);
    const EngineEvent* const refused = find(EngineCode::renewal_refused);
    ASSERT_NE(refused, nullptr);
    EXPECT_THAT(refused->what, HasSubstr("another worker has it"));
    ASSERT_TRUE(refused->instance);
    EXPECT_EQ(refused->instance->id, "i1");
    EXPECT_EQ(refused->activity, "Work");
    EXPECT_NE(find(EngineCode::lease_lost), nullptr);
}

TEST_F(Events, ARenewalThatFailsByItselfIsReportedWithTheActivity) {
    Process& p = process(registry_with(one_step), heard());
    start();
    settle();
    store.fail_alone<RenewActivity>(Errc::unavailable, "no key service");
    pass(Policy().activity_lease - Policy().renewal_buffer);
    const EngineEvent* const failed = find(EngineCode::renewal_failed);
    ASSERT_NE(failed, nullptr);
    ASSERT_TRUE(failed->instance);
    EXPECT_EQ(failed->instance->id, "i1");
    EXPECT_EQ(failed->activity, "Work");
    EXPECT_THAT(failed->what, HasSubstr("no key service"));
    pass(Policy().retry_delay);
    EXPECT_EQ(p.runtime->counts().renewals, 1U);
    EXPECT_EQ(p.runtime->counts().leases_lost, 0U);
}

TEST_F(Events, AHeartbeatThatCannotBeWrittenIsReportedWithTheActivity) {
    Process& p = process(registry_with(one_step), heard());
    start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    store.refuse_commit_of<RenewActivity>(Errc::limit_exceeded, "too long");
    p.executor.at(0).task->heartbeats().beat(Payload::text("half"));
    settle();
    const EngineEvent* const unwritten = find(EngineCode::heartbeat_unwritten);
    ASSERT_NE(unwritten, nullptr);
    ASSERT_TRUE(unwritten->instance);
    EXPECT_EQ(unwritten->instance->id, "i1");
    EXPECT_EQ(unwritten->activity, "Work");
}

TEST_F(Events, AResultThatADeletionOvertookIsReported) {
    Process& p = process(registry_with(one_step), heard().share_commits(false));
    const auto run = start();
    settle();
    store.hold_commit_of<AckActivity>();
    p.executor.finish(0);
    settle();
    ASSERT_TRUE(client.delete_instance(run, true).ok());
    store.release();
    settle();
    const EngineEvent* const lost = find(EngineCode::result_lost);
    ASSERT_NE(lost, nullptr);
    EXPECT_EQ(lost->level, LogLevel::warning) << "a worker writes it without being asked to";
    EXPECT_EQ(lost->activity, "Work");
    EXPECT_EQ(p.runtime->counts().completions_refused, 1U);
}

TEST_F(Events, AResultThatACancelOvertookIsReportedQuietly) {
    Process& p = process(registry_with(one_step), heard().share_commits(false));
    const auto run = start();
    settle();
    store.hold_commit_of<AckActivity>();
    p.executor.finish(0);
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    store.release();
    settle();
    const EngineEvent* const lost = find(EngineCode::result_lost);
    ASSERT_NE(lost, nullptr);
    EXPECT_EQ(lost->level, LogLevel::info);
}

TEST_F(Events, ATurnThatADeletionOvertookIsReported) {
    process(registry_with(one_step), heard());
    const auto run = start();
    store.hold_commit_of<Turn>();
    settle();
    ASSERT_TRUE(client.delete_instance(run, true).ok());
    store.release();
    settle();
    const EngineEvent* const lost = find(EngineCode::turn_lost);
    ASSERT_NE(lost, nullptr);
    EXPECT_EQ(lost->level, LogLevel::warning) << "a worker writes it without being asked to";
    EXPECT_EQ(lost->instance->id, "i1");
}

TEST_F(Events, LinesOfActivitiesAndOrchestrationsGoTheSameWay) {
    Registry registry;
    registry.add(
        Main, +[](OrchestrationContext ctx, std::string input) -> Orchestration<std::string> {
            ctx.log().warning("begins");
            co_return co_await ctx.call(Work, input);
        });
    registry.add(Work, [](const ActivityContext& ctx, const std::string& what) {
        ctx.log().info("works on " + what);
        return what;
    });
    Process& p = process(std::move(registry), heard());
    start();
    settle();
    p.executor.finish(0);
    settle();
    const EngineEvent* const turn = find(EngineCode::orchestration_log);
    ASSERT_NE(turn, nullptr);
    EXPECT_EQ(turn->what, "begins");
    EXPECT_EQ(turn->level, LogLevel::warning);
    const EngineEvent* const activity = find(EngineCode::activity_log);
    ASSERT_NE(activity, nullptr);
    EXPECT_EQ(activity->what, "works on x");
    EXPECT_EQ(activity->activity, "Work");
    EXPECT_EQ(activity->instance->id, "i1");
}

TEST_F(Events, ASinkThatThrowsHarmsNothing) {
    process(registry_with(one_step), RuntimeOptions().events([](const EngineEvent&) {
        throw std::runtime_error("disk full");
    }));
    store.fail_claims(1);
    const auto run = start();
    settle();
    pass(Policy().retry_delay);
    EXPECT_EQ(status(run), Status::running);
}

}  // namespace
}  // namespace belay::runtime_tests::events
