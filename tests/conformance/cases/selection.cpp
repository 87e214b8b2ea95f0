// Candidates for deletion or pruning: trees, ended instances, chains.
#include "conformance/selected.hpp"

BELAY_CONFORMANCE_AREA(selection)

namespace belay::conformance {
namespace {

SelectInstances ended(std::optional<Timestamp> before = std::nullopt) {
    SelectInstances request = select(SelectInstances::Ended());
    request.ended.before = before;
    return request;
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
    EXPECT_TRUE(read(select_named({"a", "b"})).empty());
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
    const SelectInstances which = select_named({"a"});
    EXPECT_FALSE(read(which).at(0).formers_settled) << "the first is canceling";
    end(first, canceled());
    EXPECT_TRUE(read(which).at(0).formers_settled);
}

BELAY_CASE(Selection, ChildrenCanBeChains) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    apply(continuing(next_turn(child)));
    const auto found = read(select(SelectInstances::Chains()));
    ASSERT_EQ(ids_of(found), Ids{"p/c"});
    EXPECT_FALSE(found[0].root);
}

// ---- By a filter -------------------------------------------------------------------------------

BELAY_CASE(Selection, AnyHasWhatRunsAndWhatHasEndedTheOldestRunFirst) {
    const RunRef chain = start("b");
    apply(continuing(next_turn(chain)));
    end(start_running("a"));
    start("pending");
    const auto found = read(select(SelectInstances::Any()));
    EXPECT_EQ(ids_of(found), (Ids{"b", "a", "pending"}));
    EXPECT_EQ(found[0].old_executions, 1U);
    EXPECT_FALSE(found[0].ended_at);
    EXPECT_EQ(found[1].old_executions, 0U);
    EXPECT_EQ(found[1].ended_at, now());
    EXPECT_EQ(ids_of(read(select(SelectInstances::Any(), 2))), (Ids{"b", "a"}));
    SelectInstances::Any place;
    place.after = found[0].instance.run.key;
    EXPECT_EQ(ids_of(read(select(place))), (Ids{"a", "pending"}));
}

BELAY_CASE(Selection, NamedOnesAsFarAsTheyAreThere) {
    end(start_running("b"));
    const RunRef chain = start("a");
    apply(continuing(next_turn(chain)));
    start("c");
    EXPECT_EQ(ids_of(read(select_named({"a", "nobody", "b"}))), (Ids{"b", "a"}));
    EXPECT_EQ(ids_of(read(select_named({"a", "a"}))), Ids{"a"}) << "each once";
    EXPECT_EQ(read(select_named({"a", "b"}, 1)).size(), 1U);
    EXPECT_TRUE(read(select_named({})).empty());
    SelectInstances ended_ones = ended();
    ended_ones.ids = Ids{"a", "b", "c"};
    EXPECT_EQ(ids_of(read(ended_ones)), Ids{"b"});
    SelectInstances chains = select(SelectInstances::Chains());
    chains.ids = Ids{"b", "a"};
    EXPECT_EQ(ids_of(read(chains)), Ids{"a"});
    chains.ids = Ids();
    EXPECT_TRUE(read(chains).empty());
}

/// Each filter means the same in a list and in every way to choose.
BELAY_CASE(Selection, MeansTheSameAsAList) {
    NewInstance special = instance("special");
    special.definition = "Special";
    special.version = "7";
    special.owner = "somebody";
    special.labels = {{"tier", std::int64_t{3}}, {"gold", true}};
    apply(op::start(special));
    apply(continuing(next_turn(special.run)));
    advance(1s);
    end(special.run, failed());
    const RunRef parent = start_running("parent");
    const RunRef child = start_child(parent, 1, "parent/child");
    apply(continuing(next_turn(child)));
    advance(1s);
    for (const char* id : {"x", "y"}) {
        const RunRef run = start(id);
        apply(continuing(next_turn(run)));
        end(run);
    }
    const Timestamp middle = now();
    const std::vector<void (*)(InstanceMatch&, Timestamp)> filters{
        [](InstanceMatch&, Timestamp) {},
        [](InstanceMatch& match, Timestamp) { match.ids = Ids{"x", "special", "parent/child"}; },
        [](InstanceMatch& match, Timestamp) { match.ids = Ids(); },
        [](InstanceMatch& match, Timestamp) { match.statuses = {Status::failed}; },
        [](InstanceMatch& match, Timestamp) { match.statuses = std::vector<Status>(); },
        [](InstanceMatch& match, Timestamp) {
            match.statuses = {Status::running, Status::completed};
        },
        [](InstanceMatch& match, Timestamp) { match.definition = "Special"; },
        [](InstanceMatch& match, Timestamp) { match.version = "7"; },
        [](InstanceMatch& match, Timestamp) { match.owner = "somebody"; },
        [](InstanceMatch& match, Timestamp) { match.parent = "parent"; },
        [](InstanceMatch& match, Timestamp) { match.parent = "nobody"; },
        [](InstanceMatch& match, Timestamp) { match.labels = {{"tier", std::int64_t{3}}}; },
        [](InstanceMatch& match, Timestamp) {
            match.labels = {{"gold", true}, {"tier", std::int64_t{4}}};
        },
        [](InstanceMatch& match, Timestamp at) { match.created.before = at; },
        [](InstanceMatch& match, Timestamp at) { match.created.from = at; },
        [](InstanceMatch& match, Timestamp at) { match.ended.before = at; },
        [](InstanceMatch& match, Timestamp at) { match.ended.from = at; },
        [](InstanceMatch& match, Timestamp) { match.id_prefix = "parent"; },
        [](InstanceMatch& match, Timestamp) { match.roots_only = true; },
        [](InstanceMatch& match, Timestamp) { match.held_only = true; },
        [](InstanceMatch& match, Timestamp) { match.all_parts = true; }};
    for (std::size_t i = 0; i < filters.size(); ++i) {
        ListInstances list;
        list.space = named("").space;
        list.order = InstanceOrder::started;
        filters[i](list, middle);
        Ids any;
        Ids chains;
        for (const ListedInstance& one : read(list)) {
            any.push_back(one.instance.name.id);
            if (one.execution > 1) chains.push_back(one.instance.name.id);
        }
        list.order = InstanceOrder::ended;
        list.roots_only = true;
        Ids ends;
        for (const ListedInstance& one : read(list)) ends.push_back(one.instance.name.id);

        SelectInstances request = select(SelectInstances::Any());
        filters[i](request, middle);
        EXPECT_EQ(ids_of(read(request)), any) << i;
        request.which = SelectInstances::Chains();
        EXPECT_EQ(ids_of(read(request)), chains) << i;
        request.which = SelectInstances::Ended();
        EXPECT_EQ(ids_of(read(request)), ends) << i;
    }
}

BELAY_CASE(Selection, NamespacesAreKeptApart) {
    const RunRef run = start("a");
    apply(continuing(next_turn(run)));
    end(run);
    for (SelectInstances request : {ended(),
                                    select(SelectInstances::Chains()),
                                    select(SelectInstances::Any()),
                                    select_named({"a"})}) {
        EXPECT_EQ(read(request).size(), 1U);
        request.space = "elsewhere";
        EXPECT_TRUE(read(request).empty());
    }
}

}  // namespace
}  // namespace belay::conformance
