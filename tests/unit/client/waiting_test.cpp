// The work an instance waits for, in every state of that work; and its timeline.
#include "client/open_commands.hpp"
#include "management_fixture.hpp"
#include "model/encoding.hpp"

#include <gmock/gmock.h>

namespace belay::management_tests {
namespace {

using model::Event;
using ::testing::HasSubstr;

class Waiting : public Management {
protected:
    /// A turn with these events, behind what is there.
    Turn turn_with(RunRef run, std::vector<Event> events) {
        Turn turn = next_turn(run);
        events.insert(events.begin(), model::TurnStarted{clock.wall()});
        if (turn.position == 0) {
            events.insert(events.begin() + 1, model::ExecutionStarted{"Task", "1", Payload()});
        }
        turn.history = model::encode_events(events);
        return turn;
    }
    RunRef begun(const std::string& id, std::vector<Event> events = {}) {
        const RunRef run = pending(id);
        EXPECT_TRUE(commit(turn_with(run, std::move(events))).done());
        return run;
    }
    /// A run with one activity, as history and the queue have it.
    RunRef with_activity(const std::string& id, Millis delay = Millis(0)) {
        const RunRef run = pending(id);
        Turn turn =
            turn_with(run, {model::ActivityScheduled{1, "Charge", "billing", Payload(), false}});
        NewActivity activity;
        activity.command = 1;
        activity.name = "Charge";
        activity.queue = "billing";
        activity.delay = delay;
        turn.activities.push_back(activity);
        EXPECT_TRUE(commit(std::move(turn)).done());
        return run;
    }
    ClaimedActivity claim_activity() {
        ClaimActivities claim = op::claim_activity(LeaseToken{8, ++serial_}, "worker-7", 30s);
        claim.any_queue = true;
        ClaimedActivity item;
        inner->claim(claim, [&](const Result<ClaimActivities::Answer>& claimed) {
            EXPECT_EQ(claimed->claimed.size(), 1U);
            if (!claimed->claimed.empty()) item = claimed->claimed.front();
        });
        return item;
    }
    LeaseToken lock(RunRef run) {
        ClaimInstances claim = op::claim_instance(LeaseToken{8, ++serial_}, "worker-7", 30s);
        claim.run = run;
        inner->claim(claim, [](const Result<ClaimInstances::Answer>& claimed) {
            EXPECT_EQ(claimed->claimed.size(), 1U);
        });
        return LeaseToken{8, serial_};
    }
    InstanceDescription described(const std::string& id) {
        const Result<InstanceDescription> found = client.describe(named(id));
        EXPECT_TRUE(found) << (found ? "" : found.error().describe());
        return found ? *found : InstanceDescription();
    }
    /// The one thing it awaits.
    Awaited awaited(const std::string& id) {
        const InstanceDescription found = described(id);
        EXPECT_EQ(found.awaits.size(), 1U);
        return found.awaits.empty() ? Awaited() : found.awaits.front();
    }

    std::uint64_t serial_ = 0;
};

BELAY_ON_EVERY_STORE(Waiting);

// ---- The condition of an instance --------------------------------------------------------------

TEST_P(Waiting, NobodyIsNotFound) {
    EXPECT_EQ(client.describe(named("nobody")).error().code(), Errc::not_found);
    EXPECT_EQ(client.describe(named("")).error().code(), Errc::invalid_argument);
}

TEST_P(Waiting, AFirstTurnIsDue) {
    const Timestamp began = clock.wall();
    pending("a");
    clock.advance(5s);
    const InstanceDescription found = described("a");
    EXPECT_EQ(found.condition, Condition::turn_due);
    EXPECT_EQ(found.since, began);
    EXPECT_TRUE(found.awaits.empty());
    EXPECT_THAT(describe_condition(found), HasSubstr("2023-11-14T22:13:20.000Z"));
}

TEST_P(Waiting, AStartWithADelay) {
    Start start = op::start(made("a"));
    start.delay = 1min;
    ASSERT_TRUE(commit(start).done());
    const InstanceDescription found = described("a");
    EXPECT_EQ(found.condition, Condition::delayed);
    EXPECT_EQ(found.until, clock.wall() + 1min);
}

TEST_P(Waiting, BetweenTwoTurns) {
    begun("a", {model::WaitScheduled{1, MessageKind::event_raised, "go", false}});
    ASSERT_TRUE(client.raise(named("a"), "go", Payload()));
    const InstanceDescription found = described("a");
    EXPECT_EQ(found.condition, Condition::turn_due);
    ASSERT_EQ(found.awaits.size(), 1U);
    EXPECT_EQ(found.awaits[0].state, AwaitedState::answered);
    ASSERT_EQ(found.messages.size(), 1U);
    EXPECT_EQ(found.messages[0].name, "go");
    EXPECT_EQ(found.message_count, 1U);
    EXPECT_THAT(describe_condition(found), HasSubstr("between two turns"));
}

TEST_P(Waiting, InATurn) {
    lock(pending("a"));
    const InstanceDescription found = described("a");
    EXPECT_EQ(found.condition, Condition::in_turn);
    EXPECT_EQ(found.worker, "worker-7");
    EXPECT_EQ(found.until, clock.wall() + 30s);
    EXPECT_THAT(describe_condition(found), HasSubstr("worker-7"));
}

TEST_P(Waiting, NobodyHasItsCode) {
    const RunRef run = pending("a");
    AbandonTurn back;
    back.run = run;
    back.token = lock(run);
    back.delay = 10s;
    back.reason = AbandonReason::unregistered;
    const Timestamp since = clock.wall();
    ASSERT_TRUE(commit(back).done());
    clock.advance(1s);
    const InstanceDescription found = described("a");
    EXPECT_EQ(found.condition, Condition::code_missing);
    EXPECT_EQ(found.since, since);
    EXPECT_EQ(found.until, since + 10s);
    EXPECT_THAT(describe_condition(found), HasSubstr("nobody has its code (Task"));
}

TEST_P(Waiting, Held) {
    const RunRef run = pending("a");
    ASSERT_TRUE(commit(Hold{run, lock(run), "expected Charge, found Refund"}).done());
    const InstanceDescription found = described("a");
    EXPECT_EQ(found.condition, Condition::held);
    EXPECT_EQ(describe_condition(found), "held: expected Charge, found Refund");
}

TEST_P(Waiting, Ended) {
    ended("a");
    const InstanceDescription found = described("a");
    EXPECT_EQ(found.condition, Condition::ended);
    EXPECT_EQ(found.since, clock.wall());
    EXPECT_TRUE(found.awaits.empty());
    EXPECT_THAT(describe_condition(found), HasSubstr("completed at"));
}

// ---- Awaited work ------------------------------------------------------------------------------

TEST_P(Waiting, ForAnActivityInEachOfItsStates) {
    const Timestamp began = clock.wall();
    with_activity("a");
    clock.advance(1s);
    Awaited activity = awaited("a");
    EXPECT_EQ(activity.kind, AwaitedKind::activity);
    EXPECT_EQ(activity.name, "Charge");
    EXPECT_EQ(activity.queue, "billing");
    EXPECT_EQ(activity.state, AwaitedState::queued);
    EXPECT_EQ(activity.since, began);
    EXPECT_EQ(described("a").condition, Condition::waiting);
    EXPECT_THAT(describe(activity), HasSubstr("activity Charge in queue 'billing': in line since"));

    ClaimedActivity item = claim_activity();
    activity = awaited("a");
    EXPECT_EQ(activity.state, AwaitedState::running);
    EXPECT_EQ(activity.worker, "worker-7");
    EXPECT_EQ(activity.attempt, 1U);
    EXPECT_EQ(activity.until, clock.wall() + 30s);
    EXPECT_THAT(describe(activity), HasSubstr("attempt 1 at worker-7"));

    clock.advance(31s);
    activity = awaited("a");
    EXPECT_EQ(activity.state, AwaitedState::lease_expired);
    EXPECT_EQ(activity.until, clock.wall() - 1s);

    item = claim_activity();
    ASSERT_TRUE(commit(op::abandon_activity(item, 5s)).done());
    activity = awaited("a");
    EXPECT_EQ(activity.state, AwaitedState::retrying);
    EXPECT_EQ(activity.attempt, 2U);
    EXPECT_EQ(activity.until, clock.wall() + 5s);

    clock.advance(5s);
    item = claim_activity();
    AbandonActivity back = op::abandon_activity(item, 5s, CountAttempt::no);
    back.reason = AbandonReason::unregistered;
    ASSERT_TRUE(commit(back).done());
    activity = awaited("a");
    EXPECT_EQ(activity.state, AwaitedState::no_code);
    EXPECT_EQ(activity.unregistered, 1U);
    EXPECT_THAT(describe(activity),
                HasSubstr("no worker seems to have this name, or to be able to read its input "
                          "(seen 1 time), not before"));

    clock.advance(5s);
    item = claim_activity();
    EXPECT_EQ(awaited("a").state, AwaitedState::running) << "whoever has it may have its code";
    ASSERT_TRUE(commit(op::abandon_activity(item, 5s)).done());
    EXPECT_EQ(awaited("a").state, AwaitedState::retrying) << "and had it";

    clock.advance(5s);
    item = claim_activity();
    ASSERT_TRUE(
        commit(op::ack_activity(item, op::activity_completed(item.activity, Payload()))).done());
    activity = awaited("a");
    EXPECT_EQ(activity.state, AwaitedState::answered);
    EXPECT_EQ(described("a").condition, Condition::turn_due);
}

TEST_P(Waiting, ForAnActivityWithADelay) {
    with_activity("a", 1min);
    const Awaited activity = awaited("a");
    EXPECT_EQ(activity.state, AwaitedState::delayed);
    EXPECT_EQ(activity.until, clock.wall() + 1min);
}

TEST_P(Waiting, ForAnActivityThatACancelHasStopped) {
    with_activity("a");
    (void)claim_activity();
    ASSERT_TRUE(client.cancel(named("a"), CancelOptions().by("ann").reason("enough")));
    const InstanceDescription found = described("a");
    ASSERT_EQ(found.awaits.size(), 1U);
    EXPECT_EQ(found.awaits[0].state, AwaitedState::stopped);
    EXPECT_EQ(found.stopping.size(), 1U) << "its handler may still run";
    EXPECT_EQ(found.info.cancel->by, "ann");
    EXPECT_EQ(found.info.cancel->reason, "enough");
}

TEST_P(Waiting, ForATimer) {
    const RunRef run = pending("a");
    const Timestamp due = clock.wall() + 1min;
    Turn turn = turn_with(run, {model::TimerScheduled{1, due, false}});
    turn.timers.push_back(NewTimer{1, due, op::timer_fired(1, 1)});
    ASSERT_TRUE(commit(turn).done());
    Awaited timer = awaited("a");
    EXPECT_EQ(timer.kind, AwaitedKind::timer);
    EXPECT_EQ(timer.state, AwaitedState::waiting);
    EXPECT_EQ(timer.until, due);
    EXPECT_THAT(describe(timer), HasSubstr("timer until 2023-11-14T22:14:20.000Z"));
    EXPECT_EQ(described("a").condition, Condition::waiting);
    EXPECT_EQ(described("a").message_count, 0U) << "a timer is no message";
    clock.advance(1min);
    timer = awaited("a");
    EXPECT_EQ(timer.state, AwaitedState::answered);
    EXPECT_EQ(described("a").condition, Condition::turn_due);
}

TEST_P(Waiting, ForAChild) {
    const RunRef run = pending("a");
    Turn turn = turn_with(run, {model::ChildScheduled{1, "Task", "a/1", Payload(), false}});
    NewChild wanted;
    wanted.instance = made("a/1");
    wanted.instance.run.shard = run.shard;
    wanted.instance.parent = ParentLink{run, 1, 1};
    turn.children.push_back(wanted);
    ASSERT_TRUE(commit(turn).done());
    Awaited child = awaited("a");
    EXPECT_EQ(child.kind, AwaitedKind::child);
    EXPECT_EQ(child.child_id, "a/1");
    EXPECT_EQ(child.child_status, Status::pending);
    EXPECT_EQ(describe(child), "child 'a/1' (Task): pending");
    EXPECT_EQ(described("a").open_children, 1U);
    const InstanceDescription below = described("a/1");
    EXPECT_EQ(below.parent_id, "a");
    EXPECT_EQ(below.root_id, "a");

    ASSERT_TRUE(client.terminate(named("a/1")));
    child = awaited("a");
    EXPECT_EQ(child.state, AwaitedState::answered);
    EXPECT_EQ(child.child_status, Status::canceled);
    EXPECT_EQ(described("a").children, 1U);
    EXPECT_EQ(described("a").open_children, 0U);
}

TEST_P(Waiting, ForSeveralThings) {
    begun("a",
          {model::WaitScheduled{1, MessageKind::event_raised, "paid", false},
           model::WaitScheduled{2, MessageKind::queue_message, "orders", false},
           model::WaitScheduled{3, MessageKind::event_raised, "dropped", false},
           model::CommandCanceled{3}});
    const InstanceDescription found = described("a");
    ASSERT_EQ(found.awaits.size(), 2U);
    EXPECT_EQ(found.awaits[0].kind, AwaitedKind::event);
    EXPECT_EQ(found.awaits[0].name, "paid");
    EXPECT_EQ(found.awaits[1].kind, AwaitedKind::queue_message);
    EXPECT_EQ(found.awaits[1].name, "orders");
    EXPECT_EQ(describe_condition(found), "waiting for 2 things");
    EXPECT_THAT(describe(found.awaits[0]), HasSubstr("event 'paid', since"));
}

TEST_P(Waiting, OneMessageAnswersOneWait) {
    begun("a",
          {model::WaitScheduled{1, MessageKind::event_raised, "paid", false},
           model::WaitScheduled{2, MessageKind::event_raised, "paid", false},
           model::WaitScheduled{3, MessageKind::queue_message, "paid", false}});
    ASSERT_TRUE(client.raise(named("a"), "paid", Payload()).ok());
    InstanceDescription found = described("a");
    ASSERT_EQ(found.awaits.size(), 3U);
    EXPECT_EQ(found.awaits[0].state, AwaitedState::answered) << "the first who waits gets it";
    EXPECT_EQ(found.awaits[1].state, AwaitedState::waiting);
    EXPECT_EQ(found.awaits[2].state, AwaitedState::waiting) << "a queue is another channel";
    ASSERT_TRUE(client.raise(named("a"), "paid", Payload()).ok());
    found = described("a");
    EXPECT_EQ(found.awaits[1].state, AwaitedState::answered);
    EXPECT_EQ(found.awaits[2].state, AwaitedState::waiting);
}

TEST_P(Waiting, AHistoryThatCannotBeReadLeavesWhatIsInTheQueues) {
    const RunRef run = running("a");
    Turn turn = next_turn(run);
    NewActivity activity;
    activity.command = 1;
    activity.name = "Charge";
    turn.activities.push_back(activity);
    ASSERT_TRUE(commit(turn).done());
    child(run, 2, "a/2");
    const InstanceDescription found = described("a");
    EXPECT_FALSE(found.history_problem.empty());
    ASSERT_EQ(found.awaits.size(), 2U);
    EXPECT_EQ(found.awaits[0].name, "Charge");
    EXPECT_EQ(found.awaits[0].state, AwaitedState::queued);
    EXPECT_EQ(found.awaits[1].child_status, Status::pending);
}

TEST_P(Waiting, AStoreThatIsBusySaysSo) {
    begun("a");
    store.fail_history_reads(1, Errc::busy);
    EXPECT_EQ(client.describe(named("a")).error().code(), Errc::busy);
}

// ---- Messages that came first ------------------------------------------------------------------

TEST(OpenCommandsTest, AMessageThatCameFirstIsNotWaitedFor) {
    client::OpenCommands commands;
    commands.take(model::MessageReceived{MessageKind::event_raised, "go", Payload()});
    commands.take(model::WaitScheduled{1, MessageKind::event_raised, "go", false});
    EXPECT_TRUE(commands.open().empty());
    commands.take(model::WaitScheduled{2, MessageKind::event_raised, "go", false});
    commands.take(model::WaitScheduled{3, MessageKind::event_raised, "go", false});
    commands.take(model::MessageReceived{MessageKind::queue_message, "go", Payload()});
    EXPECT_EQ(commands.open().size(), 2U) << "a queue is no event";
    commands.take(model::MessageReceived{MessageKind::event_raised, "go", Payload()});
    ASSERT_EQ(commands.open().size(), 1U);
    EXPECT_EQ(commands.open().begin()->first, 3U) << "the first who waits gets it";
}

TEST(OpenCommandsTest, MessagesOfTheExecutionBeforeComeWithTheInput) {
    model::Writer out;
    out.payload(Payload());
    out.number(static_cast<std::uint64_t>(MessageKind::event_raised));
    out.text("go");
    out.payload(Payload());
    client::OpenCommands commands;
    commands.take(
        model::ExecutionStarted{"Task", "1", Payload(PayloadCodec::continued, out.take())});
    commands.take(model::WaitScheduled{1, MessageKind::event_raised, "go", false});
    commands.take(model::WaitScheduled{2, MessageKind::event_raised, "go", false});
    ASSERT_EQ(commands.open().size(), 1U);
    EXPECT_EQ(commands.open().begin()->first, 2U);
}

// ---- Timelines ---------------------------------------------------------------------------------

TEST_P(Waiting, ATimelineIsWhatHappened) {
    const Timestamp began = clock.wall();
    const RunRef run =
        begun("a",
              {model::ActivityScheduled{1, "Charge", "billing", Payload::text("42"), false},
               model::TimerScheduled{2, began + 1h, false},
               model::WaitScheduled{3, MessageKind::event_raised, "go", false}});
    clock.advance(3s);
    Failure failure;
    failure.message = "card refused";
    failure.attempt = 4;
    Outcome outcome;
    outcome.status = Status::failed;
    outcome.failure = failure;
    Turn last = turn_with(run,
                          {model::CommandFailed{1, failure},
                           model::CommandCanceled{2},
                           model::MessageReceived{MessageKind::event_raised, "go", Payload()},
                           model::ExecutionEnded{outcome}});
    last.after = Ends{outcome, std::nullopt};
    ASSERT_TRUE(commit(last).done());

    const Result<Timeline> timeline = client.timeline(named("a"));
    ASSERT_TRUE(timeline);
    EXPECT_EQ(timeline->instance.run, run);
    EXPECT_EQ(timeline->execution, 1U);
    EXPECT_EQ(timeline->executions.size(), 1U);
    std::vector<TimelineKind> kinds;
    for (const TimelineEntry& entry : timeline->entries) kinds.push_back(entry.kind);
    EXPECT_EQ(kinds,
              (std::vector<TimelineKind>{TimelineKind::turn,
                                         TimelineKind::started,
                                         TimelineKind::scheduled,
                                         TimelineKind::scheduled,
                                         TimelineKind::scheduled,
                                         TimelineKind::turn,
                                         TimelineKind::failed,
                                         TimelineKind::let_go,
                                         TimelineKind::received,
                                         TimelineKind::ended}));
    const TimelineEntry& scheduled = timeline->entries[2];
    EXPECT_EQ(scheduled.event, 3U);
    EXPECT_EQ(scheduled.at, began);
    EXPECT_EQ(scheduled.what, AwaitedKind::activity);
    EXPECT_EQ(scheduled.name, "Charge");
    EXPECT_EQ(scheduled.queue, "billing");
    EXPECT_THAT(scheduled.text, HasSubstr("ActivityScheduled #1 Charge"));
    EXPECT_EQ(timeline->entries[3].until, began + 1h);
    const TimelineEntry& failed = timeline->entries[6];
    EXPECT_EQ(failed.at, began + 3s);
    EXPECT_EQ(failed.scheduled_at, began);
    EXPECT_EQ(failed.name, "Charge");
    ASSERT_TRUE(failed.failure);
    EXPECT_EQ(failed.failure->attempt, 4U);
    EXPECT_EQ(timeline->entries[7].what, AwaitedKind::timer);
    ASSERT_TRUE(timeline->entries[9].outcome);
    EXPECT_EQ(timeline->entries[9].outcome->failure.message, "card refused");
}

TEST_P(Waiting, ATimelineIsOfOneExecution) {
    const RunRef run = pending("a");
    Turn turn = turn_with(run, {model::ExecutionContinued{Payload()}});
    turn.after = ContinuesAsNew{Payload(), "1"};
    ASSERT_TRUE(commit(turn).done());
    EXPECT_TRUE(client.timeline(named("a"))->entries.empty()) << "no turn of the second yet";
    EXPECT_EQ(client.timeline(named("a"))->execution, 2U);
    EXPECT_EQ(client.timeline(named("a"), 1)->entries.back().kind, TimelineKind::continued);
    EXPECT_EQ(client.timeline(named("a"), 3).error().code(), Errc::not_found);
    ASSERT_TRUE(client.prune_executions(named("a"), PruneOptions()));
    EXPECT_EQ(client.timeline(named("a"), 1).error().code(), Errc::not_found);
    EXPECT_EQ(client.timeline(named("nobody")).error().code(), Errc::not_found);
}

}  // namespace
}  // namespace belay::management_tests
