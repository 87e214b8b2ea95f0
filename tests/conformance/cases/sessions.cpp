// Activities of one session are leased to one holder.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(sessions)

namespace belay::conformance {
namespace {

constexpr Millis kIdle{10'000};

NewActivity of_session(CommandNo command, std::string session) {
    NewActivity wanted = activity(command);
    wanted.session = std::move(session);
    return wanted;
}

/// A claim by one of several holders, each of which has tokens of its own.
ClaimActivities by(std::uint64_t holder, std::uint64_t serial, std::uint32_t max = 1000) {
    ClaimActivities request =
        op::claim_activity(LeaseToken{holder, serial}, "w" + std::to_string(holder), kLease);
    request.max = max;
    request.session_idle = kIdle;
    return request;
}

BELAY_CASE(Sessions, TheFirstClaimTakesTheSession) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), of_session(2, "s"), activity(3)});
    const auto first = claim_activities(by(1, 1, 1));
    ASSERT_EQ(commands_of(first), std::vector<CommandNo>{1});
    EXPECT_EQ(first[0].session, "s");
    EXPECT_EQ(commands_of(claim_activities(by(2, 1))), std::vector<CommandNo>{3})
        << "others are passed over what is not theirs";
    EXPECT_EQ(commands_of(claim_activities(by(1, 10))), std::vector<CommandNo>{2});
}

BELAY_CASE(Sessions, ItIsShown) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s")});
    EXPECT_EQ(activities(run).at(0).session, "s");
    EXPECT_TRUE(read(ListLeases{}).sessions.empty());
    (void)claim_activities(by(1, 1));
    const auto leases = read(ListLeases{}).sessions;
    ASSERT_EQ(leases.size(), 1U);
    EXPECT_EQ(leases[0].space, named("a").space);
    EXPECT_EQ(leases[0].name, "s");
    EXPECT_EQ(leases[0].worker, "w1");
    EXPECT_EQ(leases[0].until, now() + kLease);
}

BELAY_CASE(Sessions, ItLastsAsLongAsAnActivityOfItIsLeased) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), of_session(2, "s")});
    const auto first = claim_activities(by(1, 1, 1));
    ASSERT_EQ(first.size(), 1U);
    advance(kLease - 1ms);
    EXPECT_TRUE(applied(try_renew(first[0])));
    advance(kLease - 1ms);
    const auto answer = claim_with_hint(by(2, 1));
    EXPECT_TRUE(answer.claimed.empty());
    EXPECT_EQ(answer.ready_in, 1ms) << "then it may be taken over";
    advance(1ms);
    EXPECT_EQ(commands_of(claim_activities(by(2, 10))), (std::vector<CommandNo>{1, 2}));
    EXPECT_EQ(read(ListLeases{}).sessions.at(0).worker, "w2");
}

BELAY_CASE(Sessions, ItIsKeptForAWhileWhenNothingOfItRuns) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s")});
    advance(kLease);
    const auto first = claim_activities(by(1, 1));
    ASSERT_EQ(first.size(), 1U);
    advance(kLease - 1ms);
    complete(first[0]);
    schedule(run, {of_session(2, "s")});
    advance(kIdle - 1ms);
    EXPECT_TRUE(claim_activities(by(2, 1)).empty());
    advance(1ms);
    EXPECT_EQ(claim_activities(by(2, 10)).size(), 1U);
}

BELAY_CASE(Sessions, OneThatIsIdleIsKeptNoLongerThanItMayBe) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s")});
    const auto first = claim_activities(by(1, 1));
    ASSERT_EQ(first.size(), 1U);
    complete(first[0]);
    schedule(run, {of_session(2, "s")});
    const auto answer = claim_with_hint(by(2, 1));
    EXPECT_TRUE(answer.claimed.empty());
    EXPECT_EQ(answer.ready_in, kIdle) << "and not what was left of a lease that is over";
    advance(kIdle);
    EXPECT_EQ(claim_activities(by(2, 10)).size(), 1U);
}

BELAY_CASE(Sessions, OtherRunningWorkOfItKeepsIt) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), of_session(2, "s"), of_session(3, "s")});
    const auto first = claim_activities(by(1, 1, 2));
    ASSERT_EQ(first.size(), 2U);
    complete(first[0]);
    advance(kLease - 1ms);
    EXPECT_TRUE(claim_activities(by(2, 1)).empty());
    complete(first[1]);
    advance(kIdle - 1ms);
    EXPECT_TRUE(claim_activities(by(2, 10)).empty());
    advance(1ms);
    EXPECT_EQ(commands_of(claim_activities(by(2, 20))), std::vector<CommandNo>{3});
}

BELAY_CASE(Sessions, AnAttemptThatWasLostKeepsItNoLongerThanItsLease) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), of_session(2, "s")});
    ASSERT_EQ(claim_activities(by(1, 1, 1)).size(), 1U);
    advance(kLease);
    auto again = claim_activities(by(1, 10));
    ASSERT_EQ(again.size(), 2U);
    for (const ClaimedActivity& one : again) complete(one);
    schedule(run, {of_session(3, "s")});
    advance(kIdle);
    EXPECT_EQ(claim_activities(by(2, 1)).size(), 1U);
}

BELAY_CASE(Sessions, ACanceledHandlerKeepsItUntilItHasEnded) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s")});
    const auto first = claim_activities(by(1, 1));
    ASSERT_EQ(first.size(), 1U);
    Turn turn = next_turn(run);
    turn.canceled_activities = {1};
    turn.activities = {of_session(2, "s")};
    apply(turn);
    advance(kLease - 1ms);
    EXPECT_TRUE(claim_activities(by(2, 1)).empty());
    EXPECT_TRUE(applied(try_drop(first[0])));
    advance(kIdle - 1ms);
    EXPECT_TRUE(claim_activities(by(2, 10)).empty());
    advance(1ms);
    EXPECT_EQ(claim_activities(by(2, 20)).size(), 1U);
}

BELAY_CASE(Sessions, ALeavingWorkerLetsGoOfThem) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), of_session(2, "t")});
    const auto mine = claim_activities(by(1, 1, 1));
    ASSERT_EQ(mine.size(), 1U);
    ASSERT_EQ(claim_activities(by(2, 1)).size(), 1U);
    complete(mine[0]);
    schedule(run, {of_session(3, "s"), of_session(4, "t")});
    EXPECT_TRUE(claim_activities(by(3, 1)).empty());
    EXPECT_TRUE(apply(ReleaseSessions{1}).changed);
    EXPECT_EQ(read(ListLeases{}).sessions.size(), 1U);
    EXPECT_EQ(commands_of(claim_activities(by(3, 10))), std::vector<CommandNo>{3})
        << "those of others are theirs";
    const Answer again = commit(ReleaseSessions{1});
    EXPECT_TRUE(applied(again)) << "as often as it is asked";
    EXPECT_FALSE(again.changed);
    EXPECT_EQ(read(ListLeases{}).sessions.size(), 2U);
}

BELAY_CASE(Sessions, RunningWorkOfThemIsNotLetGoOf) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), of_session(2, "s"), of_session(3, "s")});
    const auto first = claim_activities(by(1, 1, 2));
    ASSERT_EQ(first.size(), 2U);
    complete(first[0]);
    apply(ReleaseSessions{1});
    advance(kLease - 1ms);
    EXPECT_TRUE(claim_activities(by(2, 1)).empty());
    advance(1ms);
    EXPECT_EQ(commands_of(claim_activities(by(2, 10))), (std::vector<CommandNo>{2, 3}));
}

BELAY_CASE(Sessions, OtherNamesAndNamespacesAreOtherSessions) {
    const RunRef run = start("a");
    NewInstance elsewhere = instance("a");
    elsewhere.name.space = "other";
    apply(op::start(elsewhere));
    schedule(run, {of_session(1, "s"), of_session(2, "t")});
    schedule(elsewhere.run, {of_session(1, "s")});
    EXPECT_EQ(claim_activities(by(1, 1, 1)).size(), 1U);
    EXPECT_EQ(claim_activities(by(2, 1)).size(), 2U);
}

BELAY_CASE(Sessions, AHolderHasNoMoreThanItMayHave) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), of_session(2, "t"), of_session(3, "s"), activity(4)});
    ClaimActivities request = by(1, 1);
    request.sessions = 1;
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{1, 3, 4}));
    request.first_token = LeaseToken{1, 10};
    const auto answer = claim_with_hint(request);
    EXPECT_TRUE(answer.claimed.empty());
    EXPECT_EQ(answer.ready_in, kLease);
    EXPECT_EQ(commands_of(claim_activities(by(2, 1))), std::vector<CommandNo>{2});
}

BELAY_CASE(Sessions, AWorkerThatMayHaveNoneTakesNone) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s"), activity(2)});
    ClaimActivities request = by(1, 1);
    request.sessions = 0;
    EXPECT_EQ(commands_of(claim_activities(request)), std::vector<CommandNo>{2});
}

BELAY_CASE(Sessions, HandOversKeepToThem) {
    const RunRef run = start("a");
    const auto hand_over = [&](CommandNo command, std::uint64_t holder) {
        Turn turn = next_turn(run);
        turn.activities = {of_session(command, "s")};
        turn.activities[0].hand_over = NewActivity::HandOver{
            LeaseToken{holder, command}, kLease, "w" + std::to_string(holder), 1, kIdle};
        return !apply(turn).leased.empty();
    };
    EXPECT_TRUE(hand_over(1, 1));
    EXPECT_TRUE(hand_over(2, 1));
    EXPECT_FALSE(hand_over(3, 2));
    EXPECT_EQ(commands_of(claim_activities(by(1, 10))), std::vector<CommandNo>{3});
}

BELAY_CASE(Sessions, AnActivityGivenBackStaysInTheSession) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s")});
    const auto first = claim_activities(by(1, 1));
    ASSERT_EQ(first.size(), 1U);
    apply(op::abandon_activity(first[0], Millis(0), CountAttempt::no));
    EXPECT_TRUE(claim_activities(by(2, 1)).empty());
    EXPECT_EQ(claim_activities(by(1, 10)).size(), 1U);
}

BELAY_CASE(Sessions, AnActivityGivenBackKeepsItNoLongerThanAnEnd) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s")});
    const auto first = claim_activities(by(1, 1));
    ASSERT_EQ(first.size(), 1U);
    apply(op::abandon_activity(first[0], Millis(0), CountAttempt::no));
    advance(kIdle);
    EXPECT_EQ(claim_activities(by(2, 1)).size(), 1U);
}

BELAY_CASE(Sessions, AnEndedSessionIsSwept) {
    const RunRef run = start("a");
    schedule(run, {of_session(1, "s")});
    (void)claim_activities(by(1, 1));
    EXPECT_EQ(sweep().swept, 0U);
    advance(kLease);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_TRUE(read(ListLeases{}).sessions.empty());
}

}  // namespace
}  // namespace belay::conformance
