// Wrong tokens, unknown ids, impossible requests: each is a typed refusal and changes nothing.
#include "conformance/case.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <vector>

BELAY_CONFORMANCE_AREA(errors)

namespace belay::conformance {
namespace {

BELAY_CASE(Errors, TurnWithATokenThatHoldsNothing) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.lock = fresh_token();
    EXPECT_TRUE(refused(commit(turn), Errc::lease_lost));
    EXPECT_EQ(status(run), Status::pending);
}

BELAY_CASE(Errors, TurnWithTheEmptyTokenOfNobodysLock) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.lock = LeaseToken();
    EXPECT_TRUE(refused(commit(turn), Errc::lease_lost));
}

BELAY_CASE(Errors, TurnOfAnUnknownRun) {
    Turn turn;
    turn.run = fresh_run("a");
    turn.history = events(1);
    EXPECT_TRUE(refused(commit(turn), Errc::not_found));
    turn.lock = fresh_token();
    EXPECT_TRUE(refused(commit(turn), Errc::not_found));
}

BELAY_CASE(Errors, UnclaimedTurnOfAnEndedRun) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    end(run);
    EXPECT_TRUE(refused(commit(turn), Errc::already_ended));
}

BELAY_CASE(Errors, AckOfAnUnknownActivity) {
    const RunRef run = start_running("a");
    AckActivity ack;
    ack.activity = ActivityRef{run, 1, 5};
    ack.token = fresh_token();
    ack.completion = event("result");
    EXPECT_TRUE(refused(commit(ack), Errc::lease_lost));
    ack.activity.run = fresh_run("b");
    EXPECT_TRUE(refused(commit(ack), Errc::lease_lost));
    EXPECT_EQ(info(run).ready_messages, 0U);
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Errors, AckOfAnotherExecutionsActivity) {
    start_with_activities("a", 1);
    ClaimedActivity item = claim_activity();
    item.activity.execution = 2;
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    item.activity.execution = 1;
    EXPECT_TRUE(applied(try_complete(item)));
}

BELAY_CASE(Errors, ExchangedTokensOfARunAndItsActivity) {
    const RunRef run = start_with_activities("a", 1);
    ClaimedActivity work = claim_activity();
    raise("a", "go");
    ClaimedInstance item = claim(run);
    std::swap(work.token, item.token);
    EXPECT_TRUE(refused(try_complete(work), Errc::lease_lost));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::lease_lost));
}

BELAY_CASE(Errors, LockOperationsOnAnUnknownRun) {
    ClaimedInstance nobody;
    nobody.run = fresh_run("a");
    nobody.token = fresh_token();
    for (const Answer& answer : {commit(op::renew_turn(nobody, kLease)),
                                 commit(op::abandon_turn(nobody)),
                                 commit(Hold{nobody.run, nobody.token, "why"})}) {
        EXPECT_TRUE(refused(answer, Errc::not_found)) << describe(answer);
    }
}

/// Nobody has taken its lock over: whoever held it is to be told why it is gone.
BELAY_CASE(Errors, LockOperationsOnARunThatHasEnded) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(op::terminate(named("a"), "operator", "stuck"));
    for (const Answer& answer : {commit(op::renew_turn(item, kLease)),
                                 commit(op::abandon_turn(item)),
                                 commit(Hold{item.run, item.token, "why"})}) {
        EXPECT_TRUE(refused(answer, Errc::already_ended)) << describe(answer);
    }
}

BELAY_CASE(Errors, RefusalsSayWhyInWords) {
    const Answer answer = commit(op::cancel(named("no such order"), "enough", kDeadline));
    ASSERT_TRUE(refused(answer, Errc::not_found));
    EXPECT_FALSE(answer.error->message().empty());
    EXPECT_FALSE(answer.error->outcome_unknown());
}

BELAY_CASE(Errors, AppliedAnswersCarryNoError) {
    start("a");
    const Answer answer = cancel("a");
    EXPECT_FALSE(answer.error);
    EXPECT_TRUE(answer.done());
}

BELAY_CASE(Errors, ReadsOfUnknownRunsAreEmpty) {
    const RunRef nobody = fresh_run("a");
    EXPECT_FALSE(find(nobody));
    EXPECT_TRUE(history(nobody).empty());
    EXPECT_TRUE(read(ListExecutions{nobody}).empty());
    EXPECT_TRUE(activities(nobody).empty());
    EXPECT_TRUE(stopping(nobody).empty());
}

BELAY_CASE(Errors, ClaimOfAnUnknownRunIsEmpty) {
    start("a");
    EXPECT_FALSE(try_claim(fresh_run("b")));
}

BELAY_CASE(Errors, EmptyBatchIsAnsweredEmpty) { EXPECT_TRUE(commit_batch({}).empty()); }

BELAY_CASE(Errors, LockThatExpiresDuringTheTurnAndIsTakenIsLost) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance slow = claim(run);
    advance(kLease + 1s);
    const ClaimedInstance quick = claim(run);
    apply(turn_of(quick));
    const Answer late = commit(turn_of(slow));
    EXPECT_TRUE(refused(late, Errc::lease_lost));
    EXPECT_EQ(info(run).position, 2U);
}

BELAY_CASE(Errors, UnsubscribedListenerHearsNothing) {
    class Counting final : public StoreListener {
    public:
        void instances_ready() override { ++heard; }
        void activities_ready() override { ++heard; }
        void leases_stopped(const std::vector<LeaseToken>&) override { ++heard; }
        void instance_ended(RunRef) override { ++heard; }
        void custom_status_changed(RunRef) override { ++heard; }
        std::atomic<int> heard{0};
    };
    Counting listener;
    store().subscribe(listener);
    start_with_activities("a", 1);
    store().unsubscribe(listener);
    const int before = listener.heard;
    claim_activity();
    cancel("a");
    start("b");
    EXPECT_EQ(listener.heard, before);
}

/// The runs that were told of. A store may tell when it has answered.
class ToldRuns {
public:
    void add(RunRef run) {
        const std::lock_guard lock(mutex_);
        runs_.push_back(run);
        added_.notify_all();
    }
    /// As soon as there are so many.
    [[nodiscard]] std::vector<RunRef> wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        added_.wait_for(lock, std::chrono::seconds(20), [&] { return runs_.size() >= count; });
        return runs_;
    }

private:
    std::mutex mutex_;
    std::condition_variable added_;
    std::vector<RunRef> runs_;
};

BELAY_CASE(Errors, ListenerHearsOfACustomStatus) {
    class Hearing final : public StoreListener {
    public:
        void custom_status_changed(RunRef run) override { told.add(run); }
        ToldRuns told;
    };
    Hearing listener;
    store().subscribe(listener);
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("half way");
    apply(turn);
    EXPECT_EQ(listener.told.wait_for(1), std::vector<RunRef>{run});
    store().unsubscribe(listener);
}

BELAY_CASE(Errors, ListenerHearsOfEveryEnd) {
    class Hearing final : public StoreListener {
    public:
        void instance_ended(RunRef run) override { told.add(run); }
        ToldRuns told;
    };
    Hearing listener;
    store().subscribe(listener);
    const RunRef continued = start_running("continued");
    apply(continuing(next_turn(continued)));
    end(continued);
    const RunRef pending = start("pending");
    cancel("pending");
    const RunRef terminated = start_running("terminated");
    apply(op::terminate(named("terminated"), "operator", "enough"));
    const RunRef deleted = start_running("deleted");
    apply(op::force_delete(named("deleted")));
    const std::set<RunRef> expected{continued, pending, terminated, deleted};
    const std::vector<RunRef> told = listener.told.wait_for(expected.size());
    EXPECT_EQ(std::set<RunRef>(told.begin(), told.end()), expected);
    store().unsubscribe(listener);
}

BELAY_CASE(Errors, TwoActivitiesOfOneCommand) {
    const RunRef run = start_with_activities("a", 1);
    Turn twice = next_turn(run);
    twice.activities = {activity(2), activity(2)};
    EXPECT_TRUE(refused(commit(twice), Errc::invalid_argument));
    Turn again = next_turn(run);
    again.activities = {activity(1)};
    EXPECT_TRUE(refused(commit(again), Errc::invalid_argument));
    EXPECT_EQ(activities(run).size(), 1U);
}

BELAY_CASE(Errors, TwoTimersOfOneCommand) {
    const RunRef run = start_running("a");
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1h;
    timer.message = op::timer_fired(1, 1);
    Turn twice = next_turn(run);
    twice.timers = {timer, timer};
    EXPECT_TRUE(refused(commit(twice), Errc::invalid_argument));
    Turn once = next_turn(run);
    once.timers = {timer};
    apply(once);
    Turn again = next_turn(run);
    again.timers = {timer};
    EXPECT_TRUE(refused(commit(again), Errc::invalid_argument));
    advance(1h);
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(Errors, TwoChildrenOfOneCommand) {
    const RunRef run = start_running("a");
    Turn twice = next_turn(run);
    for (const char* id : {"a/1", "a/2"}) {
        NewChild child;
        child.instance = instance(id);
        child.instance.parent = ParentLink{run, 1, 1};
        twice.children.push_back(std::move(child));
    }
    EXPECT_TRUE(refused(commit(twice), Errc::invalid_argument));
    EXPECT_TRUE(read(ListChildren{run}).empty());
}

BELAY_CASE(Errors, BytesWithoutEvents) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.history = events(0, "bytes");
    EXPECT_TRUE(refused(commit(turn), Errc::invalid_argument));
}

BELAY_CASE(Errors, KeepingALockThatIsNotHeld) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.keep_lock = kLease;
    EXPECT_TRUE(refused(commit(turn), Errc::invalid_argument));
    EXPECT_FALSE(info(run).locked);
}

BELAY_CASE(Errors, IdsThatAreNoNames) {
    for (const std::string& id :
         {std::string(), std::string("a\nb"), std::string("\xff\xfe"), std::string("a\0b", 3)}) {
        EXPECT_TRUE(refused(commit(op::start(instance(id))), Errc::invalid_argument)) << id;
    }
    EXPECT_TRUE(refused(commit(op::start(instance(std::string(256, 'x')))), Errc::limit_exceeded));
    EXPECT_FALSE(try_claim());
}

// Other fields of a new run that must be names, each with its replacement.
struct NamedField {
    const char* what;
    std::string& (*of)(NewInstance&);
    bool may_be_empty;
};
const NamedField kNamedFields[] = {
    {"namespace", [](NewInstance& one) -> std::string& { return one.name.space; }, false},
    {"definition", [](NewInstance& one) -> std::string& { return one.definition; }, false},
    {"version", [](NewInstance& one) -> std::string& { return one.version; }, true},
};
const std::string kNoNames[] = {"a\nb", "\xff\xfe", std::string("a\0b", 3)};

BELAY_CASE(Errors, NamesOfAStart) {
    for (const NamedField& field : kNamedFields) {
        const auto start_with = [&](std::string name) {
            NewInstance made = instance("a");
            field.of(made) = std::move(name);
            return commit(op::start(made));
        };
        for (const std::string& name : kNoNames) {
            EXPECT_TRUE(refused(start_with(name), Errc::invalid_argument)) << field.what;
        }
        EXPECT_TRUE(refused(start_with(std::string(256, 'x')), Errc::limit_exceeded)) << field.what;
        if (!field.may_be_empty) {
            EXPECT_TRUE(refused(start_with(""), Errc::invalid_argument)) << field.what;
        }
    }
    EXPECT_FALSE(try_claim());
    NewInstance unversioned = instance("a");
    unversioned.version.clear();
    EXPECT_TRUE(applied(commit(op::start(unversioned)))) << "no refusal took the id";
}

BELAY_CASE(Errors, NamesOfAChild) {
    const RunRef parent = start_running("p");
    const auto child_with = [&](std::string& (*of)(NewInstance&), std::string name) {
        Turn turn = next_turn(parent);
        NewChild child;
        child.instance = instance("p/c");
        child.instance.parent = ParentLink{parent, turn.execution, 1};
        of(child.instance) = std::move(name);
        turn.children = {child};
        return commit(turn);
    };
    const auto id = [](NewInstance& one) -> std::string& { return one.name.id; };
    EXPECT_TRUE(refused(child_with(id, ""), Errc::invalid_argument));
    EXPECT_TRUE(refused(child_with(id, std::string(256, 'x')), Errc::limit_exceeded));
    for (const NamedField& field : kNamedFields) {
        for (const std::string& name : kNoNames) {
            EXPECT_TRUE(refused(child_with(field.of, name), Errc::invalid_argument)) << field.what;
        }
        EXPECT_TRUE(refused(child_with(field.of, std::string(256, 'x')), Errc::limit_exceeded))
            << field.what;
        if (!field.may_be_empty) {
            EXPECT_TRUE(refused(child_with(field.of, ""), Errc::invalid_argument)) << field.what;
        }
    }
    EXPECT_EQ(info(parent).position, 1U) << "nothing of those turns was written";
    EXPECT_TRUE(applied(child_with(kNamedFields[2].of, "")));
}

BELAY_CASE(Errors, LengthOfAChildsId) {
    // The path of a child is shortened, but the id of its root stays whole.
    const std::string root(255, 'r');
    const RunRef parent = start_running(root);
    const auto child_as = [&](const std::string& id) {
        Turn turn = next_turn(parent);
        NewChild child;
        child.instance = instance(id);
        child.instance.parent = ParentLink{parent, turn.execution, 1};
        turn.children = {child};
        return commit(turn);
    };
    EXPECT_TRUE(refused(child_as(root + "/" + std::string(45, 'c')), Errc::limit_exceeded));
    EXPECT_TRUE(refused(child_as(root + "r/c"), Errc::limit_exceeded));
    const std::string longest = root + "//" + std::string(43, 'c');
    EXPECT_TRUE(applied(child_as(longest)));
    EXPECT_TRUE(find(longest));
}

BELAY_CASE(Errors, VersionOfATurn) {
    const RunRef run = start_running("a");
    const auto pinned = [&](std::string version) {
        Turn turn = next_turn(run);
        turn.version = std::move(version);
        return commit(turn);
    };
    const auto continued = [&](std::string version) {
        Turn turn = continuing(next_turn(run));
        std::get<ContinuesAsNew>(turn.after).version = std::move(version);
        return commit(turn);
    };
    for (const std::string& name : kNoNames) {
        EXPECT_TRUE(refused(pinned(name), Errc::invalid_argument));
        EXPECT_TRUE(refused(continued(name), Errc::invalid_argument));
    }
    EXPECT_TRUE(refused(pinned(std::string(256, 'x')), Errc::limit_exceeded));
    EXPECT_TRUE(refused(continued(std::string(256, 'x')), Errc::limit_exceeded));
    EXPECT_EQ(info(run).position, 1U) << "nothing of those turns was written";
    EXPECT_TRUE(applied(pinned(std::string(255, 'x'))));
    EXPECT_TRUE(applied(continued(""))) << "the next turn takes what is registered";
}

}  // namespace
}  // namespace belay::conformance
