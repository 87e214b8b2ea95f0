// Claims of runs: one holder at a time, and what arrives meanwhile waits.
#include "conformance/case.hpp"

#include <algorithm>
#include <set>

BELAY_CONFORMANCE_AREA(locking)

namespace belay::conformance {
namespace {

BELAY_CASE(Locking, ClaimedRunIsNotClaimedAgain) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    EXPECT_FALSE(try_claim(run));
    EXPECT_FALSE(try_claim());
    EXPECT_TRUE(info(run).locked);
    apply(turn_of(item));
    EXPECT_FALSE(info(run).locked);
}

BELAY_CASE(Locking, TokensFollowTheFirst) {
    for (const char* id : {"a", "b", "c"}) start(id);
    const auto items = claim_instances(10);
    ASSERT_EQ(items.size(), 3U);
    std::set<RunRef> runs;
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(items[i].token, token_after(items[0].token, i));
        runs.insert(items[i].run);
    }
    EXPECT_EQ(runs.size(), 3U);
    for (const ClaimedInstance& item : items) EXPECT_TRUE(applied(commit(turn_of(item))));
}

BELAY_CASE(Locking, ClaimTakesNoMoreThanAsked) {
    for (const char* id : {"a", "b", "c"}) start(id);
    EXPECT_TRUE(claim_instances(0).empty());
    EXPECT_EQ(claim_instances(2).size(), 2U);
    EXPECT_EQ(claim_instances(2).size(), 1U);
    EXPECT_TRUE(claim_instances(2).empty());
}

BELAY_CASE(Locking, LockedRunDoesNotHideOthers) {
    const RunRef first = start("a");
    const RunRef second = start("b");
    claim(first);
    const auto item = try_claim();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->run, second);
}

BELAY_CASE(Locking, LocksOfDifferentRunsAreIndependent) {
    const ClaimedInstance a = claim(start("a"));
    const ClaimedInstance b = claim(start("b"));
    Turn crossed = turn_of(a);
    crossed.lock = b.token;
    EXPECT_TRUE(refused(commit(crossed), Errc::lease_lost));
    EXPECT_TRUE(applied(commit(turn_of(b))));
    EXPECT_TRUE(info(a.run).locked);
    EXPECT_TRUE(applied(commit(turn_of(a))));
}

BELAY_CASE(Locking, LongestReadyComesFirst) {
    const RunRef first = start("z");
    advance(1s);
    const RunRef second = start("y");
    advance(1s);
    const RunRef third = start("x");
    const auto items = claim_instances(10);
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(items[0].run, first);
    EXPECT_EQ(items[1].run, second);
    EXPECT_EQ(items[2].run, third);
}

BELAY_CASE(Locking, ReadySinceItsOldestMessage) {
    const RunRef early = start_running("a");
    start_running("b");
    raise("a", "go");
    advance(1s);
    raise("b", "go");
    advance(1s);
    raise("a", "go again");
    const auto item = try_claim();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->run, early);
}

BELAY_CASE(Locking, IdleRunIsNotClaimed) {
    start_running("a");
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Locking, ClaimOfOneRunLeavesTheOthers) {
    start("a");
    const RunRef wanted = start("b");
    const ClaimedInstance item = claim(wanted);
    EXPECT_EQ(item.run, wanted);
    EXPECT_EQ(claim_instances(10).size(), 1U);
}

BELAY_CASE(Locking, ClaimOfAShardLeavesTheOthers) {
    const std::string here = "a";
    std::string there = "b";
    while (shard_of(there) == shard_of(here)) there += "b";
    start(here);
    const RunRef wanted = start(there);
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.max = 10;
    request.shards = {shard_of(there)};
    const auto items = claim_instances(request);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items.front().run, wanted);
}

/// Ids of `count` shards, all different.
std::vector<std::string> ids_of_shards(std::size_t count) {
    std::vector<std::string> ids;
    for (std::string id = "s"; ids.size() < count; id += "s") {
        const bool fresh = std::none_of(ids.begin(), ids.end(), [&](const std::string& other) {
            return shard_of(other) == shard_of(id);
        });
        if (fresh) ids.push_back(id);
    }
    return ids;
}

BELAY_CASE(Locking, ClaimOfSeveralShardsTakesTheLongestReadyOfAll) {
    const auto ids = ids_of_shards(3);
    std::vector<RunRef> runs;
    for (const std::string& id : ids) {
        runs.push_back(start(id));
        advance(1s);
    }
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.max = 10;
    request.shards = {shard_of(ids[2]), shard_of(ids[0]), shard_of(ids[2])};
    const auto items = claim_instances(request);
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].run, runs[0]);
    EXPECT_EQ(items[1].run, runs[2]);
}

BELAY_CASE(Locking, ClaimOfSeveralShardsTakesNoMoreThanAskedFor) {
    const auto ids = ids_of_shards(2);
    for (const std::string& id : ids) start(id);
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.shards = {shard_of(ids[0]), shard_of(ids[1])};
    EXPECT_EQ(claim_instances(request).size(), 1U);
}

BELAY_CASE(Locking, MessagesThatArriveDuringALockWait) {
    const RunRef run = start_running("a");
    raise("a", "before");
    const ClaimedInstance item = claim(run);
    raise("a", "during");
    EXPECT_FALSE(try_claim(run));
    EXPECT_EQ(names_of(item.messages), std::vector<std::string>{"before"});

    apply(turn_of(item));
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"during"});
}

BELAY_CASE(Locking, CompletionsThatArriveDuringALockWait) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity work = claim_activity();
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    complete(work);
    EXPECT_FALSE(try_claim(run));
    apply(turn_of(item));
    const ClaimedInstance next = claim(run);
    ASSERT_EQ(next.messages.size(), 1U);
    EXPECT_EQ(next.messages[0].content.kind, MessageKind::activity_completed);
}

BELAY_CASE(Locking, OnlyConsumedMessagesAreDeleted) {
    const RunRef run = start_running("a");
    raise("a", "one");
    raise("a", "two");
    raise("a", "three");
    const ClaimedInstance item = claim(run);
    ASSERT_EQ(item.messages.size(), 3U);
    Turn turn = turn_of(item);
    turn.consumed = {item.messages[1].id};
    apply(turn);
    EXPECT_EQ(names_of(inbox(run)), (std::vector<std::string>{"one", "three"}));
}

BELAY_CASE(Locking, TurnConsumesNoMessageOfAnotherRun) {
    const RunRef a = start_running("a");
    const RunRef b = start_running("b");
    raise("a", "mine");
    raise("b", "not mine");
    const auto theirs = inbox(b);
    ASSERT_EQ(theirs.size(), 1U);
    Turn turn = turn_of(claim(a));
    turn.consumed.push_back(theirs[0].id);
    // The other run keeps its message: the ack is refused, or the foreign number ignored.
    static_cast<void>(commit(turn));
    EXPECT_EQ(names_of(inbox(b)), std::vector<std::string>{"not mine"});
}

BELAY_CASE(Locking, KeptLockServesTheNextTurn) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    Turn first = turn_of(item);
    first.keep_lock = kLease;
    apply(first);
    EXPECT_TRUE(info(run).locked);
    raise("a", "go");
    EXPECT_FALSE(try_claim(run));

    Turn second = turn_of(item);
    second.position = 1;
    apply(second);
    EXPECT_FALSE(info(run).locked);
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"go"});
}

BELAY_CASE(Locking, KeptLockIsExtendedFromNow) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    advance(kLease - 1s);
    Turn first = turn_of(item);
    first.keep_lock = kLease;
    apply(first);
    raise("a", "go");
    advance(kLease - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(Locking, TurnReleasesAtOnce) {
    const RunRef run = start_running("a");
    raise("a", "one");
    const ClaimedInstance item = claim(run);
    raise("a", "two");
    apply(turn_of(item));
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(Locking, UnclaimedTurnIsRefusedUnderALiveLock) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    EXPECT_TRUE(refused(commit(next_turn(run)), Errc::lease_lost));
    EXPECT_TRUE(applied(commit(turn_of(item))));
}

BELAY_CASE(Locking, UnclaimedTurnInLineDoesNotOvertakeMessages) {
    const RunRef run = start_running("a");
    raise("a", "go");
    Turn turn = next_turn(run);
    turn.in_line = true;
    EXPECT_TRUE(refused(commit(turn), Errc::messages_waiting));
    take_turn(run);
    Turn later = next_turn(run);
    later.in_line = true;
    EXPECT_TRUE(applied(commit(later)));
}

BELAY_CASE(Locking, UnclaimedTurnInLineMindsDueTimers) {
    const RunRef run = start_running("a");
    Turn creating = next_turn(run);
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1s;
    timer.message = op::timer_fired(1, 1);
    creating.timers = {timer};
    apply(creating);

    Turn early = next_turn(run);
    early.in_line = true;
    EXPECT_TRUE(applied(commit(early))) << "a timer that is not due stands in nobody's way";
    advance(1s);
    Turn late = next_turn(run);
    late.in_line = true;
    EXPECT_TRUE(refused(commit(late), Errc::messages_waiting));
}

// ---- A start that brings a lock ----------------------------------------------------------------

BELAY_CASE(Locking, AStartMayBringALock) {
    Start part = op::start(instance("a"));
    const RunRef run = part.instance.run;
    const LeaseToken token = fresh_token();
    part.lock = StartLock{token, "worker-1", kLease};
    apply(part);
    EXPECT_EQ(status(run), Status::pending);
    EXPECT_TRUE(info(run).locked);
    EXPECT_EQ(info(run).attempts, 1U);
    EXPECT_FALSE(try_claim(run));

    ClaimedInstance item;
    item.run = run;
    item.token = token;
    apply(turn_of(item));
    EXPECT_EQ(status(run), Status::running);
    EXPECT_FALSE(info(run).locked);
}

BELAY_CASE(Locking, TheLockOfAStartExpiresLikeAnyOther) {
    Start part = op::start(instance("a"));
    const RunRef run = part.instance.run;
    const LeaseToken token = fresh_token();
    part.lock = StartLock{token, "worker-1", kLease};
    apply(part);
    advance(kLease);
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.attempts, 2U);
    ClaimedInstance first;
    first.run = run;
    first.token = token;
    EXPECT_TRUE(refused(commit(turn_of(first)), Errc::lease_lost));
    EXPECT_TRUE(applied(commit(turn_of(item))));
}

BELAY_CASE(Locking, ACancelEndsARunThatWasStartedLocked) {
    Start part = op::start(instance("a"));
    part.lock = StartLock{fresh_token(), "worker-1", kLease};
    apply(part);
    cancel("a");
    EXPECT_EQ(status(part.instance.run), Status::canceled);
}

BELAY_CASE(Locking, AStartThatMayHaveToWaitBringsNoLock) {
    Start delayed = op::start(instance("a"));
    delayed.delay = 1s;
    delayed.lock = StartLock{fresh_token(), "worker-1", kLease};
    EXPECT_TRUE(refused(commit(delayed), Errc::invalid_argument));
    Start replacing = op::start(instance("a"));
    replacing.on_conflict = IdConflict::replace;
    replacing.lock = StartLock{fresh_token(), "worker-1", kLease};
    EXPECT_TRUE(refused(commit(replacing), Errc::invalid_argument));
    EXPECT_FALSE(find("a").has_value());
}

}  // namespace
}  // namespace belay::conformance
