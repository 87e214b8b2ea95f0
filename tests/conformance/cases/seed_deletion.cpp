// The provider cases that the deletion design names, under its names.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(seed_deletion)

namespace belay::conformance {
namespace {

Delete without_force(std::string id) {
    Delete part;
    part.name = named(std::move(id));
    return part;
}

DeleteInstances list_of(std::vector<std::string> ids, bool force = false) {
    return op::delete_instances_atomic(named("").space, std::move(ids), force);
}

std::vector<std::string> tree_ids(const ListTree::Answer& tree) {
    std::vector<std::string> ids;
    for (const InstanceBrief& one : tree) ids.push_back(one.name.id);
    return ids;
}

// ---- One instance ------------------------------------------------------------------------------

BELAY_CASE(Seed3, test_delete_terminal_instances) {
    for (const Outcome& outcome : {completed(), failed(), canceled()}) {
        const RunRef run = start("a");
        Turn turn = next_turn(run);
        turn.key_values = {KeyValueChange{"k", Payload::text("v")}};
        apply(turn);
        end(run, outcome);
        const Answer answer = commit(without_force("a"));
        EXPECT_TRUE(applied(answer));
        EXPECT_EQ(answer.deleted.instances, 1U);
        EXPECT_EQ(answer.deleted.executions, 1U);
        EXPECT_EQ(answer.deleted.events, 2U);
        EXPECT_FALSE(find("a"));
        EXPECT_TRUE(read(ListExecutions{run}).empty());
        EXPECT_TRUE(history(run).empty());
        EXPECT_TRUE(key_values(run).empty());
    }
}

BELAY_CASE(Seed3, test_delete_running_rejected_force_succeeds) {
    const RunRef run = start_running("a");
    EXPECT_TRUE(refused(commit(without_force("a")), Errc::still_running));
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(apply(op::force_delete(named("a"))).deleted.instances, 1U);
    EXPECT_FALSE(find(run));
}

BELAY_CASE(Seed3, test_delete_nonexistent_instance) {
    const Answer answer = commit(without_force("nobody"));
    EXPECT_TRUE(refused(answer, Errc::not_found));
    EXPECT_EQ(answer.deleted.instances, 0U);
}

BELAY_CASE(Seed3, test_delete_cleans_queues_and_locks) {
    const RunRef run = start_with_activities("a", 1);
    raise("a", "go");
    claim(run);
    ASSERT_TRUE(info(run).locked);
    EXPECT_EQ(apply(op::force_delete(named("a"))).deleted.messages, 2U);
    EXPECT_TRUE(activities().empty());
    EXPECT_FALSE(try_claim()) << "nothing is in the orchestrator queue";
    const RunRef fresh = start("a");
    EXPECT_FALSE(info(fresh).locked);
    EXPECT_TRUE(applied(commit(turn_of(claim(fresh)))));
}

BELAY_CASE(Seed3, test_force_delete_prevents_ack_recreation) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::not_found));
    EXPECT_FALSE(find("a"));
    EXPECT_FALSE(find(run));
    EXPECT_TRUE(history(run).empty());
}

BELAY_CASE(Seed3, test_delete_instance_multiple_pending_activities) {
    start_with_activities("a", 5);
    ASSERT_EQ(claim_activities(2).size(), 2U);
    EXPECT_EQ(apply(op::force_delete(named("a"))).deleted.messages, 5U);
    EXPECT_TRUE(activities().empty());
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Seed3, test_completed_at_stored_as_integer) {
    const RunRef run = start_running("a");
    advance(Millis(1'234'567));
    apply(continuing(next_turn(run)));
    const Timestamp continued = now();
    advance(1ms);
    end(run);
    const auto executions = read(ListExecutions{run});
    ASSERT_EQ(executions.size(), 2U);
    EXPECT_EQ(executions[0].ended_at, continued) << "no millisecond is lost";
    EXPECT_EQ(executions[1].ended_at, continued + 1ms);
    EXPECT_EQ(info(run).ended_at, continued + 1ms);
}

// ---- Trees -------------------------------------------------------------------------------------

BELAY_CASE(Seed3, test_cascade_delete_hierarchy) {
    const RunRef root = start_running("p");
    const RunRef child = start_child(root, 1, "p/c");
    take_turn(child);
    const RunRef grandchild = start_child(child, 1, "p/c/g");
    take_turn(grandchild);
    end(grandchild);
    end(child);
    end(root);
    EXPECT_TRUE(refused(commit(without_force("p/c")), Errc::has_parent));
    EXPECT_EQ(apply(without_force("p")).deleted.instances, 3U);
    for (const RunRef run : {root, child, grandchild}) {
        EXPECT_FALSE(find(run));
        EXPECT_TRUE(history(run).empty());
    }
}

BELAY_CASE(Seed3, test_delete_sub_orchestration_always_rejected) {
    const RunRef root = start_running("p");
    const RunRef child = start_child(root, 1, "p/c");
    for (const bool ended : {false, true}) {
        if (ended) end(child);
        EXPECT_TRUE(refused(commit(without_force("p/c")), Errc::has_parent));
        EXPECT_TRUE(refused(commit(op::force_delete(named("p/c"))), Errc::has_parent));
    }
    end(root);
    EXPECT_TRUE(refused(commit(op::force_delete(named("p/c"))), Errc::has_parent));
    EXPECT_TRUE(find(child));
}

BELAY_CASE(Seed3, test_delete_get_instance_tree) {
    const RunRef root = start_running("p");
    const RunRef child = start_child(root, 1, "p/c");
    take_turn(child);
    start_child(child, 1, "p/c/g");
    start_child(root, 2, "p/d");
    const auto ids = tree_ids(read(ListTree{named("p")}));
    ASSERT_EQ(ids.size(), 4U);
    EXPECT_EQ(ids.back(), "p");
    const auto place = [&](const char* id) { return std::ranges::find(ids, id) - ids.begin(); };
    EXPECT_LT(place("p/c/g"), place("p/c"));
    EXPECT_LT(place("p/d"), 4);
}

BELAY_CASE(Seed3, test_delete_get_parent_id) {
    const RunRef root = start_running("p");
    start_child(root, 1, "p/c");
    EXPECT_FALSE(found("p").parent);
    ASSERT_TRUE(found("p/c").parent);
    EXPECT_EQ(info(found("p/c").parent->run).name, named("p"));
    EXPECT_FALSE(find("nobody"));
}

BELAY_CASE(Seed3, test_list_children) {
    const RunRef root = start_running("p");
    const RunRef first = start_child(root, 1, "p/a");
    take_turn(first);
    start_child(first, 1, "p/a/g");
    start_child(root, 2, "p/b");
    EXPECT_EQ(tree_ids(read(ListChildren{root})), (std::vector<std::string>{"p/a", "p/b"}))
        << "direct ones only";
    EXPECT_TRUE(read(ListChildren{fresh_run("nobody")}).empty());
}

BELAY_CASE(Seed3, test_delete_instances_atomic) {
    const RunRef root = start_running("p");
    end(start_child(root, 1, "p/c"));
    end(root);
    end(start_running("q"));
    EXPECT_EQ(apply(list_of({"p/c", "p", "q"})).deleted.instances, 3U);
    for (const char* id : {"p", "p/c", "q"}) EXPECT_FALSE(find(id)) << id;
}

BELAY_CASE(Seed3, test_delete_instances_atomic_force) {
    const RunRef root = start_running("p");
    start_child(root, 1, "p/c");
    EXPECT_TRUE(refused(commit(list_of({"p/c", "p"})), Errc::still_running));
    EXPECT_TRUE(find("p"));
    EXPECT_TRUE(find("p/c"));
    EXPECT_EQ(apply(list_of({"p/c", "p"}, true)).deleted.instances, 2U);
}

BELAY_CASE(Seed3, test_delete_instances_atomic_orphan_detection) {
    const RunRef root = start_running("p");
    end(start_child(root, 1, "p/c"));
    end(root);
    EXPECT_TRUE(refused(commit(list_of({"p"})), Errc::has_children));
    EXPECT_TRUE(refused(commit(list_of({"p"}, true)), Errc::has_children));
    EXPECT_TRUE(refused(commit(list_of({"p", "p/c"})), Errc::invalid_argument)) << "wrong order";
    EXPECT_TRUE(find("p"));
    EXPECT_TRUE(find("p/c"));
}

// ---- Executions --------------------------------------------------------------------------------

BELAY_CASE(Seed3, test_prune_options_combinations) {
    const auto chain = [&](const std::string& id) {
        const RunRef run = start(id);
        for (int i = 0; i < 4; ++i) {
            apply(continuing(next_turn(run)));
            advance(10s);
        }
        return run;
    };
    EXPECT_EQ((chain("kept"), apply(op::prune_executions(named("kept"), 2))).deleted.executions,
              3U);
    const RunRef old = chain("old");
    const Timestamp second = read(ListExecutions{old}).at(1).ended_at.value();
    EXPECT_EQ(
        apply(op::prune_executions(named("old"), std::nullopt, second + 1ms)).deleted.executions,
        2U);
    const RunRef both = chain("both");
    const Timestamp third = read(ListExecutions{both}).at(2).ended_at.value();
    EXPECT_EQ(apply(op::prune_executions(named("both"), 4, third)).deleted.executions, 1U);
    chain("none");
    EXPECT_EQ(apply(op::prune_executions(named("none"), std::nullopt)).deleted.executions, 4U);
}

BELAY_CASE(Seed3, test_prune_safety) {
    const RunRef run = start_running("a");
    EXPECT_EQ(apply(op::prune_executions(named("a"), 0, now() + 1h)).deleted.executions, 0U);
    apply(continuing(next_turn(run)));
    EXPECT_EQ(apply(op::prune_executions(named("a"), 0, now() + 1h)).deleted.executions, 1U);
    const auto left = read(ListExecutions{run});
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].execution, 2U);
    EXPECT_EQ(left[0].status, Status::running);
    EXPECT_TRUE(applied(commit(turn_of(claim(run)))));
}

BELAY_CASE(Seed3, test_prune_continue_as_new_chain) {
    const RunRef run = start("a");
    for (int i = 0; i < 49; ++i) apply(continuing(next_turn(run)));
    const Answer answer = apply(op::prune_executions(named("a"), 10));
    EXPECT_EQ(answer.deleted.executions, 40U);
    EXPECT_EQ(answer.deleted.events, 40U);
    EXPECT_EQ(read(ListExecutions{run}).size(), 10U);
    EXPECT_EQ(info(run).execution, 50U);
    EXPECT_TRUE(applied(commit(turn_of(claim(run)))));
}

}  // namespace
}  // namespace belay::conformance
