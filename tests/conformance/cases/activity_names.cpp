// Claims of activities by who has code for their names, and only those.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(activity_names)

namespace belay::conformance::by_name {
namespace {

constexpr Millis kPatience{10'000};

ClaimActivities with_names(LeaseToken token, std::vector<std::string> names) {
    ClaimActivities request = op::claim_activity(token, "worker", kLease);
    request.max = 100;
    request.names = std::move(names);
    request.patience = kPatience;
    return request;
}

NewActivity of_priority(CommandNo command, std::string name, std::int32_t priority) {
    NewActivity made = activity(command, std::move(name));
    made.priority = priority;
    return made;
}

NewActivity of_key(CommandNo command, std::string name, std::string key) {
    NewActivity made = activity(command, std::move(name));
    made.fairness_key = std::move(key);
    return made;
}

NewActivity of_session(CommandNo command, std::string name) {
    NewActivity made = activity(command, std::move(name));
    made.session = "s";
    return made;
}

SetQueueLimits one_at_a_time() {
    SetQueueLimits part;
    part.limits = QueueLimits{.running = 1};
    return part;
}

SetQueueLimits one_of_each_key() {
    SetQueueLimits part;
    part.limits = QueueLimits{.running_per_key = 1};
    return part;
}

BELAY_CASE(ActivityNames, OnlyThoseThatAreNamedAreClaimed) {
    const RunRef run = start("a");
    schedule(run, {activity(1, "Charge")});
    EXPECT_TRUE(claim_activities(with_names(fresh_token(), {})).empty());
    EXPECT_TRUE(claim_activities(with_names(fresh_token(), {"Char", "Charged", "charge"})).empty());
    EXPECT_EQ(activities(run).at(0).attempt, 0U) << "it is not touched";
    EXPECT_EQ(activities(run).at(0).unregistered, 0U);
    EXPECT_EQ(claim_activities(with_names(fresh_token(), {"Ship", "Charge", "Pack"})).size(), 1U)
        << "at once, and in whatever order the names are";
}

BELAY_CASE(ActivityNames, NoNamesAtAllMeansAny) {
    schedule(start("a"), {activity(1, "Charge"), activity(2, "Ship")});
    ClaimActivities request = with_names(fresh_token(), {});
    request.names.reset();
    EXPECT_EQ(claim_activities(request).size(), 2U);
}

BELAY_CASE(ActivityNames, OthersKeepNobodyWaiting) {
    std::vector<NewActivity> wanted;
    for (CommandNo command = 1; command <= 20; ++command) {
        wanted.push_back(activity(command, command % 5 == 0 ? "Ship" : "Charge"));
    }
    schedule(start("a"), wanted);
    ClaimActivities request = with_names(fresh_token(), {"Ship"});
    request.max = 3;
    const auto first = claim_with_hint(request);
    EXPECT_EQ(commands_of(first.claimed), (std::vector<CommandNo>{5, 10, 15}));
    EXPECT_EQ(first.ready_in, Millis(0)) << "there is one more";
    request.first_token = fresh_token();
    EXPECT_EQ(commands_of(claim_activities(request)), std::vector<CommandNo>{20});
}

BELAY_CASE(ActivityNames, OrderAndPriorityAreAsEver) {
    schedule(start("a"),
             {of_priority(1, "Ship", 0),
              of_priority(2, "Charge", 9),
              of_priority(3, "Pack", 5),
              of_priority(4, "Ship", 5)});
    EXPECT_EQ(commands_of(claim_activities(with_names(fresh_token(), {"Pack", "Ship"}))),
              (std::vector<CommandNo>{3, 4, 1}));
}

BELAY_CASE(ActivityNames, OthersAreLeftAloneForAWhile) {
    const RunRef run = start_with_activities("a", 1);
    const auto answer = claim_with_hint(with_names(fresh_token(), {"Ship"}));
    EXPECT_EQ(answer.ready_in, kPatience) << "then it is to be looked at again";
    EXPECT_EQ(answer.marked, 0U);
    advance(kPatience - 1ms);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).ready_in, 1ms);
    EXPECT_EQ(activities(run).at(0).unregistered, 0U);
}

BELAY_CASE(ActivityNames, AnActivityThatNobodyTakesIsMarkedAndKeepsItsPlace) {
    const RunRef run = start_with_activities("a", 1);
    const Timestamp since = activities(run).at(0).visible_at;
    advance(kPatience);
    const auto first = claim_with_hint(with_names(fresh_token(), {"Ship"}));
    EXPECT_TRUE(first.claimed.empty());
    EXPECT_EQ(first.marked, 1U);
    EXPECT_EQ(first.ready_in, kPatience) << "when it will have waited twice as long";
    const ActivityInfo row = activities(run).at(0);
    EXPECT_EQ(row.unregistered, 1U);
    EXPECT_EQ(row.attempt, 0U) << "nobody has tried it";
    EXPECT_FALSE(row.leased);
    EXPECT_EQ(row.visible_at, since);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).marked, 0U) << "once";
    EXPECT_EQ(claim_activity().unregistered, 1U) << "whoever has the name can have it at once";
}

BELAY_CASE(ActivityNames, MarksComeAtTwiceTheTimeBefore) {
    const RunRef run = start_with_activities("a", 1);
    advance(kPatience);
    std::uint32_t marks = 1;
    for (const Millis next : {kPatience, 2 * kPatience, 4 * kPatience}) {
        const auto answer = claim_with_hint(with_names(fresh_token(), {"Ship"}));
        EXPECT_EQ(answer.ready_in, next);
        EXPECT_EQ(activities(run).at(0).unregistered, marks++);
        advance(next);
    }
    advance(8 * kPatience);
    (void)claim_activities(with_names(fresh_token(), {}));
    EXPECT_EQ(activities(run).at(0).unregistered, 5U) << "whether or not anybody has looked";
}

BELAY_CASE(ActivityNames, TheFirstOfEachNameIsMarked) {
    const RunRef run = start("a");
    schedule(run, {activity(1, "Charge"), activity(2, "Charge"), activity(3, "Pack")});
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).marked, 2U);
    const auto rows = activities(run);
    EXPECT_EQ(rows.at(0).unregistered, 1U);
    EXPECT_EQ(rows.at(1).unregistered, 0U);
    EXPECT_EQ(rows.at(2).unregistered, 1U);
    EXPECT_EQ(commands_of(claim_activities(with_names(fresh_token(), {"Charge", "Pack"}))),
              (std::vector<CommandNo>{1, 2, 3}));
}

/// So many that a store may have a shorter way than to look at each.
constexpr CommandNo kMany = 600;

BELAY_CASE(ActivityNames, ManyOthersKeepNobodyWaiting) {
    std::vector<NewActivity> wanted;
    for (CommandNo command = 1; command <= kMany; ++command) {
        wanted.push_back(of_priority(command, command % 2 == 0 ? "Charge" : "Refund", 1));
    }
    wanted.push_back(of_priority(kMany + 1, "Ship", 0));
    wanted.push_back(of_priority(kMany + 2, "Charge", 0));
    wanted.push_back(of_priority(kMany + 3, "Pack", 0));
    wanted.push_back(of_priority(kMany + 4, "Ship", 0));
    wanted.push_back(of_priority(kMany + 5, "Ship", 1));
    schedule(start("a"), wanted);
    ClaimActivities request = with_names(fresh_token(), {"Pack", "Ship"});
    request.max = 3;
    const auto first = claim_with_hint(request);
    EXPECT_EQ(commands_of(first.claimed),
              (std::vector<CommandNo>{kMany + 5, kMany + 1, kMany + 3}));
    EXPECT_EQ(first.ready_in, Millis(0)) << "there is one more";
    request.first_token = fresh_token();
    const auto second = claim_with_hint(request);
    EXPECT_EQ(commands_of(second.claimed), std::vector<CommandNo>{kMany + 4});
    EXPECT_NE(second.ready_in, Millis(0));
}

BELAY_CASE(ActivityNames, AFullKeyWithManyKeepsNobodyWaiting) {
    std::vector<NewActivity> wanted;
    for (CommandNo command = 1; command <= kMany; ++command) {
        wanted.push_back(of_key(command, "Ship", "full"));
    }
    wanted.push_back(of_key(kMany + 1, "Charge", "full"));
    wanted.push_back(of_key(kMany + 2, "Ship", "free"));
    wanted.push_back(of_key(kMany + 3, "Ship", ""));
    wanted.push_back(of_key(kMany + 4, "Ship", "free"));
    wanted.push_back(of_key(kMany + 5, "Charge", ""));
    wanted.push_back(of_key(kMany + 6, "Ship", "other"));
    schedule(start("a"), wanted);
    apply(one_of_each_key());
    ClaimActivities request = with_names(fresh_token(), {"Ship"});
    EXPECT_EQ(commands_of(claim_activities(request)),
              (std::vector<CommandNo>{1, kMany + 2, kMany + 3, kMany + 6}));
    request.first_token = fresh_token();
    const ReadyIn hint = claim_with_hint(request).ready_in;
    ASSERT_TRUE(hint);
    EXPECT_GT(*hint, 0ms);
    EXPECT_LE(*hint, kLease) << "then the leases are over";
}

BELAY_CASE(ActivityNames, ANameThatIsSaidTwiceIsOneName) {
    std::vector<NewActivity> wanted;
    for (CommandNo command = 1; command <= kMany; ++command) {
        wanted.push_back(activity(command, "Charge"));
    }
    wanted.push_back(activity(kMany + 1, "Ship"));
    schedule(start("a"), wanted);
    EXPECT_EQ(commands_of(claim_activities(with_names(fresh_token(), {"Ship", "Pack", "Ship"}))),
              std::vector<CommandNo>{kMany + 1});
}

/// So many keys that a store may have a shorter way than to ask for each, or none.
class ManyKeys : public Case {
protected:
    void are_taken_in_order(CommandNo keys);
};

void ManyKeys::are_taken_in_order(CommandNo keys) {
    constexpr CommandNo kFull = 300;
    apply(one_of_each_key());
    std::vector<NewActivity> wanted;
    for (CommandNo i = 0; i < kFull + keys; ++i) {
        const std::string key = "key " + std::to_string(kFull + keys - i);
        wanted.push_back(of_key(i + 1, "Ship", i < kFull ? "full" : key));
    }
    schedule(start("a"), wanted);
    ClaimActivities request = with_names(fresh_token(), {"Ship"});
    request.max = 3;
    const CommandNo behind = kFull + 1;
    EXPECT_EQ(commands_of(claim_activities(request)),
              (std::vector<CommandNo>{1, behind, behind + 1}));
    request.first_token = fresh_token();
    EXPECT_EQ(commands_of(claim_activities(request)),
              (std::vector<CommandNo>{behind + 2, behind + 3, behind + 4}));
    apply(SetQueueLimits());
    request.first_token = fresh_token();
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{2, 3, 4}));
}

BELAY_CASE_OF(ManyKeys, ActivityNames, ManyKeysBehindAFullOneAreTakenInOrder) {
    are_taken_in_order(300);
}
BELAY_CASE_OF(ManyKeys, ActivityNames, VeryManyKeysBehindAFullOneAreTakenInOrder) {
    are_taken_in_order(1'100);
}

BELAY_CASE(ActivityNames, ALaterItemOfAFullKeyKeepsNobodyWaitingEither) {
    apply(one_of_each_key());
    std::vector<NewActivity> wanted;
    for (CommandNo command = 1; command <= kMany; ++command) {
        wanted.push_back(of_key(command, "Ship", "full"));
    }
    wanted.push_back(activity(kMany + 1, "Ship"));
    schedule(start("a"), wanted);
    ClaimActivities request = with_names(fresh_token(), {"Ship"});
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{1, kMany + 1}));
}

BELAY_CASE(ActivityNames, ADelayIsNoWaiting) {
    NewActivity late = activity(1);
    late.delay = kPatience;
    const RunRef run = start("a");
    schedule(run, {late});
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).ready_in, kPatience);
    EXPECT_EQ(activities(run).at(0).unregistered, 0U);
}

BELAY_CASE(ActivityNames, ALeaseThatExpiredIsLeftToItsHolder) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity held = claim_activity();
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).ready_in, kLease);
    advance(kLease + kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).marked, 0U)
        << "there is somebody with the name";
    EXPECT_EQ(activities(run).at(0).token, held.token);
    EXPECT_TRUE(applied(try_complete(held))) << "nobody has taken it over";
}

BELAY_CASE(ActivityNames, AnItemGivenBackHasATaker) {
    const RunRef run = start_with_activities("a", 1);
    ClaimActivities request = with_names(fresh_token(), {"Charge"});
    request.lease = 2h;
    const auto held = claim_activities(request);
    ASSERT_EQ(held.size(), 1U);
    advance(1h);
    AbandonActivity part = op::abandon_activity(held[0], 0ms, CountAttempt::no);
    part.reason = AbandonReason::interrupted;
    apply(part);
    const auto answer = claim_with_hint(with_names(fresh_token(), {"Ship"}));
    EXPECT_EQ(answer.marked, 0U) << "a moment ago somebody had it";
    EXPECT_EQ(answer.ready_in, kPatience);
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).marked, 1U);
    EXPECT_EQ(activities(run).at(0).unregistered, 1U);
}

BELAY_CASE(ActivityNames, AnItemPassedOverTakesNoRoomOfItsQueue) {
    apply(one_at_a_time());
    schedule(start("a"), {activity(1, "Charge"), activity(2, "Ship")});
    advance(kPatience);
    const auto answer = claim_with_hint(with_names(fresh_token(), {"Ship"}));
    EXPECT_EQ(commands_of(answer.claimed), std::vector<CommandNo>{2});
    EXPECT_EQ(answer.marked, 1U);
}

BELAY_CASE(ActivityNames, AnItemThatWaitsForAFullQueueIsNotMarked) {
    apply(one_at_a_time());
    const RunRef run = start("a");
    schedule(run, {activity(1, "Charge"), activity(2, "Charge")});
    const ClaimedActivity held = claim_activity();
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).marked, 0U)
        << "who has the name may not take it, either";
    complete(held);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).marked, 1U);
}

BELAY_CASE(ActivityNames, AnItemThatWaitsForItsKeyIsNotMarked) {
    apply(one_of_each_key());
    const RunRef run = start("a");
    schedule(run, {of_key(1, "Charge", "tenant"), of_key(2, "Charge", "tenant")});
    const ClaimedActivity held = claim_activity();
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).marked, 0U);
    complete(held);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).marked, 1U);
}

BELAY_CASE(ActivityNames, AnItemOfAnotherWorkersSessionIsNotMarked) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "Charge"), of_session(2, "Charge")});
    const ClaimActivities owner = op::claim_activity(LeaseToken{77, 1}, "owner", kLease);
    ASSERT_EQ(claim_activities(owner).size(), 1U);
    advance(kPatience);
    const auto answer = claim_with_hint(with_names(LeaseToken{78, 1}, {"Ship"}));
    EXPECT_EQ(answer.marked, 0U) << "only the owner of the session can take it";
    EXPECT_EQ(answer.ready_in, kLease - kPatience);
    EXPECT_EQ(activities(run).at(1).unregistered, 0U);
}

BELAY_CASE(ActivityNames, AnItemPassedOverTakesNoSession) {
    schedule(start("a"), {of_session(1, "Charge"), of_session(2, "Charge")});
    EXPECT_TRUE(claim_activities(with_names(LeaseToken{78, 1}, {"Ship"})).empty());
    ClaimActivities other = op::claim_activity(LeaseToken{77, 1}, "other", kLease);
    other.max = 2;
    EXPECT_EQ(claim_activities(other).size(), 2U);
}

BELAY_CASE(ActivityNames, AMissedStartIsHeardOfAllTheSame) {
    NewActivity bounded = activity(1);
    bounded.schedule_to_start = now() + kPatience + 500ms;
    const RunRef run = start("a");
    schedule(run, {bounded});
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).marked, 1U);
    advance(500ms);
    EXPECT_EQ(inbox(run).size(), 1U) << "its run hears in time that it did not start";
}

BELAY_CASE(ActivityNames, AWorkerSleepsUntilThereIsSomethingForIt) {
    NewActivity late = activity(2, "Ship");
    late.delay = kPatience + 500ms;
    schedule(start("a"), {activity(1, "Charge"), late});
    EXPECT_EQ(slept_until_claimed(with_names(fresh_token(), {"Ship"})), kPatience + 500ms)
        << "though it looks once more, to mark the other one";
}

}  // namespace
}  // namespace belay::conformance::by_name
