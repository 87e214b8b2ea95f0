// Waiting work, leases with their holders, and work under way for one instance.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(overview)

namespace belay::conformance {
namespace {

NewActivity activity_in(CommandNo command, std::string queue, Millis delay = Millis(0)) {
    NewActivity made = activity(command);
    made.queue = std::move(queue);
    made.delay = delay;
    return made;
}

ClaimActivities claim_from(LeaseToken token,
                           std::string queue,
                           Millis lease,
                           std::uint32_t max = 1) {
    ClaimActivities claim;
    claim.first_token = token;
    claim.worker = "worker-7";
    claim.lease = lease;
    claim.max = max;
    claim.queues = {std::move(queue)};
    return claim;
}

OpenWork open_work(std::optional<OpenWork> found) {
    EXPECT_TRUE(found);
    return found ? std::move(*found) : OpenWork();
}

// ---- Queues ------------------------------------------------------------------------------------

BELAY_CASE(Overview, NothingWaitsInAnEmptyStore) {
    const QueueDepths depths = read(CountQueues());
    EXPECT_TRUE(depths.activities.empty());
    EXPECT_EQ(depths.ready + depths.locked + depths.held + depths.timers + depths.dead_letters +
                  depths.stopping,
              0U);
    EXPECT_FALSE(depths.oldest_ready);
}

BELAY_CASE(Overview, QueuesSayWhatCanBeTakenAndSinceWhen) {
    const Timestamp began = now();
    const RunRef run = start_running("a");
    schedule(run, {activity_in(1, "billing"), activity_in(2, "billing", 10s), activity_in(3, "")});
    advance(1s);
    schedule(run, {activity_in(4, "billing"), activity_in(5, "billing")});
    ASSERT_EQ(claim_activities(claim_from(fresh_token(), "billing", 5s)).size(), 1U);
    EXPECT_EQ(read(CountQueues()).activities,
              (std::vector<QueueDepth>{{"", 1, 0, 0, began}, {"billing", 2, 1, 1, began + 1s}}));
    advance(5s);
    EXPECT_EQ(read(CountQueues()).activities,
              (std::vector<QueueDepth>{{"", 1, 0, 0, began}, {"billing", 3, 1, 0, began}}))
        << "a lease that has expired does not make it younger";
    advance(4s);
    EXPECT_EQ(read(CountQueues()).activities[1], (QueueDepth{"billing", 4, 0, 0, began}));
}

BELAY_CASE(Overview, InstancesThatAreReadyLockedOrHeld) {
    const Timestamp began = now();
    start("a");
    advance(1s);
    const RunRef locked = start("b");
    const RunRef held = start("c");
    start_running("waits");
    const ClaimedInstance item = claim(held);
    apply(Hold{held, item.token, "it differs"});
    (void)claim(locked);
    QueueDepths depths = read(CountQueues());
    EXPECT_EQ(depths.ready, 1U);
    EXPECT_EQ(depths.oldest_ready, began);
    EXPECT_EQ(depths.locked, 1U);
    EXPECT_EQ(depths.held, 1U);
    advance(kLease);
    depths = read(CountQueues());
    EXPECT_EQ(depths.ready, 2U) << "a lock that has expired";
    EXPECT_EQ(depths.locked, 0U);
}

BELAY_CASE(Overview, TimersDeadLettersAndHandlersThatStop) {
    const RunRef run = start_with_activities("a", 1);
    Turn turn = next_turn(run);
    turn.timers.push_back(NewTimer{7, now() + 1h, op::timer_fired(1, 7)});
    apply(turn);
    Send later = op::raise(named("a"), "later", Payload());
    later.delay = 1h;
    apply(later);
    apply(Deliver{fresh_run("nobody"), event("lost")});
    (void)claim_activity();
    QueueDepths depths = read(CountQueues());
    EXPECT_EQ(depths.timers, 2U);
    EXPECT_EQ(depths.dead_letters, 1U);
    EXPECT_EQ(depths.stopping, 0U);
    cancel("a");
    EXPECT_EQ(read(CountQueues()).stopping, 1U);
}

// ---- Leases ------------------------------------------------------------------------------------

BELAY_CASE(Overview, LeasesWithTheirHoldersThoseThatEndFirst) {
    const RunRef run = start_running("a");
    schedule(run, {activity_in(1, "slow"), activity_in(2, "quick"), activity_in(3, "none")});
    ASSERT_EQ(claim_activities(claim_from(fresh_token(), "slow", 20s)).size(), 1U);
    ASSERT_EQ(claim_activities(claim_from(fresh_token(), "quick", 10s)).size(), 1U);
    auto leases = read(ListLeases());
    ASSERT_EQ(leases.activities.size(), 2U);
    EXPECT_EQ(leases.activities[0].activity, (ActivityRef{run, 1, 2}));
    const ActivityLease& last = leases.activities[1];
    EXPECT_EQ(last.activity, (ActivityRef{run, 1, 1}));
    EXPECT_EQ(last.instance, named("a"));
    EXPECT_EQ(last.name, "Charge");
    EXPECT_EQ(last.queue, "slow");
    EXPECT_EQ(last.worker, "worker-7");
    EXPECT_EQ(last.attempt, 1U);
    EXPECT_EQ(last.until, now() + 20s);
    EXPECT_TRUE(leases.turns.empty());
    EXPECT_EQ(read(ListLeases{1}).activities.size(), 1U);
    advance(10s);
    EXPECT_EQ(read(ListLeases()).activities.size(), 1U) << "an expired lease holds nothing";
}

BELAY_CASE(Overview, TurnsThatAreBeingTaken) {
    const RunRef first = start("a");
    const RunRef second = start("b");
    (void)claim(first);
    advance(kLease);
    const ClaimedInstance again = claim(first);
    advance(1s);
    (void)claim(second);
    const auto leases = read(ListLeases());
    EXPECT_TRUE(leases.activities.empty());
    ASSERT_EQ(leases.turns.size(), 2U);
    EXPECT_EQ(leases.turns[0].instance.name, named("a"));
    EXPECT_EQ(leases.turns[0].attempt, 2U);
    EXPECT_EQ(leases.turns[0].until, again.locked_until);
    EXPECT_FALSE(leases.turns[0].worker.empty());
    EXPECT_EQ(leases.turns[1].instance.run, second);
    EXPECT_EQ(read(ListLeases{1}).turns.size(), 1U);
}

BELAY_CASE(Overview, LeasesSaySinceWhen) {
    const Timestamp began = now();
    const RunRef run = start_with_activities("a", 2);
    const ClaimedActivity first = claim_activity();
    advance(1s);
    ASSERT_TRUE(applied(try_renew(first)));
    auto leases = read(ListLeases());
    ASSERT_EQ(leases.activities.size(), 1U);
    EXPECT_EQ(leases.activities[0].since, began) << "renewing begins nothing new";
    EXPECT_EQ(leases.activities[0].until, now() + kLease);
    advance(kLease);
    (void)claim_activities();
    leases = read(ListLeases());
    ASSERT_EQ(leases.activities.size(), 2U);
    EXPECT_EQ(leases.activities[0].since, now()) << "taken over by another claim";

    const RunRef other = start("b");
    const ClaimedInstance item = claim(other);
    const Timestamp locked = now();
    advance(1s);
    apply(RenewTurn{other, item.token, kLease});
    ASSERT_EQ(read(ListLeases()).turns.size(), 1U);
    EXPECT_EQ(read(ListLeases()).turns[0].since, locked);
    (void)run;
}

BELAY_CASE(Overview, ALeasedActivityIsHeldSinceItsCommit) {
    const RunRef run = start_running("a");
    NewActivity wanted = activity(1);
    wanted.hand_over = NewActivity::HandOver{fresh_token(), kLease, "worker-7"};
    schedule(run, {wanted});
    const auto leases = read(ListLeases());
    ASSERT_EQ(leases.activities.size(), 1U);
    EXPECT_EQ(leases.activities[0].since, now());
}

BELAY_CASE(Overview, TheAgeOfTheOldest) {
    QueueDepths depths = read(CountQueues());
    EXPECT_FALSE(depths.oldest_held || depths.oldest_timer || depths.oldest_letter ||
                 depths.oldest_stopping || depths.oldest_locked);
    const Timestamp began = now();
    const RunRef run = start_with_activities("a", 1);
    Turn turn = next_turn(run);
    turn.timers.push_back(NewTimer{7, now() + 10s, op::timer_fired(1, 7)});
    turn.timers.push_back(NewTimer{8, now() + 20s, op::timer_fired(1, 8)});
    apply(turn);
    for (const char* id : {"h1", "h2"}) {
        const RunRef held = start(id);
        const ClaimedInstance item = claim(held);
        apply(Hold{held, item.token, "it differs"});
        apply(Deliver{fresh_run("nobody"), event("lost")});
        advance(1s);
    }
    depths = read(CountQueues());
    EXPECT_EQ(depths.oldest_held, began);
    EXPECT_EQ(depths.oldest_letter, began);
    EXPECT_FALSE(depths.oldest_timer) << "none is due";
    advance(18s);
    EXPECT_EQ(read(CountQueues()).oldest_timer, began + 10s);
    raise("a", "go");
    EXPECT_EQ(read(CountQueues()).oldest_timer, began + 10s) << "a message is no timer";

    (void)claim_activity();
    cancel("a");
    const Timestamp canceled_at = now();
    advance(1s);
    depths = read(CountQueues());
    EXPECT_EQ(depths.oldest_stopping, canceled_at);
    ASSERT_EQ(stopping(run).size(), 1U);
    EXPECT_EQ(stopping(run)[0].since, canceled_at);
    Release release;
    release.name = named("h1");
    apply(release);
    EXPECT_EQ(read(CountQueues()).oldest_held, began + 1s);

    EXPECT_FALSE(read(CountQueues()).oldest_locked);
    const Timestamp locked_at = now();
    (void)claim(start("l1"));
    advance(1s);
    (void)claim(start("l2"));
    depths = read(CountQueues());
    EXPECT_EQ(depths.locked, 2U);
    EXPECT_EQ(depths.oldest_locked, locked_at);
}

// ---- One instance ------------------------------------------------------------------------------

BELAY_CASE(Overview, OpenWorkOfNobody) { EXPECT_FALSE(read(ReadOpenWork{named("nobody"), 10})); }

BELAY_CASE(Overview, OpenWorkIsAllThatIsUnderWay) {
    const RunRef run = start_with_activities("a", 2);
    start_child(run, 3, "a/open");
    end(start_child(run, 4, "a/ended"));
    Turn turn = next_turn(run);
    turn.timers.push_back(NewTimer{7, now() + 1h, op::timer_fired(1, 7)});
    apply(turn);
    raise("a", "go");
    Send later = op::enqueue(named("a"), "orders", Payload());
    later.delay = 1min;
    apply(later);
    complete(claim_activity());
    const OpenWork work = open_work(read(ReadOpenWork{named("a"), 100}));
    EXPECT_EQ(work.info.run, run);
    EXPECT_EQ(work.info.position, info(run).position);
    EXPECT_EQ(work.as_of, now());
    EXPECT_FALSE(work.parent_id);
    EXPECT_EQ(work.claimable_at, now());
    EXPECT_EQ(work.children, 2U);
    ASSERT_EQ(work.open_children.size(), 1U);
    EXPECT_EQ(work.open_children[0].instance.name, named("a/open"));
    EXPECT_EQ(work.open_children[0].command, 3U);
    ASSERT_EQ(work.activities.size(), 1U);
    EXPECT_EQ(work.activities[0].activity.command, 2U);
    EXPECT_EQ(work.timer_count, 1U);
    EXPECT_EQ(work.message_count, 4U);
    // The end of the child, a timer, an event, a delayed message, and the end of an activity.
    ASSERT_EQ(work.messages.size(), 5U);
    EXPECT_EQ(work.messages[0].kind, MessageKind::child_completed);
    EXPECT_EQ(work.messages[0].command, 4U);
    EXPECT_TRUE(work.messages[1].timer);
    EXPECT_EQ(work.messages[1].at, now() + 1h);
    EXPECT_EQ(work.messages[2].name, "go");
    EXPECT_EQ(work.messages[2].kind, MessageKind::event_raised);
    EXPECT_EQ(work.messages[2].at, now());
    EXPECT_EQ(work.messages[3].name, "orders");
    EXPECT_EQ(work.messages[3].at, now() + 1min);
    EXPECT_FALSE(work.messages[3].timer);
    EXPECT_EQ(work.messages[4].kind, MessageKind::activity_completed);
    EXPECT_EQ(work.messages[4].command, 1U);

    const OpenWork little = open_work(read(ReadOpenWork{named("a"), 1}));
    EXPECT_EQ(little.messages.size(), 2U) << "one that came, one that will";
    EXPECT_EQ(little.message_count, 4U) << "and how many there are";
    EXPECT_EQ(open_work(read(ReadOpenWork{named("a/open"), 1})).parent_id, "a");
}

BELAY_CASE(Overview, OpenWorkSaysWhoTakesATurn) {
    const RunRef run = start("a");
    EXPECT_EQ(open_work(read(ReadOpenWork{named("a"), 1})).claimable_at, now());
    const ClaimedInstance item = claim(run);
    OpenWork work = open_work(read(ReadOpenWork{named("a"), 1}));
    EXPECT_TRUE(work.info.locked);
    EXPECT_FALSE(work.lock_worker.empty());
    EXPECT_EQ(work.lock_until, item.locked_until);
    apply(turn_of(item));
    work = open_work(read(ReadOpenWork{named("a"), 1}));
    EXPECT_FALSE(work.lock_until);
    EXPECT_FALSE(work.claimable_at) << "something must happen first";
}

BELAY_CASE(Overview, OpenWorkSaysThatItWaitsForTheOneItReplaces) {
    start_with_activities("a", 1);
    (void)claim_activity();
    Start again = op::start(instance("a"));
    again.on_conflict = IdConflict::replace;
    apply(again);
    const OpenWork work = open_work(read(ReadOpenWork{named("a"), 1}));
    EXPECT_EQ(work.info.run, again.instance.run);
    EXPECT_TRUE(work.waits_for_former);
    EXPECT_FALSE(work.claimable_at);
}

}  // namespace
}  // namespace belay::conformance
