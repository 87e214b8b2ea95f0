// Several parts as one transition: all or none, and each sees what the ones before it made.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(fused)

namespace belay::conformance {
namespace {

/// The first turn of a run that is started in the same transition.
Turn first_turn(const NewInstance& made) {
    Turn turn;
    turn.run = made.run;
    turn.history = events(2);
    turn.activities = {activity(1)};
    return turn;
}

BELAY_CASE(Fused, StartWithItsFirstTurn) {
    const NewInstance made = instance("a");
    const Answer answer = apply(fuse(op::start(made), first_turn(made)));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, made.run);
    EXPECT_EQ(answer.instance->status, Status::running);
    EXPECT_EQ(status(made.run), Status::running);
    EXPECT_EQ(info(made.run).position, 2U);
    EXPECT_EQ(info(made.run).started_at, now());
    EXPECT_EQ(activities(made.run).size(), 1U);
    EXPECT_FALSE(try_claim(made.run)) << "its first turn was taken";
}

/// A resumed run begins so: with the history of another one, and with all that was open there.
BELAY_CASE(Fused, StartWithAHistoryAndAllThatIsOpenInIt) {
    const NewInstance made = instance("a");
    Turn turn = first_turn(made);
    turn.history = events(40);
    turn.in_line = false;
    NewTimer timer;
    timer.command = 2;
    timer.due_at = now() + 1h;
    timer.message = op::timer_fired(1, 2);
    turn.timers = {timer};
    NewChild child;
    child.instance = instance("a/child");
    child.instance.parent = ParentLink{made.run, 1, 3};
    turn.children = {child};
    turn.custom_status = Payload::text("half way");
    turn.key_values = {KeyValueChange{"count", Payload::text("1")}};
    apply(fuse(op::start(made), turn));

    EXPECT_EQ(status(made.run), Status::running);
    EXPECT_EQ(info(made.run).position, 40U);
    EXPECT_EQ(info(made.run).custom_status, Payload::text("half way"));
    EXPECT_EQ(key_values(made.run).at("count"), Payload::text("1"));
    EXPECT_EQ(activities(made.run).size(), 1U);
    EXPECT_EQ(info(child.instance.run).parent->run, made.run);
    EXPECT_FALSE(try_claim(made.run)) << "nothing has happened yet";
    advance(1h);
    EXPECT_EQ(claim(made.run).messages.size(), 1U);
}

BELAY_CASE(Fused, StartKeepsTheVersionOfItsFirstTurn) {
    // Long: a short text may survive where a long one would not.
    const std::string version(Limits().name_bytes, 'v');
    for (const bool with_status : {false, true}) {
        NewInstance made = instance(with_status ? "with" : "without");
        made.version.clear();
        Turn turn = first_turn(made);
        turn.version = version;
        if (with_status) turn.custom_status = Payload::text("new");
        apply(fuse(op::start(made), turn));
        EXPECT_EQ(info(made.run).version, version);
    }
}

BELAY_CASE(Fused, StartWithATurnThatEndsIt) {
    const NewInstance made = instance("a");
    Turn turn = first_turn(made);
    turn.activities.clear();
    Ends ends;
    ends.outcome = completed("at once");
    turn.after = ends;
    apply(fuse(op::start(made), turn));
    EXPECT_EQ(status(made.run), Status::completed);
    EXPECT_EQ(info(made.run).outcome->output, Payload::text("at once"));
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Fused, RefusedStartRefusesTheTurn) {
    const RunRef other = start("a");
    const NewInstance made = instance("a");
    const Answer answer = commit(fuse(op::start(made), first_turn(made)));
    EXPECT_TRUE(refused(answer, Errc::id_in_use));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, other);
    EXPECT_FALSE(find(made.run));
    EXPECT_TRUE(activities().empty());
}

BELAY_CASE(Fused, RefusedTurnRefusesTheStart) {
    const NewInstance made = instance("a");
    Turn turn = first_turn(made);
    turn.position = 5;
    EXPECT_TRUE(refused(commit(fuse(op::start(made), turn)), Errc::position_moved));
    EXPECT_FALSE(find("a"));
    EXPECT_FALSE(find(made.run));
    EXPECT_TRUE(applied(commit(op::start(made)))) << "neither id nor run key was consumed";
}

BELAY_CASE(Fused, RefusedTurnConsumesNoIdempotencyKey) {
    NewInstance made = instance("a");
    Start keyed = op::start(made);
    keyed.key = IdempotencyKey{"k", KeyScope::forever, Millis(0)};
    Turn turn = first_turn(made);
    turn.execution = 2;
    EXPECT_TRUE(refused(commit(fuse(keyed, turn)), Errc::position_moved));
    EXPECT_TRUE(applied(commit(keyed)));
}

BELAY_CASE(Fused, CompletionWithTheTurnItCauses) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    Turn turn = next_turn(run);
    turn.in_line = true;
    turn.activities = {activity(2)};
    apply(fuse(op::ack_activity(item, std::nullopt), turn));
    EXPECT_EQ(info(run).position, 2U);
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{2});
    EXPECT_FALSE(try_claim(run)) << "no message was sent";
}

BELAY_CASE(Fused, CompletionWithATurnThatEndsTheRun) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const Turn turn = ending(next_turn(run), completed());
    const Answer answer = apply(fuse(op::ack_activity(item, std::nullopt), turn));
    EXPECT_TRUE(answer.stopped.empty()) << "the handler that completed is not told to stop";
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Fused, LostLeaseRefusesTheTurn) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity lost = claim_activity();
    advance(kLease);
    claim_activity();
    const Turn turn = next_turn(run);
    EXPECT_TRUE(
        refused(commit(fuse(op::ack_activity(lost, std::nullopt), turn)), Errc::lease_lost));
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Fused, RefusedTurnKeepsTheLease) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    raise("a", "first come");
    Turn turn = next_turn(run);
    turn.in_line = true;
    EXPECT_TRUE(
        refused(commit(fuse(op::ack_activity(item, std::nullopt), turn)), Errc::messages_waiting));
    EXPECT_TRUE(applied(try_renew(item)));
    EXPECT_TRUE(applied(try_complete(item))) << "the result goes through the queue instead";
    EXPECT_EQ(inbox(run).size(), 2U);
}

BELAY_CASE(Fused, CancelBetweenRefusesTheWholeCompletion) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const Turn turn = next_turn(run);
    cancel("a");
    const Answer answer = commit(fuse(op::ack_activity(item, std::nullopt), turn));
    EXPECT_EQ(answer.verdict, Verdict::refused) << describe(answer);
    EXPECT_EQ(stopping(run).size(), 1U) << "nothing of it was written";
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Fused, SeveralCompletionsWithOneTurn) {
    const RunRef run = start_with_activities("a", 3);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 3U);
    const Turn turn = ending(next_turn(run), completed());
    apply(fuse(op::ack_activity(items[0], std::nullopt),
               op::ack_activity(items[1], std::nullopt),
               op::ack_activity(items[2], std::nullopt),
               turn));
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_TRUE(stopping(run).empty());
}

BELAY_CASE(Fused, OneLostLeaseOfSeveralRefusesAll) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    ClaimedActivity wrong = items[1];
    wrong.token = fresh_token();
    const Turn turn = next_turn(run);
    EXPECT_TRUE(refused(
        commit(fuse(
            op::ack_activity(items[0], std::nullopt), op::ack_activity(wrong, std::nullopt), turn)),
        Errc::lease_lost));
    EXPECT_EQ(activities(run).size(), 2U);
    EXPECT_TRUE(applied(try_complete(items[0])));
}

BELAY_CASE(Fused, OneLostLeaseOfManyRefusesAll) {
    const RunRef run = start_with_activities("a", 6);
    auto items = claim_activities();
    ASSERT_EQ(items.size(), 6U);
    const auto ends = [&] {
        return fuse(op::ack_activity(items[5], std::nullopt),
                    op::ack_activity(items[2], std::nullopt),
                    op::ack_activity(items[0], std::nullopt),
                    op::ack_activity(items[3], std::nullopt),
                    next_turn(run));
    };
    const LeaseToken token = items[0].token;
    items[0].token = fresh_token();
    EXPECT_TRUE(refused(commit(ends()), Errc::lease_lost));
    EXPECT_EQ(activities(run).size(), 6U);
    items[0].token = token;
    apply(ends());
    const auto left = activities(run);
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left[0].activity, items[1].activity);
    EXPECT_EQ(left[1].activity, items[4].activity);
    EXPECT_TRUE(applied(try_complete(items[1])));
}

BELAY_CASE(Fused, TurnWithMessagesToOthers) {
    const RunRef a = start_running("a");
    const RunRef b = start_running("b");
    Deliver deliver;
    deliver.run = b;
    deliver.message = event("hello");
    apply(fuse(next_turn(a), deliver));
    EXPECT_EQ(names_of(inbox(b)), std::vector<std::string>{"hello"});

    Turn wrong = next_turn(a);
    wrong.position = 9;
    EXPECT_TRUE(refused(commit(fuse(deliver, wrong)), Errc::position_moved));
    EXPECT_EQ(inbox(b).size(), 1U);
}

BELAY_CASE(Fused, StartOfALinkedRunWithTheTurnThatEndsTheFirst) {
    const RunRef run = start_running("a");
    const NewInstance on_fail = instance("a-failed");
    apply(fuse(ending(next_turn(run), failed()), op::start(on_fail)));
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(status(on_fail.run), Status::pending);
}

BELAY_CASE(Fused, TwoChangesOfOneRunAreRefused) {
    const RunRef run = start_running("a");
    Turn first = next_turn(run);
    Turn second = first;
    second.position = 2;
    const Answer both = commit(fuse(first, second));
    EXPECT_EQ(both.verdict, Verdict::refused) << describe(both);
    EXPECT_TRUE(refused(commit(fuse(op::cancel(named("a"), "enough", kDeadline), first)),
                        Errc::invalid_argument));
    EXPECT_EQ(info(run).position, 1U);
    EXPECT_EQ(status(run), Status::running);
}

BELAY_CASE(Fused, ChangeBelowARunThatAnEarlierPartMayEndIsRefused) {
    const RunRef root = start_running("a");
    const RunRef child = start_child(root, 1, "a/1");
    take_turn(child);
    const RunRef grandchild = start_child(child, 1, "a/1/1");
    take_turn(grandchild);
    const RunRef other = start_running("b");
    Finish end;
    end.target = named("a");
    end.outcome = failed();
    const Change ends_it[] = {op::cancel(named("a"), "enough", kDeadline), end};
    for (const Change& first : ends_it) {
        for (const RunRef below : {child, grandchild}) {
            const Turn turn = next_turn(below);
            EXPECT_TRUE(refused(commit(fuse(first, turn)), Errc::invalid_argument));
            EXPECT_EQ(info(below).position, turn.position);
            EXPECT_EQ(status(below), Status::running);
        }
    }
    EXPECT_EQ(status(root), Status::running);
    apply(fuse(op::cancel(named("a/1"), "enough", kDeadline), next_turn(root), next_turn(other)));
    EXPECT_EQ(info(root).position, 3U) << "what is above it, and beside it, can be changed";
}

BELAY_CASE(Fused, SweepIsATransitionOfItsOwn) {
    const RunRef run = start_running("a");
    EXPECT_TRUE(refused(commit(fuse(next_turn(run), Sweep())), Errc::invalid_argument));
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Fused, CompletionMakesRoomForItsNextTry) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    Turn turn = next_turn(run);
    turn.activities = {activity(1)};
    apply(fuse(op::ack_activity(item, std::nullopt), turn));
    const ClaimedActivity next = claim_activity();
    EXPECT_EQ(next.activity, item.activity);
    EXPECT_EQ(next.attempt, 1U);
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
}

}  // namespace
}  // namespace belay::conformance
