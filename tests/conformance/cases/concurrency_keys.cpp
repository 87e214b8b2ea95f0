// Runs of one concurrency key: one at a time is under way.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(concurrency_keys)

namespace belay::conformance {
namespace {

Start keyed(NewInstance made, WhenBusy when_busy, std::string key = "k") {
    Start part = op::start(std::move(made));
    part.by = "starter";
    part.concurrency = Concurrency{std::move(key), when_busy};
    return part;
}

BELAY_CASE(ConcurrencyKey, BusyOneRefusesAndNamesTheRun) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::refuse)).instance->run;
    EXPECT_EQ(info(first).concurrency_key, "k");
    EXPECT_FALSE(info(first).in_line);
    const Answer answer = commit(keyed(instance("b"), WhenBusy::refuse));
    EXPECT_TRUE(refused(answer, Errc::concurrency_busy));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, first);
    EXPECT_EQ(answer.instance->status, Status::pending);
    EXPECT_FALSE(find("b"));
    apply(next_turn(first));
    EXPECT_TRUE(refused(commit(keyed(instance("b"), WhenBusy::refuse)), Errc::concurrency_busy));
    cancel("a");
    EXPECT_TRUE(refused(commit(keyed(instance("b"), WhenBusy::refuse)), Errc::concurrency_busy))
        << "it is still under way while it cleans up";
    end(first, canceled());
    EXPECT_TRUE(applied(commit(keyed(instance("b"), WhenBusy::refuse))));
}

BELAY_CASE(ConcurrencyKey, IsUniquePerNamespaceAndDefinition) {
    apply(keyed(instance("a"), WhenBusy::refuse));
    apply(keyed(instance("b"), WhenBusy::refuse, "another"));
    NewInstance other = instance("c");
    other.definition = "Another";
    apply(keyed(other, WhenBusy::refuse));
    NewInstance elsewhere = instance("d");
    elsewhere.name.space = "elsewhere";
    apply(keyed(elsewhere, WhenBusy::refuse));
    EXPECT_TRUE(refused(commit(keyed(instance("e"), WhenBusy::refuse)), Errc::concurrency_busy));
}

BELAY_CASE(ConcurrencyKey, RefusedStartConsumesNothing) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::refuse)).instance->run;
    Start part = keyed(instance("b"), WhenBusy::refuse);
    part.key = IdempotencyKey{"once"};
    part.request_id = "request";
    EXPECT_TRUE(refused(commit(part), Errc::concurrency_busy));
    end(first);
    EXPECT_TRUE(applied(commit(part)));
}

BELAY_CASE(ConcurrencyKey, EmptyOneIsInvalid) {
    EXPECT_TRUE(refused(commit(keyed(instance("a"), WhenBusy::queue, "")), Errc::invalid_argument));
}

BELAY_CASE(ConcurrencyKey, QueuedRunsGoOnOneByOneInTheirOrder) {
    std::vector<RunRef> runs;
    for (const char* id : {"a", "b", "c"}) {
        runs.push_back(apply(keyed(instance(id), WhenBusy::queue)).instance->run);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t later = i + 1; later < runs.size(); ++later) {
            EXPECT_TRUE(info(runs[later]).in_line);
            EXPECT_EQ(status(runs[later]), Status::pending);
            EXPECT_FALSE(try_claim(runs[later]));
        }
        EXPECT_FALSE(info(runs[i]).in_line);
        const ClaimedInstance item = claim(runs[i]);
        apply(ending(turn_of(item), i == 1 ? failed() : completed()));
    }
}

BELAY_CASE(ConcurrencyKey, NextInLineIsReadyInTheCommitThatEndsTheOneBefore) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    apply(op::terminate(named("a"), "op", "away with it"));
    EXPECT_FALSE(info(second).in_line);
    EXPECT_TRUE(try_claim(second));
    EXPECT_EQ(status(first), Status::canceled);
}

BELAY_CASE(ConcurrencyKey, DeletionOfTheOneBeforeReleasesTheNext) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    apply(next_turn(first));
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(try_claim(second));
}

BELAY_CASE(ConcurrencyKey, DeletionInLineLeavesTheOthersInLine) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    apply(keyed(instance("b"), WhenBusy::queue));
    const RunRef third = apply(keyed(instance("c"), WhenBusy::queue)).instance->run;
    apply(op::force_delete(named("b")));
    EXPECT_TRUE(info(third).in_line);
    end(first);
    EXPECT_TRUE(try_claim(third));
}

BELAY_CASE(ConcurrencyKey, CancelInLineLeavesTheOthersInLine) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    const RunRef third = apply(keyed(instance("c"), WhenBusy::queue)).instance->run;
    cancel("b");
    EXPECT_EQ(status(second), Status::canceled);
    EXPECT_FALSE(info(second).in_line);
    EXPECT_FALSE(try_claim(third));
    end(first);
    EXPECT_TRUE(try_claim(third));
}

BELAY_CASE(ConcurrencyKey, RunThatContinuesAsNewIsUnderWay) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    apply(continuing(next_turn(first)));
    EXPECT_FALSE(try_claim(second));
    end(first);
    EXPECT_TRUE(try_claim(second));
}

BELAY_CASE(ConcurrencyKey, HandlersThatStillRunKeepTheNextInLine) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    schedule(first, {activity(1)});
    const ClaimedActivity item = claim_activity();
    cancel("a");
    apply(ending(turn_of(claim(first)), canceled()));
    EXPECT_FALSE(info(first).settled);
    EXPECT_TRUE(info(second).in_line);
    EXPECT_FALSE(try_claim(second));
    const RunRef third = apply(keyed(instance("c"), WhenBusy::queue)).instance->run;
    EXPECT_TRUE(info(third).in_line);
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(try_claim(second));
    EXPECT_FALSE(try_claim(third));
}

BELAY_CASE(ConcurrencyKey, StartIsRefusedWhileHandlersStillRun) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::refuse)).instance->run;
    schedule(first, {activity(1)});
    const ClaimedActivity item = claim_activity();
    end(first);
    const Answer answer = commit(keyed(instance("b"), WhenBusy::refuse));
    EXPECT_TRUE(refused(answer, Errc::concurrency_busy));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, first);
    EXPECT_EQ(answer.instance->status, Status::completed);
    Start part = keyed(instance("c"), WhenBusy::queue);
    Turn turn;
    turn.run = part.instance.run;
    turn.history = events(1);
    EXPECT_TRUE(refused(commit(fuse(part, turn)), Errc::still_running));
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(applied(commit(keyed(instance("b"), WhenBusy::refuse))));
}

BELAY_CASE(ConcurrencyKey, HandlersOfChildrenKeepTheNextInLine) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef child = start_child(first, 1, "a/c");
    schedule(child, {activity(1)});
    const ClaimedActivity item = claim_activity();
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    end(first);
    EXPECT_EQ(status(child), Status::canceling);
    EXPECT_FALSE(try_claim(second)) << "a child of the first is under way";
    apply(ending(turn_of(claim(child)), canceled()));
    EXPECT_FALSE(try_claim(second)) << "its handler still runs";
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(try_claim(second));
}

BELAY_CASE(ConcurrencyKey, HandlersThatNobodyHearsOfEndWithTheirTime) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    schedule(first, {activity(1)});
    claim_activity();
    end(first);
    advance(kLease + StopTerms().grace + 1s);
    sweep();
    EXPECT_TRUE(info(first).settled);
    EXPECT_TRUE(try_claim(second));
}

BELAY_CASE(ConcurrencyKey, LineMayExpire) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    Start part = keyed(instance("b"), WhenBusy::queue);
    part.expires = 10s;
    const RunRef second = apply(part).instance->run;
    const RunRef third = apply(keyed(instance("c"), WhenBusy::queue)).instance->run;
    advance(10s);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_EQ(status(second), Status::canceled);
    EXPECT_FALSE(try_claim(third));
    end(first);
    EXPECT_TRUE(try_claim(third));
}

BELAY_CASE(ConcurrencyKey, DeadlineOfTheOneBeforeReleasesTheNext) {
    Start part = keyed(instance("a"), WhenBusy::queue);
    part.deadline = 10s;
    const RunRef first = apply(part).instance->run;
    apply(next_turn(first));
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    advance(10s);
    sweep();
    EXPECT_EQ(status(first), Status::failed);
    EXPECT_TRUE(try_claim(second));
}

BELAY_CASE(ConcurrencyKey, ReplacementCancelsAndWaitsUntilTheOldOneIsSettled) {
    const RunRef old = apply(keyed(instance("a"), WhenBusy::refuse)).instance->run;
    schedule(old, {activity(1)});
    const ClaimedActivity item = claim_activity();
    const RunRef fresh = apply(keyed(instance("b"), WhenBusy::replace)).instance->run;
    EXPECT_EQ(status(old), Status::canceling);
    EXPECT_EQ(cancel_record(old).by, "starter");
    EXPECT_TRUE(info(fresh).in_line);
    EXPECT_FALSE(try_claim(fresh));
    apply(ending(turn_of(claim(old)), canceled()));
    EXPECT_FALSE(try_claim(fresh)) << "its handler still runs";
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(info(old).settled);
    EXPECT_TRUE(try_claim(fresh));
}

BELAY_CASE(ConcurrencyKey, ReplacementCancelsTheLineToo) {
    const RunRef old = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    apply(next_turn(old));
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    const RunRef third = apply(keyed(instance("c"), WhenBusy::replace)).instance->run;
    EXPECT_EQ(status(second), Status::canceled);
    const RunRef fourth = apply(keyed(instance("d"), WhenBusy::replace)).instance->run;
    EXPECT_EQ(status(third), Status::canceled) << "only the last one is wanted";
    EXPECT_EQ(status(old), Status::canceling);
    EXPECT_FALSE(try_claim(fourth));
    apply(ending(turn_of(claim(old)), canceled()));
    EXPECT_TRUE(try_claim(fourth));
}

BELAY_CASE(ConcurrencyKey, ReplacementOfAPendingRunNeedNotWait) {
    const RunRef old = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef fresh = apply(keyed(instance("b"), WhenBusy::replace)).instance->run;
    EXPECT_EQ(status(old), Status::canceled);
    EXPECT_FALSE(info(fresh).in_line);
    EXPECT_TRUE(try_claim(fresh));
}

BELAY_CASE(ConcurrencyKey, ReplacementDoesNotWaitForChildrenThatGoOn) {
    const RunRef old = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const RunRef child = start_abandoned(old, 1, "a/c");
    const RunRef fresh = apply(keyed(instance("b"), WhenBusy::replace)).instance->run;
    EXPECT_FALSE(try_claim(fresh));
    apply(ending(turn_of(claim(old)), canceled()));
    EXPECT_EQ(status(child), Status::pending);
    EXPECT_TRUE(try_claim(fresh));
}

BELAY_CASE(ConcurrencyKey, AllowedRunsAreUnderWayBesideOthers) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::refuse)).instance->run;
    const RunRef second = apply(keyed(instance("b"), WhenBusy::allow)).instance->run;
    EXPECT_TRUE(try_claim(second));
    const RunRef third = apply(keyed(instance("c"), WhenBusy::queue)).instance->run;
    end(first);
    EXPECT_FALSE(try_claim(third)) << "the second is under way, too";
    EXPECT_TRUE(refused(commit(keyed(instance("d"), WhenBusy::refuse)), Errc::concurrency_busy));
}

BELAY_CASE(ConcurrencyKey, RunsWithoutAKeyAreLeftAlone) {
    apply(keyed(instance("a"), WhenBusy::refuse));
    const RunRef other = start("b");
    EXPECT_FALSE(info(other).concurrency_key);
    EXPECT_TRUE(try_claim(other));
}

BELAY_CASE(ConcurrencyKey, TurnOfARunInLineIsRefused) {
    apply(keyed(instance("a"), WhenBusy::queue));
    const RunRef second = apply(keyed(instance("b"), WhenBusy::queue)).instance->run;
    EXPECT_TRUE(refused(commit(next_turn(second)), Errc::still_running));
    raise("b", "go");
    EXPECT_FALSE(try_claim(second)) << "no message brings it forward";
}

BELAY_CASE(ConcurrencyKey, FirstTurnIsFusedOnlyIfNobodyIsInTheWay) {
    const auto fused = [&](const std::string& id, WhenBusy when_busy) {
        Start part = keyed(instance(id), when_busy);
        Turn turn;
        turn.run = part.instance.run;
        turn.history = events(1);
        return commit(fuse(part, turn));
    };
    EXPECT_TRUE(applied(fused("a", WhenBusy::queue)));
    EXPECT_TRUE(refused(fused("b", WhenBusy::queue), Errc::still_running));
    EXPECT_TRUE(refused(fused("c", WhenBusy::replace), Errc::still_running));
    EXPECT_FALSE(find("b"));
    EXPECT_EQ(found("a").status, Status::running) << "nothing of a refused start was done";
    EXPECT_TRUE(applied(fused("d", WhenBusy::allow)));
}

BELAY_CASE(ConcurrencyKey, RunThatMayStandInLineIsNotStartedLocked) {
    for (const WhenBusy when_busy : {WhenBusy::queue, WhenBusy::replace}) {
        Start part = keyed(instance("a"), when_busy);
        part.lock = StartLock{fresh_token(), "worker", kLease};
        EXPECT_TRUE(refused(commit(part), Errc::invalid_argument));
    }
}

BELAY_CASE(ConcurrencyKey, OneTransitionStartsOneRunOfAKey) {
    const Answer answer =
        commit(fuse(keyed(instance("a"), WhenBusy::queue), keyed(instance("b"), WhenBusy::queue)));
    EXPECT_TRUE(refused(answer, Errc::invalid_argument));
    EXPECT_FALSE(find("a"));
}

BELAY_CASE(ConcurrencyKey, RepeatedStartIsRecognisedAndStandsInLineOnce) {
    const RunRef first = apply(keyed(instance("a"), WhenBusy::queue)).instance->run;
    const Change start_b = fuse(keyed(instance("b"), WhenBusy::queue));
    const RunRef second = apply(start_b).instance->run;
    EXPECT_TRUE(already_applied(commit(start_b)));
    end(first);
    apply(ending(turn_of(claim(second)), completed()));
    EXPECT_TRUE(applied(commit(keyed(instance("c"), WhenBusy::refuse))));
}

BELAY_CASE(ConcurrencyKey, NameAndKeyMayBeReplacedTogether) {
    const RunRef old = apply(keyed(instance("a"), WhenBusy::refuse)).instance->run;
    apply(next_turn(old));
    for (const WhenBusy when_busy : {WhenBusy::refuse, WhenBusy::replace, WhenBusy::queue}) {
        Start part = keyed(instance("a"), when_busy);
        part.on_conflict = IdConflict::replace;
        const RunRef fresh = apply(part).instance->run;
        EXPECT_FALSE(try_claim(fresh));
        EXPECT_EQ(status(old), Status::canceling);
    }
    apply(ending(turn_of(claim(old)), canceled()));
    EXPECT_TRUE(try_claim(found("a").run)) << "those between have never begun";
}

BELAY_CASE(ConcurrencyKey, ManyInLineAreReleasedOneAtATime) {
    for (int i = 0; i < 20; ++i) {
        apply(keyed(instance("r" + std::to_string(i)), WhenBusy::queue));
    }
    for (int i = 0; i < 20; ++i) {
        const auto claimed = claim_instances(10);
        ASSERT_EQ(claimed.size(), 1U);
        EXPECT_EQ(claimed[0].name.id, "r" + std::to_string(i));
        apply(ending(turn_of(claimed[0]), completed()));
    }
}

}  // namespace
}  // namespace belay::conformance
