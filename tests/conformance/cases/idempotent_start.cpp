// Starting once: of any number of starts with one key exactly one creates.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(idempotent_start)

namespace belay::conformance {
namespace {

Start keyed(NewInstance made, KeyScope scope = KeyScope::forever, Millis window = Millis(0)) {
    Start part = op::start(std::move(made));
    part.key = IdempotencyKey{"order-7", scope, window};
    return part;
}

FreeKey freeing() {
    FreeKey part;
    part.space = "default";
    part.owner = "team";
    part.definition = "Order";
    part.key = "order-7";
    return part;
}

BELAY_CASE(IdempotentStart, SecondIsToldWhichCameFirst) {
    const Start first = keyed(instance("a"));
    apply(first);
    const Start second = keyed(instance("b"));
    const Answer answer = commit(second);
    EXPECT_TRUE(refused(answer, Errc::duplicate_key));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, first.instance.run);
    EXPECT_EQ(answer.instance->name, named("a"));
    EXPECT_EQ(answer.instance->status, Status::pending);
    EXPECT_FALSE(answer.instance->deleted);
    EXPECT_FALSE(find("b"));
    EXPECT_FALSE(find(second.instance.run));
}

BELAY_CASE(IdempotentStart, RunShowsItsKey) {
    const RunRef run = apply(keyed(instance("a"))).instance->run;
    EXPECT_EQ(info(run).key, "order-7");
    EXPECT_EQ(info(start("b")).key, std::nullopt);
}

BELAY_CASE(IdempotentStart, AnEmptyKeyIsRefused) {
    for (const KeyScope scope : {KeyScope::forever, KeyScope::while_active}) {
        Start part = keyed(instance("a"), scope);
        part.key->key.clear();
        EXPECT_TRUE(refused(commit(part), Errc::invalid_argument));
        EXPECT_FALSE(find("a"));
    }
    apply(op::start(instance("a")));
}

BELAY_CASE(IdempotentStart, AnswerHasTheStatusOfNow) {
    const Start first = keyed(instance("a"));
    apply(first);
    end(first.instance.run, failed());
    const Answer answer = commit(keyed(instance("b")));
    EXPECT_TRUE(refused(answer, Errc::duplicate_key));
    EXPECT_EQ(answer.instance->status, Status::failed);
}

BELAY_CASE(IdempotentStart, EqualInputIsSaidToBeEqual) {
    Start first = keyed(instance("a"));
    first.input_digest.fill(1);
    apply(first);
    Start second = keyed(instance("b"));
    second.input_digest.fill(1);
    const Answer answer = commit(second);
    EXPECT_TRUE(refused(answer, Errc::duplicate_key));
    EXPECT_FALSE(answer.input_differs);
}

BELAY_CASE(IdempotentStart, OtherInputIsSaidToDiffer) {
    Start first = keyed(instance("a"));
    first.input_digest.fill(1);
    apply(first);
    Start second = keyed(instance("b"));
    second.input_digest.fill(1);
    second.input_digest[31] = 2;
    const Answer answer = commit(second);
    EXPECT_TRUE(refused(answer, Errc::duplicate_key));
    EXPECT_TRUE(answer.input_differs);
}

BELAY_CASE(IdempotentStart, KeyIsLookedAtBeforeTheId) {
    const Start first = keyed(instance("a"));
    apply(first);
    start("b");
    EXPECT_TRUE(refused(commit(keyed(instance("b"))), Errc::duplicate_key));
    EXPECT_TRUE(refused(commit(keyed(instance("a"))), Errc::duplicate_key));
}

BELAY_CASE(IdempotentStart, DuplicateNeverReplaces) {
    const Start first = keyed(instance("a"));
    apply(first);
    Start second = keyed(instance("a"));
    second.on_conflict = IdConflict::replace;
    EXPECT_TRUE(refused(commit(second), Errc::duplicate_key));
    EXPECT_EQ(found("a").run, first.instance.run);
    EXPECT_EQ(status(first.instance.run), Status::pending);
}

BELAY_CASE(IdempotentStart, RefusedIdConsumesNoKey) {
    start("a");
    EXPECT_TRUE(refused(commit(keyed(instance("a"))), Errc::id_in_use));
    EXPECT_TRUE(applied(commit(keyed(instance("b")))));
}

BELAY_CASE(IdempotentStart, KeyIsUniquePerDefinition) {
    apply(keyed(instance("a")));
    NewInstance other = instance("b");
    other.definition = "Refund";
    EXPECT_TRUE(applied(commit(keyed(other))));
}

BELAY_CASE(IdempotentStart, KeyIsUniquePerOwner) {
    apply(keyed(instance("a")));
    NewInstance other = instance("b");
    other.owner = "other team";
    EXPECT_TRUE(applied(commit(keyed(other))));
}

BELAY_CASE(IdempotentStart, KeyIsUniquePerNamespace) {
    apply(keyed(instance("a")));
    NewInstance other = instance("b");
    other.name.space = "other";
    EXPECT_TRUE(applied(commit(keyed(other))));
}

BELAY_CASE(IdempotentStart, PartsOfAKeyAreNotRunTogether) {
    NewInstance first = instance("a");
    first.owner = "ab";
    first.definition = "c";
    apply(keyed(first));
    NewInstance second = instance("b");
    second.owner = "a";
    second.definition = "bc";
    EXPECT_TRUE(applied(commit(keyed(second))));
}

BELAY_CASE(IdempotentStart, OtherKeysAreFree) {
    apply(keyed(instance("a")));
    Start other = keyed(instance("b"));
    other.key->key = "order-8";
    EXPECT_TRUE(applied(commit(other)));
}

BELAY_CASE(IdempotentStart, ForeverOutlivesTheRun) {
    const Start first = keyed(instance("a"), KeyScope::forever);
    apply(first);
    end(first.instance.run);
    advance(std::chrono::hours(24 * 365));
    sweep();
    EXPECT_TRUE(refused(commit(keyed(instance("b"))), Errc::duplicate_key));
}

BELAY_CASE(IdempotentStart, WhileActiveIsFreeOnceTheRunEnded) {
    const Start first = keyed(instance("a"), KeyScope::while_active);
    apply(first);
    EXPECT_TRUE(refused(commit(keyed(instance("b"), KeyScope::while_active)), Errc::duplicate_key));
    take_turn(first.instance.run);
    cancel("a");
    EXPECT_TRUE(refused(commit(keyed(instance("b"), KeyScope::while_active)), Errc::duplicate_key))
        << "canceling has not ended";
    end(first.instance.run, canceled());
    EXPECT_TRUE(applied(commit(keyed(instance("b"), KeyScope::while_active))));
    EXPECT_TRUE(refused(commit(keyed(instance("c"), KeyScope::while_active)), Errc::duplicate_key))
        << "and taken again by the new run";
}

BELAY_CASE(IdempotentStart, WhileActiveLastsThroughContinueAsNew) {
    const Start first = keyed(instance("a"), KeyScope::while_active);
    apply(first);
    apply(continuing(next_turn(first.instance.run)));
    EXPECT_TRUE(refused(commit(keyed(instance("b"))), Errc::duplicate_key));
}

BELAY_CASE(IdempotentStart, UntilSuccessIsFreedByAFailure) {
    const Start first = keyed(instance("a"), KeyScope::until_success);
    apply(first);
    end(first.instance.run, failed());
    EXPECT_TRUE(applied(commit(keyed(instance("b"), KeyScope::until_success))));
}

BELAY_CASE(IdempotentStart, UntilSuccessIsFreedByACancel) {
    apply(keyed(instance("a"), KeyScope::until_success));
    cancel("a");
    EXPECT_TRUE(applied(commit(keyed(instance("b"), KeyScope::until_success))));
}

BELAY_CASE(IdempotentStart, UntilSuccessIsKeptByASuccess) {
    const Start first = keyed(instance("a"), KeyScope::until_success);
    apply(first);
    EXPECT_TRUE(refused(commit(keyed(instance("b"))), Errc::duplicate_key));
    end(first.instance.run, completed());
    advance(std::chrono::hours(24 * 365));
    sweep();
    EXPECT_TRUE(refused(commit(keyed(instance("b"))), Errc::duplicate_key));
}

BELAY_CASE(IdempotentStart, WindowIsFreeWhenItHasPassed) {
    const Start first = keyed(instance("a"), KeyScope::window, 1h);
    apply(first);
    end(first.instance.run);
    advance(1h - 1ms);
    EXPECT_TRUE(refused(commit(keyed(instance("b"), KeyScope::window, 1h)), Errc::duplicate_key));
    advance(2ms);
    EXPECT_TRUE(applied(commit(keyed(instance("b"), KeyScope::window, 1h))));
}

BELAY_CASE(IdempotentStart, WindowIsFreeEvenWhileTheRunGoesOn) {
    const Start first = keyed(instance("a"), KeyScope::window, 1h);
    apply(first);
    advance(1h + 1ms);
    EXPECT_TRUE(applied(commit(keyed(instance("b"), KeyScope::window, 1h))));
    EXPECT_EQ(status(first.instance.run), Status::pending);
}

BELAY_CASE(IdempotentStart, KeyOutlivesDeletion) {
    const Start first = keyed(instance("a"));
    apply(first);
    apply(op::force_delete(named("a")));
    const Answer answer = commit(keyed(instance("b")));
    EXPECT_TRUE(refused(answer, Errc::duplicate_key));
    ASSERT_TRUE(answer.instance);
    EXPECT_TRUE(answer.instance->deleted);
    EXPECT_EQ(answer.instance->run, first.instance.run);
    EXPECT_EQ(answer.instance->name, named("a"));
}

BELAY_CASE(IdempotentStart, DeletedKeyStillKnowsItsInput) {
    Start first = keyed(instance("a"));
    first.input_digest.fill(1);
    apply(first);
    apply(op::force_delete(named("a")));
    Start second = keyed(instance("b"));
    second.input_digest.fill(2);
    EXPECT_TRUE(commit(second).input_differs);
    second.input_digest.fill(1);
    EXPECT_FALSE(commit(second).input_differs);
}

BELAY_CASE(IdempotentStart, KeyWhileActiveEndsWithDeletion) {
    apply(keyed(instance("a"), KeyScope::while_active));
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(applied(commit(keyed(instance("a"), KeyScope::while_active))));
}

BELAY_CASE(IdempotentStart, WindowOfADeletedRunStillPasses) {
    apply(keyed(instance("a"), KeyScope::window, 1h));
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(keyed(instance("b"), KeyScope::window, 1h)), Errc::duplicate_key));
    advance(1h + 1ms);
    EXPECT_TRUE(applied(commit(keyed(instance("b"), KeyScope::window, 1h))));
}

BELAY_CASE(IdempotentStart, FreedKeyCanBeUsedAgain) {
    const Start first = keyed(instance("a"));
    apply(first);
    apply(freeing());
    EXPECT_TRUE(applied(commit(keyed(instance("b")))));
    EXPECT_EQ(status(first.instance.run), Status::pending) << "the run itself goes on";
}

BELAY_CASE(IdempotentStart, KeyOfADeletedRunCanBeFreed) {
    apply(keyed(instance("a")));
    apply(op::force_delete(named("a")));
    apply(freeing());
    EXPECT_TRUE(applied(commit(keyed(instance("a")))));
}

BELAY_CASE(IdempotentStart, FreeingAnUnknownKeyIsRefused) {
    EXPECT_TRUE(refused(commit(freeing()), Errc::not_found));
    apply(keyed(instance("a")));
    FreeKey other = freeing();
    other.owner = "other team";
    EXPECT_TRUE(refused(commit(other), Errc::not_found));
    EXPECT_TRUE(refused(commit(keyed(instance("b"))), Errc::duplicate_key));
}

BELAY_CASE(IdempotentStart, EndOfAnOldRunDoesNotFreeItsSuccessorsKey) {
    const Start first = keyed(instance("a"), KeyScope::while_active);
    apply(first);
    apply(freeing());
    apply(keyed(instance("b"), KeyScope::while_active));
    end(first.instance.run);
    EXPECT_TRUE(refused(commit(keyed(instance("c"), KeyScope::while_active)), Errc::duplicate_key));
}

BELAY_CASE(IdempotentStart, SweepRemovesOnlyExpiredKeys) {
    apply(keyed(instance("a"), KeyScope::window, 1h));
    Start kept = keyed(instance("b"), KeyScope::window, 3h);
    kept.key->key = "order-8";
    apply(kept);
    advance(2h);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_TRUE(refused(commit(freeing()), Errc::not_found));
    Start again = keyed(instance("c"), KeyScope::window, 3h);
    again.key->key = "order-8";
    EXPECT_TRUE(refused(commit(again), Errc::duplicate_key));
}

}  // namespace
}  // namespace belay::conformance
