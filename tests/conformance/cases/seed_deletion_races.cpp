// Deletion by force against whoever is at work, under the names of the deletion design.
#include "conformance/case.hpp"

#include <barrier>
#include <thread>

BELAY_CONFORMANCE_AREA(seed_deletion_races)

namespace belay::conformance {
namespace {

/// Both at the same time, on threads of their own.
template <class First, class Second>
void race(First first, Second second) {
    std::barrier ready(2);
    const auto run = [&](auto& work) {
        ready.arrive_and_wait();
        try {
            work();
        } catch (...) {
            ADD_FAILURE() << "a thread ended early";
        }
    };
    std::jthread other([&] { run(second); });
    run(first);
}

// ---- Activities --------------------------------------------------------------------------------

BELAY_CASE(Seed3, test_force_delete_activity_lock_renewal_fails) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    ASSERT_TRUE(applied(try_renew(item)));
    const Answer deletion = apply(op::force_delete(named("a")));
    EXPECT_EQ(deletion.stopped, std::vector<LeaseToken>{item.token}) << "so it can be told at once";
    EXPECT_TRUE(refused(try_renew(item), Errc::lease_lost));
    CheckLeases check;
    check.leases = {{item.activity, item.token}};
    EXPECT_TRUE(read(check).empty());
}

BELAY_CASE(Seed3, test_force_delete_activity_ack_fails_gracefully) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(op::force_delete(named("a")));
    // Permanent: `refused` also checks that it is not retryable.
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    EXPECT_TRUE(refused(try_drop(item), Errc::lease_lost));
    EXPECT_FALSE(find(run));
}

BELAY_CASE(Seed3, test_force_delete_clears_worker_queue) {
    start_with_activities("a", 3);
    start_with_activities("b", 1);
    apply(op::force_delete(named("a")));
    EXPECT_EQ(activities().size(), 1U);
    EXPECT_EQ(claim_activities().size(), 1U);
}

BELAY_CASE(Seed3, test_force_delete_clears_orchestrator_queue) {
    start_running("a");
    raise("a", "one");
    raise("a", "two");
    EXPECT_EQ(apply(op::force_delete(named("a"))).deleted.messages, 2U);
    EXPECT_FALSE(try_claim());
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Seed3, test_force_delete_prevents_activity_completion_delivery) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    EXPECT_TRUE(dead_letters().empty()) << "the completion went nowhere";
    const RunRef fresh = start_with_activities("a", 1);
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    EXPECT_EQ(info(fresh).ready_messages, 0U);
    EXPECT_FALSE(find(run));
}

// ---- Turns -------------------------------------------------------------------------------------

BELAY_CASE(Seed3, test_force_delete_during_orchestration_turn) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    Turn turn = turn_of(item);
    turn.activities = {activity(1)};
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(turn), Errc::not_found));
    EXPECT_TRUE(refused(commit(op::renew_turn(item, kLease)), Errc::not_found));
    EXPECT_TRUE(activities().empty());
    EXPECT_FALSE(find("a"));
}

BELAY_CASE(Seed3, test_force_delete_between_turns) {
    start_running("a");
    EXPECT_EQ(apply(op::force_delete(named("a"))).deleted.instances, 1U);
    EXPECT_FALSE(find("a"));
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Seed3, test_force_delete_pending_timer) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1s;
    timer.message = op::timer_fired(1, 1);
    turn.timers = {timer};
    apply(turn);
    EXPECT_EQ(apply(op::force_delete(named("a"))).deleted.messages, 1U);
    advance(1h);
    EXPECT_FALSE(try_claim());
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Seed3, test_force_delete_pending_external_event) {
    start_running("a");
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "approved", Payload())), Errc::not_found));
    EXPECT_FALSE(find("a"));
}

// ---- At the same time --------------------------------------------------------------------------

BELAY_CASE(Seed3, test_concurrent_force_delete_and_activity_ack) {
    for (int i = 0; i < 20; ++i) {
        const std::string id = "a" + std::to_string(i);
        start_with_activities(id, 1);
        const ClaimedActivity item = claim_activity();
        Answer deletion;
        Answer ack;
        race([&] { deletion = commit(op::force_delete(named(id))); },
             [&] { ack = try_complete(item); });
        EXPECT_TRUE(applied(deletion));
        const bool first = ack.verdict == Verdict::applied;
        EXPECT_TRUE(first || refused(ack, Errc::lease_lost));
        // The second one says so: a completion that came first went with the run.
        EXPECT_EQ(deletion.stopped.size(), first ? 0U : 1U);
        EXPECT_EQ(deletion.deleted.messages, 1U);
        EXPECT_FALSE(find(id));
    }
    EXPECT_TRUE(activities().empty());
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Seed3, test_concurrent_force_delete_and_turn_completion) {
    for (int i = 0; i < 20; ++i) {
        const std::string id = "a" + std::to_string(i);
        const RunRef run = start(id);
        Turn turn = turn_of(claim(run));
        turn.activities = {activity(1)};
        Answer deletion;
        Answer ack;
        race([&] { deletion = commit(op::force_delete(named(id))); }, [&] { ack = commit(turn); });
        EXPECT_TRUE(applied(deletion));
        EXPECT_TRUE(ack.verdict == Verdict::applied || refused(ack, Errc::not_found));
        EXPECT_FALSE(find(run));
        EXPECT_TRUE(history(run).empty());
    }
    EXPECT_TRUE(activities().empty());
}

BELAY_CASE(Seed3, test_concurrent_force_delete_and_lock_renewal) {
    for (int i = 0; i < 20; ++i) {
        const std::string id = "a" + std::to_string(i);
        start_with_activities(id, 1);
        const ClaimedActivity item = claim_activity();
        Answer deletion;
        Answer renewal;
        race([&] { deletion = commit(op::force_delete(named(id))); },
             [&] { renewal = try_renew(item); });
        EXPECT_TRUE(applied(deletion));
        EXPECT_TRUE(renewal.verdict == Verdict::applied || refused(renewal, Errc::lease_lost));
        EXPECT_TRUE(refused(try_renew(item), Errc::lease_lost)) << "after the deletion, always";
    }
}

// ---- Afterwards --------------------------------------------------------------------------------

BELAY_CASE(Seed3, test_zombie_orchestrator_message_after_delete) {
    const RunRef run = start_running("a");
    apply(op::force_delete(named("a")));
    // The engine may send to a run that it knew; nobody is woken, and nothing is held up.
    EXPECT_TRUE(applied(commit(Deliver{run, event("late")})));
    EXPECT_FALSE(try_claim());
    EXPECT_FALSE(find(run));
    const auto letters = dead_letters();
    ASSERT_EQ(letters.size(), 1U) << "it is shown to people";
    EXPECT_EQ(letters[0].run, run);
    const RunRef other = start("b");
    EXPECT_EQ(claim(other).run, other);
}

BELAY_CASE(Seed3, test_zombie_worker_message_after_delete) {
    start_with_activities("a", 2);
    const ClaimedActivity item = claim_activity();
    apply(op::force_delete(named("a")));
    EXPECT_FALSE(try_claim_activity()) << "no orphan is there to be picked up";
    advance(2 * kLease);
    EXPECT_FALSE(try_claim_activity());
    EXPECT_TRUE(refused(commit(op::abandon_activity(item)), Errc::lease_lost));
    EXPECT_FALSE(try_claim_activity()) << "nor by giving it back";
}

BELAY_CASE(Seed3, test_identity_reuse_after_delete) {
    const RunRef old = start_running("a");
    raise("a", "for the old one");
    apply(continuing(next_turn(old)));
    apply(op::force_delete(named("a")));
    const RunRef fresh = start("a");
    const ClaimedInstance item = claim(fresh);
    EXPECT_EQ(item.execution, 1U);
    EXPECT_EQ(item.position, 0U);
    EXPECT_TRUE(item.messages.empty());
    EXPECT_TRUE(history(fresh).empty());
    EXPECT_EQ(read(ListExecutions{fresh}).size(), 1U);
}

BELAY_CASE(Seed3, test_external_event_arrives_after_delete) {
    end(start_running("a"));
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "go", Payload())), Errc::not_found));
    EXPECT_TRUE(refused(commit(op::enqueue(named("a"), "q", Payload())), Errc::not_found));
    EXPECT_TRUE(refused(commit(op::cancel(named("a"), "late", kDeadline)), Errc::not_found));
    EXPECT_TRUE(dead_letters().empty());
    EXPECT_FALSE(find("a"));
}

}  // namespace
}  // namespace belay::conformance
