// Starting with an id that is in use: fail, use the existing one, or replace it.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(id_conflict)

namespace belay::conformance {
namespace {

Start with(NewInstance made, IdConflict policy) {
    Start part = op::start(std::move(made));
    part.on_conflict = policy;
    part.by = "replacer";
    return part;
}

BELAY_CASE(IdConflict, FailNamesTheOneInTheWay) {
    const RunRef run = start_running("a");
    const Answer answer = commit(with(instance("a"), belay::IdConflict::fail));
    EXPECT_TRUE(refused(answer, Errc::id_in_use));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, run);
    EXPECT_EQ(answer.instance->name, named("a"));
    EXPECT_EQ(answer.instance->status, Status::running);
}

BELAY_CASE(IdConflict, FailSaysWhetherTheInputDiffers) {
    Start first = op::start(instance("a"));
    first.input_digest.fill(1);
    apply(first);
    Start same = op::start(instance("a"));
    same.input_digest.fill(1);
    EXPECT_FALSE(commit(same).input_differs);
    Start other = op::start(instance("a"));
    other.input_digest.fill(2);
    EXPECT_TRUE(commit(other).input_differs);
}

BELAY_CASE(IdConflict, EndedRunStillHasItsId) {
    const RunRef run = start_running("a");
    end(run, failed());
    const Answer answer = commit(op::start(instance("a")));
    EXPECT_TRUE(refused(answer, Errc::id_in_use));
    EXPECT_EQ(answer.instance->status, Status::failed);
}

BELAY_CASE(IdConflict, DeletedIdIsFree) {
    const RunRef old = start_running("a");
    end(old);
    apply(op::force_delete(named("a")));
    const RunRef fresh = start("a");
    EXPECT_EQ(found("a").run, fresh);
    EXPECT_EQ(status(fresh), Status::pending);
}

BELAY_CASE(IdConflict, UseExistingNamesTheExistingOne) {
    const RunRef run = start_running("a");
    const Answer answer = commit(with(instance("a"), belay::IdConflict::use_existing));
    EXPECT_TRUE(refused(answer, Errc::id_in_use));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, run);
    EXPECT_EQ(answer.instance->status, Status::running);
}

BELAY_CASE(IdConflict, AnyPolicyStartsWhenTheIdIsFree) {
    EXPECT_TRUE(applied(commit(with(instance("a"), belay::IdConflict::fail))));
    EXPECT_TRUE(applied(commit(with(instance("b"), belay::IdConflict::use_existing))));
    EXPECT_TRUE(applied(commit(with(instance("c"), belay::IdConflict::replace))));
    EXPECT_EQ(claim_instances(10).size(), 3U) << "the replacement of nobody waits for nobody";
}

BELAY_CASE(IdConflict, ReplaceMovesTheName) {
    const RunRef old = start_running("a");
    end(old);
    const Start part = with(instance("a"), belay::IdConflict::replace);
    const Answer answer = apply(part);
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, part.instance.run);
    EXPECT_EQ(found("a").run, part.instance.run);
    EXPECT_EQ(status(old), Status::completed) << "by its run key it is still known";
}

BELAY_CASE(IdConflict, ReplaceCancelsAnActiveRunInTheSameCommit) {
    const RunRef old = start_with_activities("a", 1);
    const ClaimedActivity work = claim_activity();
    const Answer answer = apply(with(instance("a"), belay::IdConflict::replace));
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{work.token});
    EXPECT_EQ(status(old), Status::canceling);
    ASSERT_TRUE(info(old).cancel);
    EXPECT_EQ(cancel_record(old).by, "replacer");
    EXPECT_EQ(info(old).cancel_deadline, now() + StopTerms().cancel_deadline);
}

BELAY_CASE(IdConflict, PartsForOneRunDoNotReachItsReplacement) {
    const RunRef old = start_running("a");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    const RunRef fresh = part.instance.run;
    belay::Cancel cancel = op::cancel(named("a"), "late", 1min);
    Finish terminate = op::terminate(named("a"), "ann", "late");
    Send send = op::raise(named("a"), "go", Payload());
    cancel.run = terminate.run = send.run = old;
    EXPECT_TRUE(refused(commit(cancel), Errc::not_found));
    EXPECT_TRUE(refused(commit(terminate), Errc::not_found));
    EXPECT_TRUE(refused(commit(send), Errc::not_found));
    EXPECT_EQ(status(fresh), Status::pending);
    EXPECT_EQ(info(fresh).ready_messages, 0U);

    cancel.run = terminate.run = send.run = fresh;
    apply(send);
    EXPECT_EQ(info(fresh).ready_messages, 1U);
    apply(terminate);
    EXPECT_EQ(status(fresh), Status::canceled);
}

BELAY_CASE(IdConflict, ReplaceEndsAPendingRunAtOnce) {
    const RunRef old = start("a");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    EXPECT_EQ(status(old), Status::canceled);
    sweep();
    EXPECT_TRUE(try_claim(part.instance.run)) << "nothing of the old one ever ran";
}

BELAY_CASE(IdConflict, ReplacementWaitsUntilTheOldRunHasEnded) {
    const RunRef old = start_running("a");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    sweep();
    EXPECT_FALSE(try_claim(part.instance.run));
    EXPECT_EQ(status(part.instance.run), Status::pending);
    apply(ending(turn_of(claim(old)), canceled()));
    sweep();
    EXPECT_TRUE(try_claim(part.instance.run));
}

BELAY_CASE(IdConflict, ReplacementWaitsUntilTheOldRunIsSettled) {
    const RunRef old = start_with_activities("a", 1);
    const ClaimedActivity work = claim_activity();
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    apply(ending(turn_of(claim(old)), canceled()));
    sweep();
    EXPECT_FALSE(try_claim(part.instance.run)) << "a handler of the old run may still be running";
    EXPECT_TRUE(applied(try_drop(work)));
    sweep();
    EXPECT_TRUE(try_claim(part.instance.run));
}

BELAY_CASE(IdConflict, ReplacementWaitsForTheOldRunsChildren) {
    const RunRef old = start_running("a");
    const RunRef child = start_child(old, 1, "a/c");
    take_turn(child);
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    apply(ending(turn_of(claim(old)), canceled()));
    sweep();
    EXPECT_FALSE(try_claim(part.instance.run));
    end(child, canceled());
    sweep();
    EXPECT_TRUE(try_claim(part.instance.run));
}

BELAY_CASE(IdConflict, ReplacementDoesNotWaitForChildrenThatGoOnByThemselves) {
    const RunRef old = start_running("a");
    const RunRef child = start_abandoned(old, 1, "a/c");
    take_turn(child);
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    EXPECT_FALSE(try_claim(part.instance.run));
    apply(ending(turn_of(claim(old)), canceled()));
    sweep();
    EXPECT_EQ(status(child), Status::running);
    EXPECT_FALSE(info(old).settled) << "it counts among its children all the same";
    EXPECT_TRUE(try_claim(part.instance.run));
    end(child);
    EXPECT_TRUE(info(old).settled);
}

BELAY_CASE(IdConflict, ThoseChildrenEndOneByOneWhileTheReplacementGoesOn) {
    const RunRef old = start_running("a");
    std::vector<RunRef> children;
    for (CommandNo command = 1; command <= 5; ++command) {
        children.push_back(start_abandoned(old, command, "a/" + std::to_string(command)));
        take_turn(children.back());
    }
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    apply(ending(turn_of(claim(old)), canceled()));
    const ClaimedInstance item = claim(part.instance.run);
    for (const RunRef child : children) {
        EXPECT_FALSE(info(old).settled);
        end(child);
    }
    EXPECT_TRUE(info(old).settled);
    EXPECT_FALSE(try_claim(part.instance.run)) << "it is held, and waits for nobody";
    EXPECT_TRUE(applied(commit(turn_of(item))));
}

BELAY_CASE(IdConflict, ReplacementOfOneThatEndedDoesNotWaitForThemEither) {
    const RunRef old = start_running("a");
    take_turn(start_abandoned(old, 1, "a/c"));
    end(old);
    const Start part = with(instance("a"), belay::IdConflict::replace);
    Turn turn;
    turn.run = part.instance.run;
    turn.history = events(1);
    EXPECT_TRUE(applied(commit(fuse(part, turn)))) << "not even for its first turn";
}

BELAY_CASE(IdConflict, ReplacementWaitsForTheOthersAmongThem) {
    const RunRef old = start_running("a");
    take_turn(start_abandoned(old, 1, "a/c"));
    const RunRef child = start_child(old, 2, "a/d");
    take_turn(child);
    take_turn(start_abandoned(child, 1, "a/d/c"));
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    apply(ending(turn_of(claim(old)), canceled()));
    sweep();
    EXPECT_FALSE(try_claim(part.instance.run));
    schedule(child, {activity(2)});
    const ClaimedActivity work = claim_activity();
    end(child, canceled());
    EXPECT_FALSE(try_claim(part.instance.run)) << "a handler may still be running";
    EXPECT_TRUE(applied(try_drop(work)));
    EXPECT_TRUE(try_claim(part.instance.run)) << "what is below the child goes on by itself";
}

BELAY_CASE(IdConflict, ReplacementNeverWaitsForEver) {
    start_with_activities("a", 1);
    claim_activity();
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    advance(StopTerms().cancel_deadline + 1ms);
    sweep();
    advance(1h);
    sweep();
    EXPECT_TRUE(try_claim(part.instance.run));
}

BELAY_CASE(IdConflict, WaitingReplacementGathersMessages) {
    const RunRef old = start_running("a");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    raise("a", "go");
    EXPECT_FALSE(try_claim(part.instance.run));
    EXPECT_EQ(info(old).ready_messages, 0U) << "the name is the new run's";
    end(old, canceled());
    sweep();
    EXPECT_EQ(names_of(claim(part.instance.run).messages), std::vector<std::string>{"go"});
}

BELAY_CASE(IdConflict, WaitingReplacementCanBeCanceled) {
    const RunRef old = start_running("a");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    EXPECT_TRUE(cancel("a").changed);
    EXPECT_EQ(status(part.instance.run), Status::canceled);
    EXPECT_EQ(status(old), Status::canceling);
    end(old, canceled());
    sweep();
    EXPECT_FALSE(try_claim(part.instance.run));
}

BELAY_CASE(IdConflict, OldRunsMessagesDoNotMove) {
    start("a");
    raise("a", "for the old one");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    sweep();
    EXPECT_TRUE(claim(part.instance.run).messages.empty());
}

BELAY_CASE(IdConflict, FirstRecordOfTheOldRunStays) {
    const RunRef old = start_running("a");
    cancel("a", "by hand");
    apply(with(instance("a"), belay::IdConflict::replace));
    EXPECT_EQ(cancel_record(old).reason, "by hand");
}

BELAY_CASE(IdConflict, WaitingReplacementTakesNoUnclaimedTurn) {
    const RunRef old = start_running("a");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    apply(part);
    EXPECT_TRUE(refused(commit(next_turn(part.instance.run)), Errc::still_running));
    end(old, canceled());
    sweep();
    EXPECT_TRUE(applied(commit(next_turn(part.instance.run))));
}

BELAY_CASE(IdConflict, ReplacementIsNotFusedWithATurnWhileTheOldRunGoesOn) {
    const RunRef old = start_running("a");
    const Start part = with(instance("a"), belay::IdConflict::replace);
    Turn turn;
    turn.run = part.instance.run;
    turn.history = events(1);
    EXPECT_TRUE(refused(commit(fuse(part, turn)), Errc::still_running));
    EXPECT_EQ(found("a").run, old);
    EXPECT_EQ(status(old), Status::running) << "a refused replacement cancels nobody";
    end(old);
    EXPECT_TRUE(applied(commit(fuse(part, turn))));
}

}  // namespace
}  // namespace belay::conformance
