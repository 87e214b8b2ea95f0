// The checks can fail: each is shown a fault.
#include "simulation/races/stage.hpp"
#include "store/memory/inspect.hpp"
#include <belay/store/operations.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace belay::sim::observer_tests {
namespace {

using ::testing::HasSubstr;

/// A run in the middle of an activity, one that is done, and one that waits.
class ObserverTest : public ::testing::Test {
protected:
    ObserverTest() : stage_(1) {
        stage_.boot(0);
        stage_.start("done", "(g(a 0 0)(u 7))");
        stage_.start("waiting", "(g(e 0 0))");
        stage_.run();
        stage_.plan_handlers(hangs());
        stage_.start("busy", "(g(j 0 300))");
        stage_.run();
    }

    memory::Run& run(memory::Tables& tables, const std::string& id) {
        return *memory::find_run(tables, InstanceName{kSpace, id});
    }
    void doctor(const std::function<void(memory::Tables&)>& change) {
        ASSERT_EQ(stage_.problems(), "");
        stage_.true_store().with_tables(change);
    }
    /// Takes an entry out of a run's inbox, with all that is counted beside it.
    static void lose(memory::Tables& tables, memory::Run& run, MessageNo number) {
        if (memory::remove_waiting(run, number) == store::TakenOut::message) --run.plain_messages;
        run.inbox_at.reset();
        if (!run.inbox_ready.empty()) run.inbox_at = run.inbox_ready.begin()->first;
        memory::refresh(tables, run);
    }
    /// Returns the fault that the next look at everything finds.
    std::string found() {
        stage_.true_store().with_tables(
            [&](memory::Tables& tables) { stage_.observer().check_everything(tables); });
        return invariant();
    }
    /// Returns the fault that is found when the store is next written to.
    std::string found_at_next_commit() {
        stage_.commit(Sweep{1, "test"});
        return invariant();
    }
    std::string invariant() {
        return stage_.violations().any() ? stage_.violations().first()->invariant : "nothing";
    }
    /// Appends an event to the history of a run, as a turn would.
    void append(memory::Tables& tables, const std::string& id, const model::Event& event) {
        memory::Run& one = run(tables, id);
        std::vector<model::Event> events{model::TurnStarted{stage_.true_store().now()}, event};
        RecordedRow row{one.position + 1, model::encode_events(events)};
        one.position += events.size();
        one.executions.back().history.push_back(std::move(row));
    }

    Stage stage_;
};

TEST_F(ObserverTest, FindsNothingWhereNothingIsWrong) {
    ASSERT_EQ(stage_.status("done"), Status::completed);
    ASSERT_EQ(stage_.status("waiting"), Status::running);
    ASSERT_EQ(stage_.times_begun("busy", 1), 1U);
    EXPECT_EQ(stage_.problems(), "");
    EXPECT_EQ(found_at_next_commit(), "nothing");
}

TEST(JudgeTest, ReportsAWrongAnswerWithBothSides) {
    Stage stage(0);
    stage.true_store().judge(stage.violations());
    stage.commit(Sweep{1, "test"});
    EXPECT_EQ(stage.problems(), "");
    Answer wrong;
    wrong.swept = 7;
    stage.true_store().judge()->commit(
        op::transition(CommitId{9, 9}, Sweep{1, "test"}), stage.true_store().now(), wrong);
    ASSERT_TRUE(stage.violations().any());
    EXPECT_EQ(stage.violations().first()->invariant, "the naive store answers a commit alike");
    EXPECT_THAT(stage.violations().first()->detail, HasSubstr("swept=0"));
    EXPECT_THAT(stage.violations().first()->detail, HasSubstr("swept=7"));
}
TEST(JudgeTest, ReportsAWrongRow) {
    Stage stage(0);
    stage.true_store().judge(stage.violations());
    stage.start("a", kOneActivity);
    stage.run();
    stage.true_store().with_tables(
        [](memory::Tables& t) { memory::find_run(t, InstanceName{kSpace, "a"})->attempts = 3; });
    stage.true_store().judge()->compare(stage.true_store().now());
    ASSERT_TRUE(stage.violations().any());
    EXPECT_EQ(stage.violations().first()->invariant, "the naive store holds the same");
}

TEST_F(ObserverTest, FindsAChangedOutcome) {
    doctor([&](memory::Tables& t) { run(t, "done").outcome->output.bytes = "other"; });
    EXPECT_EQ(found(), "a terminal state never changes");
}
TEST_F(ObserverTest, FindsASecondTerminalState) {
    doctor([&](memory::Tables& t) { run(t, "done").status = Status::failed; });
    EXPECT_EQ(found_at_next_commit(), "a terminal state never changes");
}
TEST_F(ObserverTest, FindsAnEndThatHistoryDoesNotHave) {
    doctor([&](memory::Tables& t) {
        run(t, "waiting").status = Status::completed;
        run(t, "waiting").outcome = Outcome();
    });
    EXPECT_EQ(found_at_next_commit(), "status and history agree");
}
TEST_F(ObserverTest, FindsALostActivity) {
    doctor([&](memory::Tables& t) {
        const ActivityRef lost = t.activities.begin()->first;
        --memory::run_of(t, lost.run).activities;
        memory::remove_activity(t, lost);
    });
    EXPECT_EQ(found(), "what is open has exactly one row or answer");
}
TEST_F(ObserverTest, FindsALostTimer) {
    doctor([&](memory::Tables& t) {
        memory::Run& busy = run(t, "busy");
        lose(t, busy, busy.timers.begin()->second.second);
    });
    EXPECT_EQ(found(), "what is open has exactly one row or answer");
}
TEST_F(ObserverTest, FindsABrokenIndex) {
    doctor([&](memory::Tables& t) { t.waiting.clear(); });
    EXPECT_EQ(found(), "rows and indexes agree");
}
TEST_F(ObserverTest, FindsACompletionThatNoHandlerGave) {
    doctor([&](memory::Tables& t) {
        append(t, "busy", model::CommandCompleted{1, Payload::text("invented")});
    });
    EXPECT_EQ(found_at_next_commit(),
              "a completion belongs to a handler that ended with that result");
}
TEST_F(ObserverTest, FindsATimerThatFiredEarly) {
    doctor([&](memory::Tables& t) { append(t, "busy", model::CommandCompleted{2, Payload()}); });
    EXPECT_EQ(found_at_next_commit(), "a timer never fires early");
}
TEST_F(ObserverTest, FindsACompletionOfWhatWasCanceled) {
    doctor([&](memory::Tables& t) {
        append(t, "busy", model::CommandCanceled{2});
        append(t, "busy", model::CommandCompleted{2, Payload()});
    });
    EXPECT_EQ(found_at_next_commit(), "at most one completion per command");
}
TEST_F(ObserverTest, FindsALineThatIsLoggedAgain) {
    const InstanceName name{kSpace, "waiting"};
    const std::string text = "alpha";
    doctor([&](memory::Tables& t) {
        append(t, "waiting", model::CustomStatusSet{Payload::text("at 7")});
        run(t, "waiting").custom_status = Payload::text("at 7");
        ++run(t, "waiting").custom_status_version;
        run(t, "waiting").lock = memory::Lock{LeaseToken{1, 2}, Timestamp::max(), "e0", false};
    });
    const LogRecord line{LogLevel::info, "1", name, 1, text, text, stage_.true_store().now()};
    const auto log = [&] {
        stage_.true_store().with_tables(
            [&](memory::Tables& t) { stage_.observer().check_logged(t, "e0", line); });
    };
    log();  // By the turn that is committed now.
    EXPECT_EQ(found_at_next_commit(), "nothing");
    log();
    EXPECT_EQ(invariant(), "a replay logs nothing");
}
TEST_F(ObserverTest, FindsATurnThatLoggedNothing) {
    doctor([&](memory::Tables& t) {
        append(t, "waiting", model::CustomStatusSet{Payload::text("at 7")});
    });
    EXPECT_EQ(found_at_next_commit(), "a turn that is committed has logged its lines");
}
TEST_F(ObserverTest, FindsAnotherAttemptAfterAFinalFailure) {
    const Failure failure{.kind = FailureKind::poison, .message = "never again"};
    doctor([&](memory::Tables& t) {
        append(t, "busy", model::CommandFailed{1, failure});
        model::ActivityScheduled again{3, "pack", "", Payload(), false};
        again.terms.attempt = 2;
        again.terms.first = 1;
        append(t, "busy", again);
    });
    EXPECT_EQ(found_at_next_commit(), "what failed for good is not tried again");
}
TEST_F(ObserverTest, FindsAStatusThatIsTooLarge) {
    Limits limits;
    limits.custom_status_bytes = 10;
    stage_.observer().note_terms(limits, 10);
    doctor([&](memory::Tables& t) {
        append(t, "waiting", model::CustomStatusSet{Payload::text(std::string(11, '.'))});
    });
    EXPECT_EQ(found_at_next_commit(), "nothing is recorded that exceeds a limit");
}
TEST_F(ObserverTest, FindsAMessageNobodySent) {
    doctor([&](memory::Tables& t) {
        append(t,
               "waiting",
               model::MessageReceived{MessageKind::event_raised, kEvents[0], Payload::text("m9")});
    });
    EXPECT_EQ(found_at_next_commit(), "a message is received by whom it was sent to");
}
TEST_F(ObserverTest, FindsALostMessage) {
    stage_.kill(0);
    Send send;
    send.name = InstanceName{kSpace, "waiting"};
    send.message.kind = MessageKind::event_raised;
    send.message.name = kEvents[0];
    send.message.payload = Payload::text("m1");
    ASSERT_TRUE(stage_.commit(send).done());
    doctor([&](memory::Tables& t) {
        memory::Run& waiting = run(t, "waiting");
        lose(t, waiting, waiting.inbox.begin()->first.second);
    });
    EXPECT_EQ(found(), "a message is not lost");
}
TEST_F(ObserverTest, FindsADoubledMessage) {
    Send send;
    send.name = InstanceName{kSpace, "busy"};
    send.message.payload = Payload::text("m1");
    ASSERT_TRUE(stage_.commit(send).done());
    ASSERT_TRUE(stage_.commit(send).done());
    EXPECT_EQ(invariant(), "a message is accepted once");
}
TEST_F(ObserverTest, FindsAnotherCustomStatus) {
    stage_.start("talking", "(g(u 7)(e 0 0))");
    stage_.run();
    doctor([&](memory::Tables& t) { run(t, "talking").custom_status = Payload::text("at 8"); });
    EXPECT_EQ(found(), "the custom status is the last one set");
}
TEST_F(ObserverTest, FindsARunThatVanished) {
    doctor([&](memory::Tables& t) {
        memory::Run& lost = run(t, "waiting");
        t.runs_by_key.erase(lost.ref.key);
        t.runs.erase(RunRef(lost.ref));
    });
    EXPECT_EQ(found_at_next_commit(), "runs do not vanish");
}
TEST_F(ObserverTest, FindsADeletedRunThatCameBack) {
    memory::Run copy;
    stage_.true_store().with_tables([&](memory::Tables& t) { copy = run(t, "done"); });
    ASSERT_TRUE(stage_.commit(op::force_delete(InstanceName{kSpace, "done"})).done());
    doctor([&](memory::Tables& t) { t.runs.emplace(copy.ref, copy); });
    EXPECT_EQ(found_at_next_commit(), "nothing brings back what was deleted");
}
TEST_F(ObserverTest, FindsACancelThatWasForgotten) {
    Cancel cancel;
    cancel.name = InstanceName{kSpace, "busy"};
    cancel.deadline = Millis(1000);
    ASSERT_TRUE(stage_.commit(cancel).done());
    doctor([&](memory::Tables& t) {
        run(t, "busy").cancel.reset();
        run(t, "busy").status = Status::running;
    });
    EXPECT_EQ(found_at_next_commit(), "the first cancel stays");
}
TEST_F(ObserverTest, FindsAHistoryThatTheCodeDoesNotMake) {
    doctor([&](memory::Tables& t) {
        RecordedRow& first = run(t, "waiting").executions.back().history.front();
        std::vector<model::Event> events = *model::decode_events(first.row);
        events.back() = model::ActivityScheduled{1, "pack", "", Payload(), false};
        first.row = model::encode_events(events);
    });
    stage_.true_store().with_tables([&](memory::Tables& t) {
        stage_.observer().check_cold_replay(run(t, "waiting"), stage_.all_code());
    });
    EXPECT_EQ(invariant(), "cold replay equals the incremental run");
    EXPECT_THAT(stage_.violations().first()->detail, HasSubstr("pack"));
}
TEST_F(ObserverTest, FindsAClaimOfWhatIsLeased) {
    doctor([](memory::Tables&) {});
    memory::Tables before;
    ClaimActivities::Answer answer;
    ClaimedActivity& claimed = answer.claimed.emplace_back();
    stage_.true_store().with_tables([&](memory::Tables& t) {
        const memory::Activity& row = t.activities.begin()->second;
        claimed.activity = row.ref;
        claimed.leased_until = stage_.true_store().now() + Stage::kLease;
        ClaimActivities request;
        request.lease = Stage::kLease;
        stage_.observer().before_claim(t);
        stage_.observer().after_claim(t, request, answer);
    });
    EXPECT_EQ(invariant(), "one lease at a time");
}

TEST_F(ObserverTest, FindsAClaimWithTheProgressOfSomethingElse) {
    stage_.hold_back("RenewActivity");
    stage_.hold_back("a claim of activities");
    stage_.pass(2 * Stage::kLease);
    ClaimActivities::Answer answer;
    ClaimedActivity& claimed = answer.claimed.emplace_back();
    claimed.progress = Payload::text("half of it");
    doctor([&](memory::Tables& t) {
        memory::Activity& row = t.activities.begin()->second;
        claimed.activity = row.ref;
        claimed.leased_until = stage_.true_store().now() + Stage::kLease;
        ClaimActivities request;
        request.lease = Stage::kLease;
        stage_.observer().before_claim(t);
        stage_.observer().after_claim(t, request, answer);
    });
    EXPECT_EQ(invariant(), "a claim brings what was said of the progress last");
}

TEST_F(ObserverTest, FindsATimerThatIsClaimedEarly) {
    ClaimInstances::Answer answer;
    ClaimedInstance& claimed = answer.claimed.emplace_back();
    claimed.run = stage_.instance("busy")->ref;
    claimed.claimed_at = stage_.true_store().now();
    claimed.locked_until = claimed.claimed_at + Stage::kLease;
    Message& timer = claimed.messages.emplace_back();
    timer.content = NewMessage{MessageKind::timer_fired, 1, 2, "", Payload()};
    ClaimInstances request;
    request.lease = Stage::kLease;
    doctor([&](memory::Tables& t) {
        run(t, "busy").lock = memory::Lock{LeaseToken{1, 2}, claimed.locked_until, "", false};
        stage_.observer().after_claim(t, request, answer);
    });
    EXPECT_EQ(invariant(), "a timer never fires early");
}
TEST_F(ObserverTest, FindsAHandlerThatBeginsWhereItsQueueIsNotServed) {
    ASSERT_EQ(stage_.problems(), "");
    stage_.observer().note_queue(stage_.process(0).name(), "elsewhere");
    stage_.start("astray", "(g(a 0 0)(u 7))");
    stage_.run();
    EXPECT_EQ(invariant(), "a handler begins where its queue is served");
}
TEST_F(ObserverTest, FindsAHandlerThatIsToldOfACancelThatNeverWas) {
    ActivityDetails handler;
    doctor([&](memory::Tables& t) {
        const memory::Activity& row = t.activities.begin()->second;
        handler.activity = row.ref;
        handler.attempt = row.attempt;
        stage_.observer().check_told_to_stop(t, handler, StopReason::shutdown);
        EXPECT_EQ(invariant(), "nothing");
        stage_.observer().check_told_to_stop(t, handler, StopReason::canceled);
    });
    EXPECT_EQ(invariant(), "a handler is told that it was canceled only when it was");
}

/// A transition that is said to have been applied although a guard should have refused it.
class FenceTest : public ObserverTest {
protected:
    std::string applied(Part part) {
        Transition transition;
        transition.parts.push_back(std::move(part));
        stage_.true_store().with_tables([&](memory::Tables& t) {
            stage_.observer().before_commit(t, transition);
            stage_.observer().after_commit(t, transition, Answer());
        });
        return invariant();
    }
};

TEST_F(FenceTest, FindsACompletionByAStranger) {
    AckActivity ack;
    stage_.true_store().with_tables(
        [&](memory::Tables& t) { ack.activity = t.activities.begin()->first; });
    ack.token = LeaseToken{1, 2};
    ack.completion = NewMessage();
    EXPECT_EQ(applied(ack), "only the holder of the lease writes");
}
TEST_F(FenceTest, FindsATurnByAStranger) {
    Turn turn;
    turn.run = stage_.instance("busy")->ref;
    turn.position = stage_.instance("busy")->position;
    turn.lock = LeaseToken{1, 2};
    EXPECT_EQ(applied(turn), "only the holder of the lock writes");
}
TEST_F(FenceTest, FindsATurnFromElsewhereInHistory) {
    Turn turn;
    turn.run = stage_.instance("busy")->ref;
    turn.position = 1;
    EXPECT_EQ(applied(turn), "a turn goes on where history stands");
}
TEST_F(FenceTest, FindsARenewalOfAnExpiredLease) {
    RenewActivity renew;
    stage_.hold_back("RenewActivity");
    stage_.hold_back("a claim of activities");
    stage_.pass(2 * Stage::kLease);
    stage_.true_store().with_tables([&](memory::Tables& t) {
        renew.activity = t.activities.begin()->first;
        renew.token = *t.activities.begin()->second.token;
    });
    EXPECT_EQ(applied(renew), "an expired lease is not renewed");
}
TEST_F(FenceTest, FindsTwoRunsOfOneKey) {
    Start start;
    start.instance.run = RunRef{Shard{1}, RunKey{1}};
    start.key = IdempotencyKey{"once", KeyScope::forever, Millis(0)};
    EXPECT_EQ(applied(start), "nothing");
    start.instance.run = RunRef{Shard{1}, RunKey{2}};
    EXPECT_EQ(applied(start), "one instance per key");
}

TEST_F(FenceTest, FindsAHandOverThatOvertakesWhatWaits) {
    Turn turn;
    turn.run = stage_.instance("waiting")->ref;
    turn.position = stage_.instance("waiting")->position;
    NewActivity& activity = turn.activities.emplace_back();
    activity.command = 7;
    activity.hand_over = NewActivity::HandOver{LeaseToken{1, 2}, Stage::kLease, "e0"};
    Transition transition;
    transition.parts.emplace_back(turn);
    Answer answer;
    answer.leased.push_back(7);
    stage_.true_store().with_tables([&](memory::Tables& t) {
        t.activities.begin()->second.token.reset();
        stage_.observer().before_commit(t, transition);
        stage_.observer().after_commit(t, transition, answer);
    });
    EXPECT_EQ(invariant(), "what is handed over overtakes nobody");
}

/// An activity that ended, and then a cancel: both wait for the next turn.
class AnsweredThenCanceledTest : public FenceTest {
protected:
    AnsweredThenCanceledTest() {
        stage_.kill(0);
        AckActivity ack;
        stage_.true_store().with_tables([&](memory::Tables& t) {
            const memory::Activity& row = t.activities.begin()->second;
            ack.activity = row.ref;
            ack.token = *row.token;
            ack.completion = op::activity_completed(row.ref, Payload::text("charged"));
        });
        EXPECT_TRUE(stage_.commit(ack).done());
        EXPECT_TRUE(
            stage_.commit(op::cancel(InstanceName{kSpace, "busy"}, "enough", Millis(1000))).done());
    }
    /// Returns the fault that is found when a turn with these events is committed.
    std::string found_in_turn(std::vector<model::Event> events) {
        const memory::Run& busy = *stage_.instance("busy");
        events.insert(events.begin(), model::TurnStarted{stage_.true_store().now(), true});
        Turn turn;
        turn.run = busy.ref;
        turn.execution = busy.execution;
        turn.position = busy.position;
        turn.cancel_seen = true;
        turn.history = model::encode_events(events);
        return applied(turn);
    }
    model::CancelRequested cancel() { return {*stage_.instance("busy")->cancel}; }
    static constexpr CommandNo kActivity = 1;
};

TEST_F(AnsweredThenCanceledTest, FindsNothingInTheRightOrder) {
    EXPECT_EQ(
        found_in_turn({model::CommandCompleted{kActivity, Payload::text("charged")}, cancel()}),
        "nothing");
}
TEST_F(AnsweredThenCanceledTest, FindsACompletionThatTheCancelOvertook) {
    EXPECT_EQ(
        found_in_turn({cancel(), model::CommandCompleted{kActivity, Payload::text("charged")}}),
        "what came before the cancel is applied before it");
}
TEST_F(AnsweredThenCanceledTest, FindsACompletionThatIsLeftBehind) {
    EXPECT_EQ(found_in_turn({cancel(), model::CommandCanceled{kActivity}}),
              "what came before the cancel is applied before it");
}

}  // namespace
}  // namespace belay::sim::observer_tests
