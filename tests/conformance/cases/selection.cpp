// What there is to delete or prune: trees, ended instances, chains.
#include "conformance/selected.hpp"

BELAY_CONFORMANCE_AREA(selection)

namespace belay::conformance {
namespace {

SelectInstances ended(std::optional<Timestamp> before = std::nullopt) {
    SelectInstances::Ended which;
    which.before = before;
    return select(which);
}

// ---- Trees -------------------------------------------------------------------------------------

BELAY_CASE(Selection, TreeHasChildrenBeforeTheirParents) {
    const RunRef parent = start_running("p");
    const RunRef first = start_child(parent, 1, "p/a");
    take_turn(first);
    start_child(first, 1, "p/a/g");
    start_child(parent, 2, "p/b");
    start("q");
    EXPECT_EQ(ids_of(read(ListTree{named("p")})), (Ids{"p/a/g", "p/b", "p/a", "p"}));
    EXPECT_EQ(ids_of(read(ListTree{named("p/a")})), (Ids{"p/a/g", "p/a"})) << "from any instance";
    EXPECT_EQ(ids_of(read(ListTree{named("q")})), Ids{"q"});
    EXPECT_TRUE(read(ListTree{named("nobody")}).empty());
}

BELAY_CASE(Selection, TreeIsWhatCanBeDeletedTogether) {
    const RunRef first = start_running("a");
    start_child(first, 1, "a/c");
    Start again = op::start(instance("a"));
    again.on_conflict = IdConflict::replace;
    apply(again);
    const Ids tree = ids_of(read(ListTree{named("a")}));
    EXPECT_EQ(tree, (Ids{"a/c", "a"})) << "with the child of the run that had the name before";
    EXPECT_TRUE(applied(commit(op::delete_instances_atomic(named("").space, tree, true))));
}

// ---- Ended -------------------------------------------------------------------------------------

BELAY_CASE(Selection, EndedRootsTheLongestEndedFirst) {
    for (const char* id : {"c", "a", "b"}) {
        advance(1s);
        end(start_running(id));
    }
    start("pending");
    start_running("running");
    start_running("canceling");
    cancel("canceling");
    const auto found = read(ended());
    EXPECT_EQ(ids_of(found), (Ids{"c", "a", "b"}));
    EXPECT_EQ(found[2].ended_at, now());
    EXPECT_EQ(found[2].instance.status, Status::completed);
    EXPECT_TRUE(found[2].root);
    EXPECT_EQ(found[2].old_executions, 0U);
    EXPECT_EQ(found[2].definition, instance("b").definition);
    EXPECT_EQ(found[2].owner, instance("b").owner);
    EXPECT_TRUE(found[2].settled);
}

BELAY_CASE(Selection, AllOutcomesAreEnds) {
    end(start_running("completed"), completed());
    end(start_running("failed"), failed());
    end(start_running("canceled"), canceled());
    apply(op::terminate(named(info(start("terminated")).name.id), "me", "enough"));
    EXPECT_EQ(read(ended()).size(), 4U);
}

BELAY_CASE(Selection, EndedBeforeIsToTheMillisecond) {
    end(start_running("a"));
    const Timestamp at = now();
    EXPECT_TRUE(read(ended(at)).empty());
    EXPECT_EQ(ids_of(read(ended(at + 1ms))), Ids{"a"});
    advance(1ms);
    end(start_running("b"));
    EXPECT_EQ(ids_of(read(ended(at + 1ms))), Ids{"a"});
    EXPECT_EQ(ids_of(read(ended(at + 2ms))), (Ids{"a", "b"}));
}

BELAY_CASE(Selection, EndedChildrenAreNotRoots) {
    const RunRef parent = start_running("p");
    end(start_child(parent, 1, "p/c"));
    EXPECT_TRUE(read(ended()).empty());
    end(parent);
    EXPECT_EQ(ids_of(read(ended())), Ids{"p"});
}

BELAY_CASE(Selection, EndedRunThatLostItsNameIsNotThere) {
    end(start_running("a"));
    Start again = op::start(instance("a"));
    again.on_conflict = IdConflict::replace;
    apply(again);
    EXPECT_TRUE(read(ended()).empty());
    end(again.instance.run);
    const auto found = read(ended());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].instance.run, again.instance.run);
}

BELAY_CASE(Selection, PagesMissNothingAndRepeatNothing) {
    for (int i = 0; i < 7; ++i) {
        if (i % 3 == 0) advance(1s);  // Several end in the same moment.
        end(start_running("a" + std::to_string(i)));
    }
    const Ids all = ids_of(read(ended()));
    ASSERT_EQ(all.size(), 7U);
    SelectInstances::Ended place;
    Ids paged;
    while (true) {
        const auto page = read(select(place, 2));
        EXPECT_LE(page.size(), 2U);
        if (page.empty()) break;
        for (const std::string& id : ids_of(page)) paged.push_back(id);
        place.after = std::pair(page.back().ended_at.value(), page.back().instance.run.key);
        // The one where we are goes: the place is kept.
        apply(op::force_delete(page.back().instance.name));
    }
    EXPECT_EQ(paged, all);
}

BELAY_CASE(Selection, DeletedOnesAreGone) {
    end(start_running("a"));
    const RunRef run = start("b");
    apply(continuing(next_turn(run)));
    end(run);
    for (const char* id : {"a", "b"}) apply(op::force_delete(named(id)));
    EXPECT_TRUE(read(ended()).empty());
    EXPECT_TRUE(read(select(SelectInstances::Chains())).empty());
    EXPECT_TRUE(read(select(SelectInstances::Named{{"a", "b"}})).empty());
}

// ---- Chains ------------------------------------------------------------------------------------

BELAY_CASE(Selection, ChainsAreThoseWithOldExecutions) {
    const RunRef first = start("b");
    const RunRef second = start("a");
    start("single");
    apply(continuing(next_turn(first)));
    apply(continuing(next_turn(second)));
    apply(continuing(next_turn(second)));
    end(second);
    const auto found = read(select(SelectInstances::Chains()));
    EXPECT_EQ(ids_of(found), (Ids{"b", "a"})) << "the oldest run first";
    EXPECT_FALSE(found[0].ended_at);
    EXPECT_TRUE(found[1].ended_at);
    EXPECT_EQ(found[0].old_executions, 1U);
    EXPECT_EQ(found[1].old_executions, 2U);
    EXPECT_EQ(found[0].oldest_ended_at, now());
    apply(op::prune_executions(named("b"), 1));
    EXPECT_EQ(ids_of(read(select(SelectInstances::Chains()))), Ids{"a"});
    apply(continuing(next_turn(first)));
    EXPECT_EQ(ids_of(read(select(SelectInstances::Chains()))), (Ids{"b", "a"}));
}

BELAY_CASE(Selection, ChainsComeInPages) {
    for (int i = 0; i < 5; ++i) {
        const RunRef run = start("a" + std::to_string(i));
        apply(continuing(next_turn(run)));
        apply(continuing(next_turn(run)));
    }
    SelectInstances::Chains place;
    Ids paged;
    while (true) {
        const auto page = read(select(place, 2));
        if (page.empty()) break;
        for (const std::string& id : ids_of(page)) paged.push_back(id);
        place.after = page.back().instance.run.key;
    }
    EXPECT_EQ(paged, (Ids{"a0", "a1", "a2", "a3", "a4"}));
}

BELAY_CASE(Selection, ChainsOfOtherNamespacesFillNoPage) {
    for (int i = 0; i < 6; ++i) {
        NewInstance made = instance("a" + std::to_string(i));
        if (i % 3 != 0) made.name.space = "elsewhere";
        apply(op::start(made));
        apply(continuing(next_turn(made.run)));
    }
    EXPECT_EQ(ids_of(read(select(SelectInstances::Chains(), 2))), (Ids{"a0", "a3"}));
}

BELAY_CASE(Selection, FormersAreThoseThatEndedWithoutTheirName) {
    std::vector<RunRef> runs{start_running("a")};
    for (int i = 0; i < 3; ++i) {
        Start again = op::start(instance("a"));
        again.on_conflict = IdConflict::replace;
        apply(again);
        runs.push_back(again.instance.run);
    }
    end(runs[0], canceled());  // The others were pending, and ended when they were replaced.
    const auto found = read(select(SelectInstances::Formers()));
    ASSERT_EQ(found.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found[i].instance.run, runs[i]) << i;
    SelectInstances::Formers place;
    place.after = runs[0].key;
    ASSERT_EQ(read(select(place, 1)).size(), 1U);
    EXPECT_EQ(read(select(place, 1))[0].instance.run, runs[1]);
    SelectInstances elsewhere = select(SelectInstances::Formers());
    elsewhere.space = "elsewhere";
    EXPECT_TRUE(read(elsewhere).empty());
}

BELAY_CASE(Selection, SaysWhetherEarlierRunsOfItsNameHaveSettled) {
    const RunRef first = start_running("a");
    Start again = op::start(instance("a"));
    again.on_conflict = IdConflict::replace;
    apply(again);
    SelectInstances::Named which;
    which.ids = {"a"};
    EXPECT_FALSE(read(select(which)).at(0).formers_settled) << "the first is canceling";
    end(first, canceled());
    EXPECT_TRUE(read(select(which)).at(0).formers_settled);
}

BELAY_CASE(Selection, ChildrenCanBeChains) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    apply(continuing(next_turn(child)));
    const auto found = read(select(SelectInstances::Chains()));
    ASSERT_EQ(ids_of(found), Ids{"p/c"});
    EXPECT_FALSE(found[0].root);
}

// ---- By name -----------------------------------------------------------------------------------

BELAY_CASE(Selection, NamedOnesInTheirOrder) {
    end(start_running("a"));
    const RunRef run = start("b");
    apply(continuing(next_turn(run)));
    const auto found = read(select(SelectInstances::Named{{"b", "nobody", "a"}}));
    EXPECT_EQ(ids_of(found), (Ids{"b", "a"}));
    EXPECT_EQ(found[0].old_executions, 1U);
    EXPECT_FALSE(found[0].ended_at);
    EXPECT_EQ(found[1].old_executions, 0U);
    EXPECT_EQ(found[1].ended_at, now());
    EXPECT_EQ(read(select(SelectInstances::Named{{"b", "a"}}, 1)).size(), 1U);
    EXPECT_TRUE(read(select(SelectInstances::Named())).empty());
}

BELAY_CASE(Selection, NamespacesAreKeptApart) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    end(run);
    for (SelectInstances request :
         {ended(), select(SelectInstances::Chains()), select(SelectInstances::Named{{"a"}})}) {
        EXPECT_EQ(read(request).size(), 1U);
        request.space = "elsewhere";
        EXPECT_TRUE(read(request).empty());
    }
}

}  // namespace
}  // namespace belay::conformance
