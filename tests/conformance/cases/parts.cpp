// Children that are parts of their parents: lists, counts and filters leave them out.
#include "conformance/case.hpp"

#include <array>

BELAY_CONFORMANCE_AREA(parts)

namespace belay::conformance {
namespace {

using Ids = std::vector<std::string>;

class PartsCase : public Case {
protected:
    RunRef start_part(RunRef parent, CommandNo command, std::string id) {
        Turn turn = next_turn(parent);
        NewChild child;
        child.instance = instance(std::move(id));
        child.instance.part = true;
        child.instance.parent = ParentLink{parent, turn.execution, command};
        child.on_conflict.kind = MessageKind::child_failed;
        child.on_conflict.execution = turn.execution;
        child.on_conflict.command = command;
        const RunRef run = child.instance.run;
        turn.children.push_back(std::move(child));
        apply(std::move(turn));
        return run;
    }

    /// A run that goes on, with a part that has ended, one that goes on, and a child.
    void fill() {
        big = start_running("big");
        ended_part = start_part(big, 1, "big/m-1");
        end(ended_part);
        open_part = start_part(big, 2, "big/m-2");
        end(start_child(big, 3, "big/sub"));
    }

    static ListInstances all(InstanceOrder order = InstanceOrder::started) {
        ListInstances request;
        request.space = named("").space;
        request.order = order;
        return request;
    }
    Ids listed(const ListInstances& request) {
        Ids ids;
        for (const ListedInstance& one : read(request)) ids.push_back(one.instance.name.id);
        return ids;
    }
    Ids selected(const InstanceMatch& match, decltype(SelectInstances::which) which) {
        SelectInstances request;
        static_cast<InstanceMatch&>(request) = match;
        request.which = std::move(which);
        Ids ids;
        for (const InstanceMark& one : read(request)) ids.push_back(one.instance.name.id);
        return ids;
    }
    std::uint64_t counted(const InstanceMatch& match) {
        CountInstances request;
        static_cast<InstanceMatch&>(request) = match;
        std::uint64_t sum = 0;
        for (const InstanceCount& one : read(request)) sum += one.count;
        return sum;
    }

    RunRef big;
    RunRef ended_part;
    RunRef open_part;
};

BELAY_CASE_OF(PartsCase, Parts, ListsAndCountsLeaveThemOut) {
    fill();
    const std::string definition = info(big).definition;
    const std::array<void (*)(InstanceMatch&, const std::string&), 7> filters{
        [](InstanceMatch&, const std::string&) {},
        [](InstanceMatch& match, const std::string& name) { match.definition = name; },
        [](InstanceMatch& match, const std::string&) { match.id_prefix = "big"; },
        [](InstanceMatch& match, const std::string&) { match.owner = "team"; },
        [](InstanceMatch& match, const std::string&) { match.statuses = {Status::completed}; },
        [](InstanceMatch& match, const std::string&) {
            match.statuses = {Status::pending, Status::running};
        },
        [](InstanceMatch& match, const std::string& name) {
            match.definition = name;
            match.statuses = {Status::completed};
        }};
    for (std::size_t i = 0; i < filters.size(); ++i) {
        for (const InstanceOrder order : {InstanceOrder::started,
                                          InstanceOrder::created,
                                          InstanceOrder::ended,
                                          InstanceOrder::id}) {
            ListInstances request = all(order);
            filters[i](request, definition);
            const Ids seen = listed(request);
            request.all_parts = true;
            Ids with_parts = listed(request);
            std::erase_if(with_parts, [](const std::string& id) { return id.contains("m-"); });
            EXPECT_EQ(seen, with_parts) << i;
        }
        ListInstances request = all();
        filters[i](request, definition);
        EXPECT_EQ(counted(request), listed(request).size()) << i;
    }
    EXPECT_EQ(listed(all()), (Ids{"big", "big/sub"}));
    EXPECT_EQ(counted(all()), 2U);
}

BELAY_CASE_OF(PartsCase, Parts, ThoseWhoAskForThemSeeThem) {
    fill();
    ListInstances request = all();
    request.all_parts = true;
    EXPECT_EQ(listed(request), (Ids{"big", "big/m-1", "big/m-2", "big/sub"}));
    EXPECT_EQ(counted(request), 4U);
    request = all();
    request.parent = "big";
    EXPECT_EQ(listed(request), (Ids{"big/m-1", "big/m-2", "big/sub"}));
    EXPECT_EQ(counted(request), 3U);
    request = all();
    request.ids = Ids{"big/m-1"};
    EXPECT_EQ(listed(request), Ids{"big/m-1"});
    EXPECT_EQ(counted(request), 1U);
    ListTree tree{named("big")};
    EXPECT_EQ(read(tree).size(), 4U);
}

BELAY_CASE_OF(PartsCase, Parts, OneThatIsHeldIsSeenAmongThoseThatAreHeld) {
    fill();
    const ClaimedInstance item = claim(open_part);
    apply(Hold{item.run, item.token, "it differs"});
    ListInstances request = all();
    request.held_only = true;
    EXPECT_EQ(listed(request), Ids{"big/m-2"});
    EXPECT_EQ(counted(request), 1U);
}

BELAY_CASE_OF(PartsCase, Parts, AFilterOfAChangeDoesNotChooseThem) {
    fill();
    EXPECT_EQ(selected(all(), SelectInstances::Any()), (Ids{"big", "big/sub"}));
    InstanceMatch match = all();
    match.all_parts = true;
    EXPECT_EQ(selected(match, SelectInstances::Any()),
              (Ids{"big", "big/m-1", "big/m-2", "big/sub"}));
}

BELAY_CASE_OF(PartsCase, Parts, TheyAreDeletedWithTheirParent) {
    fill();
    end(open_part);
    end(big);
    apply(op::force_delete(named("big")));
    ListInstances request = all();
    request.all_parts = true;
    EXPECT_TRUE(listed(request).empty());
}

BELAY_CASE_OF(PartsCase, Parts, ARunWithoutAParentIsNone) {
    NewInstance made = instance("alone");
    made.part = true;
    apply(op::start(made));
    EXPECT_EQ(listed(all()), Ids{"alone"});
    EXPECT_EQ(counted(all()), 1U);
}

}  // namespace
}  // namespace belay::conformance
