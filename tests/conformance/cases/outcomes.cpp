// Ended runs by outcome, and those past their time.
#include "conformance/selected.hpp"

BELAY_CONFORMANCE_AREA(outcomes)

namespace belay::conformance {
namespace {

SelectInstances::Past past(std::string definition, Status outcome = Status::completed) {
    SelectInstances::Past which;
    which.definition = std::move(definition);
    which.outcome = outcome;
    return which;
}

class Outcomes : public Case {
protected:
    /// Started, and ended a second later than the one before.
    RunRef ended(const std::string& id,
                 const std::string& definition,
                 const Outcome& outcome = completed()) {
        NewInstance made = instance(id);
        made.definition = definition;
        made.owner = "owner of " + definition;
        apply(op::start(made));
        advance(1s);
        end(made.run, outcome);
        return made.run;
    }
    Ids all_pages(SelectInstances::Past which) {
        Ids ids;
        while (true) {
            const auto page = read(select(which, 2));
            if (page.empty()) return ids;
            for (const std::string& id : ids_of(page)) ids.push_back(id);
            which.after = std::pair(page.back().ended_at.value(), page.back().instance.run.key);
        }
    }
};

// ---- Ended, narrowed down ----------------------------------------------------------------------

BELAY_CASE_OF(Outcomes, Outcomes, EndedOfOneDefinition) {
    ended("a", "order", failed());
    ended("b", "bill");
    ended("c", "order");
    ended("d", "order", failed());
    SelectInstances which = select(SelectInstances::Ended());
    which.definition = "order";
    EXPECT_EQ(ids_of(read(which)), (Ids{"a", "c", "d"})) << "however they ended, in order";
    which.max = 2;
    EXPECT_EQ(ids_of(read(which)), (Ids{"a", "c"}));
    which.statuses = std::vector{Status::failed};
    EXPECT_EQ(ids_of(read(which)), (Ids{"a", "d"}));
    which.ended.before = now();
    EXPECT_EQ(ids_of(read(which)), Ids{"a"});
    which.definition = "nothing";
    EXPECT_TRUE(read(which).empty());
}

BELAY_CASE_OF(Outcomes, Outcomes, EndedInSomeWays) {
    ended("a", "order", failed());
    ended("b", "bill");
    ended("c", "order", canceled());
    SelectInstances which = select(SelectInstances::Ended());
    which.statuses = std::vector{Status::canceled, Status::failed};
    EXPECT_EQ(ids_of(read(which)), (Ids{"a", "c"}));
    which.statuses = std::vector{Status::running};
    EXPECT_TRUE(read(which).empty()) << "what runs has not ended";
    which.statuses->clear();
    EXPECT_TRUE(read(which).empty());
}

BELAY_CASE_OF(Outcomes, Outcomes, PagesOfOneDefinitionMissNothing) {
    for (int i = 0; i < 7; ++i)
        ended("a" + std::to_string(i), "order", i % 2 ? failed() : completed());
    SelectInstances::Ended place;
    Ids paged;
    while (true) {
        SelectInstances request = select(place, 2);
        request.definition = "order";
        const auto page = read(request);
        if (page.empty()) break;
        for (const std::string& id : ids_of(page)) paged.push_back(id);
        place.after = std::pair(page.back().ended_at.value(), page.back().instance.run.key);
        apply(op::force_delete(page.back().instance.name));
    }
    EXPECT_EQ(paged, (Ids{"a0", "a1", "a2", "a3", "a4", "a5", "a6"}));
}

// ---- Past a bound ------------------------------------------------------------------------------

BELAY_CASE_OF(Outcomes, Outcomes, PastATime) {
    for (const char* id : {"a", "b", "c"}) ended(id, "order");
    auto which = past("order");
    EXPECT_TRUE(read(select(which)).empty()) << "without a bound nothing is past it";
    which.before = now();
    EXPECT_EQ(all_pages(which), (Ids{"a", "b"}));
    which.before = now() + 1ms;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b", "c"}));
    which.before = Timestamp::min();
    EXPECT_TRUE(read(select(which)).empty());
}

BELAY_CASE_OF(Outcomes, Outcomes, PastTheLastSoMany) {
    for (const char* id : {"a", "b", "c", "d"}) {
        ended(id, "order");
        ended(std::string("bill-") + id, "bill");
        ended(std::string("failed-") + id, "order", failed());
    }
    auto which = past("order");
    which.not_last = 4;
    EXPECT_TRUE(read(select(which)).empty());
    which.not_last = 3;
    EXPECT_EQ(all_pages(which), Ids{"a"}) << "others do not count";
    which.not_last = 1;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b", "c"}));
    which.not_last = 0;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b", "c", "d"}));
    which.outcome = Status::failed;
    which.not_last = 2;
    EXPECT_EQ(all_pages(which), (Ids{"failed-a", "failed-b"}));
}

BELAY_CASE_OF(Outcomes, Outcomes, PastEitherBound) {
    for (const char* id : {"a", "b", "c", "d"}) ended(id, "order");
    auto which = past("order");
    which.not_last = 3;
    which.before = now() - 1s;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b"})) << "the time says more";
    which.not_last = 1;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b", "c"})) << "the count says more";
}

BELAY_CASE_OF(Outcomes, Outcomes, WhatEndedLaterDoesNotGoAndIsNoneOfTheLast) {
    for (const char* id : {"a", "b"}) ended(id, "order");
    const Timestamp seen = now();
    for (const char* id : {"c", "d"}) ended(id, "order");
    auto which = past("order");
    which.by = seen;
    EXPECT_TRUE(read(select(which)).empty()) << "it is no bound";
    which.not_last = 2;
    EXPECT_TRUE(read(select(which)).empty()) << "a and b are the last ones";
    which.not_last = 1;
    EXPECT_EQ(all_pages(which), Ids{"a"});
    which.not_last = 0;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b"})) << "also what ended at that very time";
    which.before = now() + 1ms;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b"}));
    which.not_last.reset();
    EXPECT_EQ(all_pages(which), (Ids{"a", "b"}));
    which.before = seen;
    which.not_last = 2;
    EXPECT_EQ(all_pages(which), Ids{"a"}) << "the time says more";
    which.by = seen - 1h;
    EXPECT_TRUE(read(select(which)).empty());
}

BELAY_CASE_OF(Outcomes, Outcomes, OfThoseThatEndedTogetherTheOldestRunsGo) {
    for (const char* id : {"a", "b", "c"}) start_running(id);
    for (const char* id : {"c", "b", "a"}) end(find(id)->run);
    auto which = past(instance("a").definition);
    which.not_last = 1;
    EXPECT_EQ(all_pages(which), (Ids{"a", "b"}));
}

BELAY_CASE_OF(Outcomes, Outcomes, WhoLostItsNameIsNotCounted) {
    ended("a", "order");
    NewInstance made = instance("b");
    made.definition = "order";
    apply(op::start(made));
    end(made.run);
    Start again = op::start(instance("b"));
    again.instance.definition = "order";
    again.on_conflict = IdConflict::replace;
    apply(again);
    auto which = past("order");
    which.not_last = 1;
    EXPECT_TRUE(read(select(which)).empty()) << "only 'a' has its name and has ended";
    which.not_last = 0;
    EXPECT_EQ(all_pages(which), Ids{"a"});
}

BELAY_CASE_OF(Outcomes, Outcomes, ChildrenAreNotPast) {
    const RunRef parent = start_running("p");
    end(start_child(parent, 1, "p/c"));
    auto which = past(instance("p/c").definition);
    which.not_last = 0;
    EXPECT_TRUE(read(select(which)).empty());
}

// ---- Which there are ---------------------------------------------------------------------------

BELAY_CASE_OF(Outcomes, Outcomes, EachDefinitionAndWayToEndOnce) {
    using One = ListOutcomes::One;
    ListOutcomes list;
    list.space = named("").space;
    EXPECT_TRUE(read(list).empty());
    ended("a", "order", failed());
    ended("b", "order");
    ended("c", "bill");
    ended("d", "order");
    start_running("running");
    const ListOutcomes::Answer all = read(list);
    EXPECT_EQ(all,
              (ListOutcomes::Answer{One{"bill", Status::completed},
                                    One{"order", Status::completed},
                                    One{"order", Status::failed}}));
    list.max = 2;
    EXPECT_EQ(read(list).size(), 2U);
    list.after = all[1];
    EXPECT_EQ(read(list), (ListOutcomes::Answer{all[2]}));
    list.after = all[2];
    EXPECT_TRUE(read(list).empty());
    list.after.reset();
    apply(op::force_delete(named("c")));
    EXPECT_EQ(read(list).front(), (One{"order", Status::completed})) << "the last of it is gone";
    list.space = "elsewhere";
    EXPECT_TRUE(read(list).empty());
}

// ---- The content of a mark ---------------------------------------------------------------------

BELAY_CASE_OF(Outcomes, Outcomes, AMarkSaysWhatGoesAlong) {
    const RunRef small = ended("small", "order");
    const RunRef parent = start_running("p");
    for (CommandNo i = 1; i <= 5; ++i) end(start_child(parent, i, "p/" + std::to_string(i)));
    end(parent);
    const auto found = read(select_named({"small", "p"}));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].instance.run, small);
    EXPECT_GE(found[0].size, 2U);
    EXPECT_GT(found[1].size, found[0].size + 5) << "with all below it";
    EXPECT_EQ(found[0].owner, "owner of order");
}

BELAY_CASE_OF(Outcomes, Outcomes, AMarkSaysWhetherAllBelowHasEnded) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    end(parent);
    EXPECT_FALSE(read(select_named({"p"})).front().settled);
    end(child, canceled());
    EXPECT_TRUE(read(select_named({"p"})).front().settled);
}

}  // namespace
}  // namespace belay::conformance
