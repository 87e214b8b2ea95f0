// Claims of activities by who has code for their names, and only those.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(activity_names)

namespace belay::conformance::by_name {
namespace {

constexpr Millis kPatience{10'000};
constexpr Millis kBackoff{1'000};

ClaimActivities with_names(LeaseToken token, std::vector<std::string> names) {
    ClaimActivities request = op::fetch_work_item(token, "worker", kLease);
    request.max = 100;
    request.names = std::move(names);
    request.patience = kPatience;
    request.backoff = kBackoff;
    request.backoff_max = 4 * kBackoff;
    return request;
}

NewActivity of_priority(CommandNo command, std::string name, std::int32_t priority) {
    NewActivity made = activity(command, std::move(name));
    made.priority = priority;
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
    EXPECT_EQ(answer.put_off, 0U);
    advance(kPatience - 1ms);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).ready_in, 1ms);
    EXPECT_EQ(activities(run).at(0).unregistered, 0U);
    EXPECT_TRUE(try_claim_activity()) << "and whoever has the name can have it at once";
}

BELAY_CASE(ActivityNames, WhatNobodyTakesIsCountedAndPutOff) {
    const RunRef run = start_with_activities("a", 1);
    advance(kPatience);
    const auto first = claim_with_hint(with_names(fresh_token(), {"Ship"}));
    EXPECT_TRUE(first.claimed.empty());
    EXPECT_EQ(first.put_off, 1U);
    EXPECT_EQ(first.ready_in, kBackoff);
    const ActivityInfo row = activities(run).at(0);
    EXPECT_EQ(row.unregistered, 1U);
    EXPECT_EQ(row.attempt, 0U) << "nobody has tried it";
    EXPECT_FALSE(row.leased);
    EXPECT_EQ(row.visible_at, now() + kBackoff);
    EXPECT_FALSE(try_claim_activity());
    for (const Millis next : {2 * kBackoff, 4 * kBackoff, 4 * kBackoff}) {
        advance(kPatience + 4 * kBackoff);
        EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).ready_in, next);
    }
    EXPECT_EQ(activities(run).at(0).unregistered, 4U);
    advance(4 * kBackoff);
    EXPECT_EQ(claim_activity().unregistered, 4U) << "and whoever has the name can have it";
}

BELAY_CASE(ActivityNames, PatienceBeginsAgainAfterTheBackOff) {
    const RunRef run = start_with_activities("a", 1);
    advance(kPatience);
    (void)claim_activities(with_names(fresh_token(), {}));
    advance(kBackoff);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).ready_in, kPatience);
    EXPECT_EQ(activities(run).at(0).unregistered, 1U);
}

BELAY_CASE(ActivityNames, ManyThatNobodyTakesArePutOffInSeveralClaims) {
    constexpr CommandNo kMany = 250;
    const RunRef run = start_with_activities("a", kMany);
    advance(kPatience);
    std::uint64_t before = 0;
    for (CommandNo claims = 0; before < kMany && claims < kMany; ++claims) {
        const auto answer = claim_with_hint(with_names(fresh_token(), {}));
        EXPECT_GT(answer.put_off, 0U);
        before += answer.put_off;
        ASSERT_TRUE(answer.ready_in);
        EXPECT_GT(*answer.ready_in, Millis(0)) << "others are let through";
        EXPECT_LE(*answer.ready_in, kBackoff);
    }
    const auto rows = activities(run);
    EXPECT_TRUE(std::all_of(
        rows.begin(), rows.end(), [](const ActivityInfo& row) { return row.unregistered == 1; }));
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

BELAY_CASE(ActivityNames, ALeaseThatExpiredIsWaitedForLikewise) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity held = claim_activity();
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).ready_in, kLease);
    advance(kLease + kPatience - 1ms);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).put_off, 0U);
    advance(1ms);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).put_off, 1U);
    const ActivityInfo row = activities(run).at(0);
    EXPECT_EQ(row.attempt, 1U) << "one was made, by who had the name";
    EXPECT_EQ(row.token, LeaseToken());
    EXPECT_FALSE(applied(try_complete(held))) << "as if it had been claimed meanwhile";
}

BELAY_CASE(ActivityNames, WhatIsPassedOverTakesNoRoomOfItsQueue) {
    apply(one_at_a_time());
    schedule(start("a"), {activity(1, "Charge"), activity(2, "Ship")});
    advance(kPatience);
    const auto answer = claim_with_hint(with_names(fresh_token(), {"Ship"}));
    EXPECT_EQ(commands_of(answer.claimed), std::vector<CommandNo>{2});
    EXPECT_EQ(answer.put_off, 1U);
}

BELAY_CASE(ActivityNames, WhatWaitsForAFullQueueIsNotPutOff) {
    apply(one_at_a_time());
    const RunRef run = start("a");
    schedule(run, {activity(1, "Charge"), activity(2, "Charge")});
    const ClaimedActivity held = claim_activity();
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).put_off, 0U)
        << "who has the name may not take it, either";
    complete(held);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).put_off, 1U);
}

BELAY_CASE(ActivityNames, WhatWaitsForItsKeyIsNotPutOff) {
    SetQueueLimits part;
    part.limits.emplace().running_per_key = 1;
    apply(part);
    const RunRef run = start("a");
    NewActivity first = activity(1, "Charge");
    NewActivity second = activity(2, "Charge");
    first.fairness_key = second.fairness_key = "tenant";
    schedule(run, {first, second});
    const ClaimedActivity held = claim_activity();
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).put_off, 0U);
    complete(held);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {"Ship"})).put_off, 1U);
}

BELAY_CASE(ActivityNames, WhatBelongsToASessionOfAnotherIsNotPutOff) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "Charge"), of_session(2, "Charge")});
    const ClaimActivities owner = op::fetch_work_item(LeaseToken{77, 1}, "owner", kLease);
    ASSERT_EQ(claim_activities(owner).size(), 1U);
    advance(kPatience);
    const auto answer = claim_with_hint(with_names(LeaseToken{78, 1}, {"Ship"}));
    EXPECT_EQ(answer.put_off, 0U) << "only the owner of the session can take it";
    EXPECT_EQ(answer.ready_in, kLease - kPatience);
    EXPECT_EQ(activities(run).at(1).unregistered, 0U);
}

BELAY_CASE(ActivityNames, WhatIsPassedOverTakesNoSession) {
    schedule(start("a"), {of_session(1, "Charge"), of_session(2, "Charge")});
    EXPECT_TRUE(claim_activities(with_names(LeaseToken{78, 1}, {"Ship"})).empty());
    ClaimActivities other = op::fetch_work_item(LeaseToken{77, 1}, "other", kLease);
    other.max = 2;
    EXPECT_EQ(claim_activities(other).size(), 2U);
}

BELAY_CASE(ActivityNames, WhatHadToStartIsNotPutOffBeyondIt) {
    NewActivity bounded = activity(1);
    bounded.schedule_to_start = now() + kPatience + 500ms;
    const RunRef run = start("a");
    schedule(run, {bounded});
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_names(fresh_token(), {})).put_off, 1U);
    advance(500ms);
    EXPECT_EQ(inbox(run).size(), 1U) << "its run hears in time that it did not start";
}

BELAY_CASE(ActivityNames, AWorkerSleepsUntilThereIsSomethingForIt) {
    NewActivity late = activity(2, "Ship");
    late.delay = kPatience + kBackoff / 2;
    schedule(start("a"), {activity(1, "Charge"), late});
    EXPECT_EQ(slept_until_claimed(with_names(fresh_token(), {"Ship"})), kPatience + kBackoff / 2)
        << "though it looks once more, to put the other one off";
}

}  // namespace
}  // namespace belay::conformance::by_name
