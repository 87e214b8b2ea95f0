// Lists of instances: every filter, in every order, page by page; and counts.
#include "conformance/case.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <tuple>

BELAY_CONFORMANCE_AREA(listing)

namespace belay::conformance {
namespace {

using Ids = std::vector<std::string>;

constexpr std::array kListOrders{
    InstanceOrder::started, InstanceOrder::created, InstanceOrder::ended, InstanceOrder::id};

ListInstances list_all(InstanceOrder order = InstanceOrder::started) {
    ListInstances request;
    request.space = named("").space;
    request.order = order;
    request.max = 1000;
    return request;
}

Ids listed_ids(const std::vector<ListedInstance>& page) {
    Ids ids;
    for (const ListedInstance& one : page) ids.push_back(one.instance.name.id);
    return ids;
}

InstancePlace place_in(const ListedInstance& one, InstanceOrder order) {
    InstancePlace place;
    place.key = one.instance.run.key;
    if (order == InstanceOrder::created) place.at = one.created_at;
    if (order == InstanceOrder::ended) place.at = one.ended_at.value();
    if (order == InstanceOrder::id) place.id = one.instance.name.id;
    return place;
}

Hold set_aside(const ClaimedInstance& item) { return Hold{item.run, item.token, "it differs"}; }

/// Something of every sort.
class Listing : public Case {
protected:
    RunRef start_as(const std::string& id, const std::function<void(NewInstance&)>& change) {
        NewInstance made = instance(id);
        change(made);
        const RunRef run = made.run;
        apply(op::start(std::move(made)));
        return run;
    }

    void fill() {
        first = now();
        start_as("pending", [](NewInstance& made) { made.definition = "Other"; });
        start_running("running");
        advance(1s);
        const RunRef parent = start_as("tree", [](NewInstance& made) {
            made.labels["tier"] = std::string("gold");
            made.labels["size"] = std::int64_t{3};
        });
        apply(next_turn(parent));
        end(start_child(parent, 1, "tree/ended"));
        start_child(parent, 2, "tree/open");
        advance(1s);
        end(start_as("mine", [](NewInstance& made) { made.owner = "me"; }));
        end(start_as("two", [](NewInstance& made) {
            made.version = "2.0";
            made.labels["size"] = 3.0;
            made.labels["tier"] = std::string("gold");
        }));
        end(start_running("broken"), failed("it broke"));
        advance(1s);
        start_running("stopping");
        cancel("stopping");
        end(start_running("stopped"), canceled());
        apply(set_aside(claim(start("set aside"))));
        // One that lost its name, and the one that has it.
        end(start_running("again"));
        Start again = op::start(instance("again"));
        again.on_conflict = IdConflict::replace;
        apply(again);
        advance(1s);
        end(start_running("bro"));
    }

    /// Pages of two, each behind the one before.
    Ids paged(ListInstances request) {
        Ids ids;
        request.max = 2;
        while (true) {
            const auto page = read(request);
            EXPECT_LE(page.size(), 2U);
            if (page.empty() || ids.size() > 1000) return ids;
            for (const std::string& id : listed_ids(page)) ids.push_back(id);
            request.after = place_in(page.back(), request.order);
        }
    }

    /// All instances that `wanted` says, in order.
    Ids expected(const ListInstances& request,
                 const std::function<bool(const ListedInstance&)>& wanted) {
        std::vector<ListedInstance> found;
        for (const ListedInstance& one : read(list_all())) {
            if (request.order == InstanceOrder::ended && !one.ended_at) continue;
            if (wanted(one)) found.push_back(one);
        }
        std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
            const InstancePlace x = place_in(a, request.order);
            const InstancePlace y = place_in(b, request.order);
            const bool before = std::tie(x.at, x.id, x.key) < std::tie(y.at, y.id, y.key);
            return before != request.descending;
        });
        return listed_ids(found);
    }

    /// In every order and direction, at once and page by page.
    void expect_list(const std::function<void(ListInstances&)>& filter,
                     const std::function<bool(const ListedInstance&)>& wanted,
                     Where where = Where::current()) {
        for (const InstanceOrder order : kListOrders) {
            for (const bool descending : {false, true}) {
                ListInstances request = list_all(order);
                filter(request);
                request.descending = descending;
                const Ids list = expected(request, wanted);
                const std::string how = "line " + std::to_string(where.line()) + ", order " +
                                        std::to_string(static_cast<int>(order)) +
                                        (descending ? " descending" : "");
                EXPECT_EQ(listed_ids(read(request)), list) << how;
                EXPECT_EQ(paged(request), list) << how << ", in pages";
            }
        }
    }

    Timestamp first{};
};

#define BELAY_LISTING_CASE(name) BELAY_CASE_OF(Listing, Listing, name)

BELAY_LISTING_CASE(EverythingThatHasAName) {
    fill();
    EXPECT_EQ(read(list_all()).size(), 13U) << "without the run that lost its name";
    expect_list([](ListInstances&) {}, [](const ListedInstance&) { return true; });
}

BELAY_LISTING_CASE(ByStatus) {
    fill();
    for (const Status status : {Status::pending,
                                Status::running,
                                Status::canceling,
                                Status::completed,
                                Status::failed,
                                Status::canceled,
                                Status::skipped}) {
        expect_list([&](ListInstances& request) { request.statuses = {status}; },
                    [&](const ListedInstance& one) { return one.instance.status == status; });
    }
}

BELAY_LISTING_CASE(ByOneOfSeveralStatuses) {
    fill();
    const std::vector<std::vector<Status>> sets{
        {Status::pending, Status::canceling, Status::running},
        {Status::failed, Status::completed},
        {Status::running, Status::canceled, Status::running}};
    for (const auto& set : sets) {
        expect_list([&](ListInstances& request) { request.statuses = set; },
                    [&](const ListedInstance& one) {
                        return std::find(set.begin(), set.end(), one.instance.status) != set.end();
                    });
    }
}

BELAY_LISTING_CASE(ByDefinition) {
    fill();
    for (const char* name : {"Order", "Other", "Nobody's"}) {
        expect_list([&](ListInstances& request) { request.definition = name; },
                    [&](const ListedInstance& one) { return one.definition == name; });
    }
}

BELAY_LISTING_CASE(ByVersion) {
    fill();
    expect_list([](ListInstances& request) { request.version = "2.0"; },
                [](const ListedInstance& one) { return one.version == "2.0"; });
}

BELAY_LISTING_CASE(ByOwner) {
    fill();
    expect_list([](ListInstances& request) { request.owner = "me"; },
                [](const ListedInstance& one) { return one.owner == "me"; });
}

BELAY_LISTING_CASE(ByParent) {
    fill();
    expect_list([](ListInstances& request) { request.parent = "tree"; },
                [](const ListedInstance& one) { return one.parent_id == "tree"; });
    ListInstances request = list_all();
    request.parent = "nobody";
    EXPECT_TRUE(read(request).empty());
}

BELAY_LISTING_CASE(ByLabelOfItsType) {
    fill();
    const std::vector<std::pair<std::string, LabelValue>> labels{{"tier", std::string("gold")},
                                                                 {"size", std::int64_t{3}},
                                                                 {"size", 3.0},
                                                                 {"size", std::string("3")},
                                                                 {"size", true},
                                                                 {"none", std::string("gold")}};
    for (const auto& label : labels) {
        expect_list([&](ListInstances& request) { request.labels = {label}; },
                    [&](const ListedInstance& one) {
                        const auto found = one.labels.find(label.first);
                        return found != one.labels.end() && found->second == label.second;
                    });
    }
}

BELAY_LISTING_CASE(BySeveralLabels) {
    start_as("both", [](NewInstance& made) {
        made.labels = {{"tier", std::string("gold")}, {"size", std::int64_t{3}}, {"vip", true}};
    });
    start_as("one", [](NewInstance& made) {
        made.labels = {{"tier", std::string("gold")}, {"size", std::int64_t{4}}};
    });
    const auto found = [&](std::vector<std::pair<std::string, LabelValue>> labels) {
        ListInstances request = list_all(InstanceOrder::id);
        request.labels = std::move(labels);
        return listed_ids(read(request));
    };
    const std::pair<std::string, LabelValue> gold("tier", std::string("gold"));
    const std::pair<std::string, LabelValue> three("size", std::int64_t{3});
    EXPECT_EQ(found({gold}), (Ids{"both", "one"}));
    EXPECT_EQ(found({gold, three}), Ids{"both"});
    EXPECT_EQ(found({three, gold}), Ids{"both"});
    EXPECT_EQ(found({gold, three, {"vip", true}}), Ids{"both"});
    EXPECT_EQ(found({gold, three, {"vip", false}}), Ids{});
    EXPECT_EQ(found({gold, gold}), (Ids{"both", "one"}));
    EXPECT_EQ(found({gold, {"tier", std::string("silver")}}), Ids{});
}

BELAY_LISTING_CASE(ByTimeOfTheStart) {
    fill();
    const TimeRange ranges[] = {{first + 1s, std::nullopt},
                                {std::nullopt, first + 1s},
                                {first + 1s, first + 2s},
                                {first + 2s, first + 1s}};
    for (const TimeRange& range : ranges) {
        expect_list([&](ListInstances& request) { request.created = range; },
                    [&](const ListedInstance& one) { return range.contains(one.created_at); });
    }
}

BELAY_LISTING_CASE(ByTimeOfTheEnd) {
    fill();
    const TimeRange ranges[] = {
        {first + 2s, std::nullopt}, {std::nullopt, first + 2s}, {first + 2s, first + 3s}};
    for (const TimeRange& range : ranges) {
        expect_list([&](ListInstances& request) { request.ended = range; },
                    [&](const ListedInstance& one) {
                        return one.ended_at && range.contains(*one.ended_at);
                    });
    }
}

BELAY_LISTING_CASE(ByTheBeginningOfTheId) {
    fill();
    start("\xC3\xA9t\xC3\xA9");
    for (const std::string prefix : {"bro", "broken", "tree/", "nothing", "\xC3\xA9", "\xC3"}) {
        expect_list(
            [&](ListInstances& request) { request.id_prefix = prefix; },
            [&](const ListedInstance& one) { return one.instance.name.id.starts_with(prefix); });
    }
}

BELAY_LISTING_CASE(RootsOnly) {
    fill();
    expect_list([](ListInstances& request) { request.roots_only = true; },
                [](const ListedInstance& one) { return !one.parent_id; });
}

BELAY_LISTING_CASE(HeldOnly) {
    fill();
    expect_list([](ListInstances& request) { request.held_only = true; },
                [](const ListedInstance& one) { return one.held; });
}

BELAY_LISTING_CASE(AllThatIsSaidMustBeTrue) {
    fill();
    expect_list(
        [this](ListInstances& request) {
            request.statuses = {Status::completed, Status::failed};
            request.definition = "Order";
            request.owner = "team";
            request.created = {first + 1s, first + 3s};
        },
        [this](const ListedInstance& one) {
            return (one.instance.status == Status::completed ||
                    one.instance.status == Status::failed) &&
                   one.definition == "Order" && one.owner == "team" &&
                   TimeRange{first + 1s, first + 3s}.contains(one.created_at);
        });
    expect_list(
        [](ListInstances& request) {
            request.parent = "tree";
            request.labels = {{"tier", std::string("gold")}};
        },
        [](const ListedInstance&) { return false; });
    expect_list(
        [](ListInstances& request) {
            request.id_prefix = "t";
            request.version = "1.0";
            request.roots_only = true;
            request.ended = {Timestamp(), std::nullopt};
        },
        [](const ListedInstance& one) {
            return one.instance.name.id.starts_with("t") && one.version == "1.0" &&
                   !one.parent_id && one.ended_at;
        });
}

BELAY_LISTING_CASE(WhatIsListedOfAnInstance) {
    const Timestamp created = now();
    const RunRef parent = start_as("p", [](NewInstance& made) {
        made.labels["tier"] = std::string("gold");
        made.labels["fast"] = true;
    });
    advance(1s);
    apply(next_turn(parent));
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    advance(1s);
    end(child, failed(std::string(100'000, 'x')));
    auto list = read(list_all(InstanceOrder::id));
    ASSERT_EQ(listed_ids(list), (Ids{"p", "p/c"}));
    const ListedInstance& root = list[0];
    EXPECT_EQ(root.instance.run, parent);
    EXPECT_EQ(root.instance.name, named("p"));
    EXPECT_EQ(root.instance.status, Status::running);
    EXPECT_EQ(root.definition, "Order");
    EXPECT_EQ(root.version, "1.0");
    EXPECT_EQ(root.owner, "team");
    EXPECT_EQ(root.started_by, "tester");
    EXPECT_EQ(root.created_at, created);
    EXPECT_EQ(root.started_at, created + 1s);
    EXPECT_FALSE(root.ended_at || root.parent_id || root.cancel || root.held || root.failure);
    EXPECT_EQ(root.labels, info(parent).labels);
    EXPECT_EQ(list[1].parent_id, "p");
    EXPECT_EQ(list[1].ended_at, now());
    ASSERT_TRUE(list[1].failure);
    EXPECT_LT(list[1].failure->message.size(), 1000U) << "a summary";
    EXPECT_TRUE(list[1].failure->message.starts_with("xxx"));

    cancel("p", "enough");
    EXPECT_EQ(read(list_all(InstanceOrder::id))[0].cancel, cancel_record(parent));
    apply(set_aside(claim(start("q"))));
    list = read(list_all(InstanceOrder::id));
    EXPECT_TRUE(list[2].held);
    EXPECT_EQ(list[2].held_detail, "it differs");
}

BELAY_LISTING_CASE(PagesKeepTheirPlaceWhileInstancesComeAndGo) {
    for (int i = 0; i < 8; ++i) {
        if (i % 3 == 0) advance(1s);
        end(start_running("a" + std::to_string(i)));
    }
    for (const InstanceOrder order : kListOrders) {
        ListInstances request = list_all(order);
        const Ids before = listed_ids(read(request));
        request.max = 2;
        request.id_prefix = "a";
        Ids met;
        while (true) {
            const auto page = read(request);
            if (page.empty()) break;
            for (const std::string& id : listed_ids(page)) met.push_back(id);
            request.after = place_in(page.back(), order);
            // The one where we are goes, and others come.
            const std::string last = page.back().instance.name.id;
            apply(op::force_delete(named(last)));
            advance(1s);
            end(start_running("b" + std::to_string(static_cast<int>(order)) + last));
        }
        EXPECT_EQ(std::set<std::string>(met.begin(), met.end()).size(), met.size());
        for (const std::string& id : before) {
            if (id[0] != 'a') continue;
            EXPECT_EQ(std::count(met.begin(), met.end(), id), 1) << id;
        }
        for (const std::string& id : met) {
            if (!find(id)) end(start_running(id));
        }
    }
}

BELAY_LISTING_CASE(NamespacesAreKeptApart) {
    fill();
    for (const InstanceOrder order : kListOrders) {
        ListInstances request = list_all(order);
        request.space = "elsewhere";
        EXPECT_TRUE(read(request).empty());
        request.parent = "tree";
        EXPECT_TRUE(read(request).empty());
        request.parent.reset();
        request.labels = {{"tier", std::string("gold")}};
        EXPECT_TRUE(read(request).empty());
    }
    EXPECT_TRUE(read(CountInstances{"elsewhere"}).empty());
}

BELAY_LISTING_CASE(CountsAreWhatTheListsSay) {
    EXPECT_TRUE(read(CountInstances{named("").space}).empty());
    fill();
    std::map<std::pair<std::string, Status>, std::uint64_t> expected_counts;
    for (const ListedInstance& one : read(list_all())) {
        ++expected_counts[{one.definition, one.instance.status}];
    }
    std::vector<InstanceCount> list;
    for (const auto& [what, count] : expected_counts) {
        list.push_back(InstanceCount{what.first, what.second, count});
    }
    EXPECT_EQ(read(CountInstances{named("").space}), list);
    apply(op::force_delete(named("tree")));
    EXPECT_LT(read(CountInstances{named("").space}).size(), list.size() + 1);
}

BELAY_LISTING_CASE(CountsTakeTheFiltersOfLists) {
    fill();
    const std::vector<void (*)(InstanceMatch&)> filters{
        [](InstanceMatch& match) { match.statuses = {Status::completed, Status::failed}; },
        [](InstanceMatch& match) { match.statuses = {Status::running, Status::pending}; },
        [](InstanceMatch& match) { match.statuses = {Status::running, Status::failed}; },
        [](InstanceMatch& match) { match.definition = "Order"; },
        [](InstanceMatch& match) { match.version = "1.0"; },
        [](InstanceMatch& match) { match.parent = "tree"; },
        [](InstanceMatch& match) { match.parent = "nobody"; },
        [](InstanceMatch& match) { match.owner = "me"; },
        [](InstanceMatch& match) { match.labels = {{"tier", std::string("gold")}}; },
        [](InstanceMatch& match) { match.created.before = from_unix_ms(0); },
        [](InstanceMatch& match) { match.created.from = from_unix_ms(0); },
        [](InstanceMatch& match) { match.ended.from = from_unix_ms(0); },
        [](InstanceMatch& match) { match.id_prefix = "t"; },
        [](InstanceMatch& match) { match.roots_only = true; },
        [](InstanceMatch& match) { match.held_only = true; },
        [](InstanceMatch& match) { match.all_parts = true; }};
    for (const auto filter : filters) {
        for (const auto another : filters) {
            ListInstances list = list_all();
            CountInstances count;
            count.space = list.space;
            filter(list);
            another(list);
            filter(count);
            another(count);
            std::map<std::pair<std::string, Status>, std::uint64_t> counted;
            for (const ListedInstance& one : read(list)) {
                ++counted[{one.definition, one.instance.status}];
            }
            std::vector<InstanceCount> wanted;
            for (const auto& [what, number] : counted) {
                wanted.push_back(InstanceCount{what.first, what.second, number});
            }
            EXPECT_EQ(read(count), wanted);
        }
    }
}

BELAY_LISTING_CASE(AVersionThatIsPinnedLaterIsFound) {
    const RunRef run = start_as("a", [](NewInstance& made) { made.version.clear(); });
    ListInstances request = list_all();
    request.version = "7";
    EXPECT_TRUE(read(request).empty());
    Turn turn = next_turn(run);
    turn.version = "7";
    apply(turn);
    EXPECT_EQ(listed_ids(read(request)), Ids{"a"});
}

}  // namespace
}  // namespace belay::conformance
