// Rates of starts: so many runs of a definition begin within a time.
#include "conformance/case.hpp"
#include <belay/limits.hpp>

BELAY_CONFORMANCE_AREA(rates)

namespace belay::conformance {
namespace {

/// Two runs within ten seconds.
Start rated(NewInstance made, WhenOver when_over, std::uint32_t count = 2, Millis per = 10s) {
    Start part = op::start(std::move(made));
    part.by = "starter";
    part.rate = RateOfStarts{count, per, when_over};
    return part;
}

BELAY_CASE(Rate, OneTooManyIsRefusedUntilThereIsRoomAgain) {
    apply(rated(instance("a"), WhenOver::refuse));
    advance(4s);
    apply(rated(instance("b"), WhenOver::refuse));
    const Answer refusal = commit(rated(instance("c"), WhenOver::refuse));
    EXPECT_TRUE(refused(refusal, Errc::rate_exceeded));
    EXPECT_FALSE(find("c"));
    advance(6s - 1ms);
    EXPECT_TRUE(refused(commit(rated(instance("c"), WhenOver::refuse)), Errc::rate_exceeded));
    advance(1ms);
    apply(rated(instance("c"), WhenOver::refuse));
    EXPECT_TRUE(refused(commit(rated(instance("d"), WhenOver::refuse)), Errc::rate_exceeded));
    advance(4s);
    EXPECT_TRUE(applied(commit(rated(instance("d"), WhenOver::refuse))));
}

BELAY_CASE(Rate, RefusedStartConsumesNothing) {
    apply(rated(instance("a"), WhenOver::refuse, 1));
    Start part = rated(instance("b"), WhenOver::refuse, 1);
    part.key = IdempotencyKey{"once"};
    part.request_id = "request";
    EXPECT_TRUE(refused(commit(part), Errc::rate_exceeded));
    advance(10s);
    EXPECT_TRUE(applied(commit(part))) << "neither key, id nor room is taken";
}

BELAY_CASE(Rate, QueuedRunsWaitAndBeginInTheirOrder) {
    std::vector<RunRef> runs;
    for (const char* id : {"a", "b", "c", "d", "e"}) {
        runs.push_back(apply(rated(instance(id), WhenOver::queue)).instance->run);
    }
    EXPECT_TRUE(try_claim(runs[0]));
    EXPECT_TRUE(try_claim(runs[1]));
    for (std::size_t i = 2; i < runs.size(); ++i) {
        EXPECT_EQ(status(runs[i]), Status::pending);
        EXPECT_FALSE(try_claim(runs[i]));
    }
    advance(10s - 1ms);
    EXPECT_FALSE(try_claim(runs[2]));
    advance(1ms);
    EXPECT_TRUE(try_claim(runs[2]));
    EXPECT_TRUE(try_claim(runs[3]));
    EXPECT_FALSE(try_claim(runs[4]));
    advance(10s);
    EXPECT_TRUE(try_claim(runs[4]));
}

BELAY_CASE(Rate, NeverMoreBeginWithinTheTimeWhateverWindowOneLooksAt) {
    // Starts at uneven times: those that wait count from when they may begin.
    apply(rated(instance("a"), WhenOver::queue));
    advance(7s);
    const RunRef second = apply(rated(instance("b"), WhenOver::queue)).instance->run;
    const RunRef third = apply(rated(instance("c"), WhenOver::queue)).instance->run;
    const RunRef fourth = apply(rated(instance("d"), WhenOver::queue)).instance->run;
    EXPECT_TRUE(try_claim(second));
    advance(3s);
    EXPECT_TRUE(try_claim(third)) << "10 s after the first";
    advance(7s - 1ms);
    EXPECT_FALSE(try_claim(fourth));
    advance(1ms);
    EXPECT_TRUE(try_claim(fourth)) << "10 s after the second";
}

BELAY_CASE(Rate, StartThatIsRefusedStandsBehindThoseThatWait) {
    for (const char* id : {"a", "b", "c"}) apply(rated(instance(id), WhenOver::queue));
    advance(10s);
    EXPECT_TRUE(applied(commit(rated(instance("d"), WhenOver::refuse)))) << "c and d";
    EXPECT_TRUE(refused(commit(rated(instance("e"), WhenOver::refuse)), Errc::rate_exceeded));
}

BELAY_CASE(Rate, RaiseDoesNotEndTheWait) {
    apply(rated(instance("a"), WhenOver::queue, 1));
    const RunRef second = apply(rated(instance("b"), WhenOver::queue, 1)).instance->run;
    raise("b", "go");
    EXPECT_FALSE(try_claim(second));
    advance(10s);
    EXPECT_TRUE(try_claim(second));
}

BELAY_CASE(Rate, DelayBeginsWhenTheWaitEnds) {
    apply(rated(instance("a"), WhenOver::queue, 1));
    Start part = rated(instance("b"), WhenOver::queue, 1);
    part.delay = 5s;
    const RunRef second = apply(part).instance->run;
    advance(15s - 1ms);
    EXPECT_FALSE(try_claim(second));
    advance(1ms);
    EXPECT_TRUE(try_claim(second));
}

BELAY_CASE(Rate, WaitThatIsTooLongForItsExpiryEndsInACancelByPolicy) {
    apply(rated(instance("a"), WhenOver::queue, 1));
    Start part = rated(instance("b"), WhenOver::queue, 1);
    part.expires = 5s;
    const RunRef second = apply(part).instance->run;
    advance(5s);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_EQ(outcome_of(second).cancel.source, CancelSource::policy);
}

BELAY_CASE(Rate, DroppedRunEndsAtOnceAsCanceledByPolicy) {
    apply(rated(instance("a"), WhenOver::drop, 1));
    const Answer answer = apply(rated(instance("b"), WhenOver::drop, 1));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->status, Status::canceled);
    const Outcome outcome = outcome_of(answer.instance->run);
    EXPECT_EQ(outcome.status, Status::canceled);
    EXPECT_EQ(outcome.cancel.source, CancelSource::policy);
    EXPECT_NE(outcome.cancel.reason.find("1 run within 10000 ms"), std::string::npos)
        << outcome.cancel.reason;
    EXPECT_EQ(outcome.cleanup, Cleanup::not_needed);
    EXPECT_TRUE(info(answer.instance->run).settled);
    EXPECT_FALSE(try_claim(answer.instance->run));
    advance(10s);
    EXPECT_EQ(apply(rated(instance("c"), WhenOver::drop, 1)).instance->status, Status::pending)
        << "the dropped one takes no room";
}

BELAY_CASE(Rate, DroppedRunLeavesOthersOfItsConcurrencyKeyAlone) {
    Start first = rated(instance("a"), WhenOver::drop, 1);
    first.concurrency = Concurrency{"k", WhenBusy::replace};
    const RunRef under_way = apply(first).instance->run;
    Start second = rated(instance("b"), WhenOver::drop, 1);
    second.concurrency = Concurrency{"k", WhenBusy::replace};
    EXPECT_EQ(apply(second).instance->status, Status::canceled);
    EXPECT_EQ(status(under_way), Status::pending);
    EXPECT_TRUE(try_claim(under_way));
    Start third = rated(instance("c"), WhenOver::drop, 1);
    third.concurrency = Concurrency{"k", WhenBusy::refuse};
    EXPECT_EQ(apply(third).instance->status, Status::canceled) << "it is dropped, not refused";
}

BELAY_CASE(Rate, DroppedRunFreesAKeyThatLastsWhileActive) {
    apply(rated(instance("a"), WhenOver::drop, 1));
    Start part = rated(instance("b"), WhenOver::drop, 1);
    part.key = IdempotencyKey{"once", KeyScope::while_active};
    EXPECT_EQ(apply(part).instance->status, Status::canceled);
    advance(10s);
    part.instance = instance("c");
    EXPECT_EQ(apply(part).instance->status, Status::pending);
}

BELAY_CASE(Rate, IsOfADefinitionInANamespace) {
    apply(rated(instance("a"), WhenOver::refuse, 1));
    NewInstance other = instance("b");
    other.definition = "Another";
    apply(rated(other, WhenOver::refuse, 1));
    NewInstance elsewhere = instance("c");
    elsewhere.name.space = "elsewhere";
    apply(rated(elsewhere, WhenOver::refuse, 1));
    EXPECT_TRUE(applied(commit(op::start(instance("d"))))) << "starts without a rate do not count";
    EXPECT_TRUE(refused(commit(rated(instance("e"), WhenOver::refuse, 1)), Errc::rate_exceeded));
}

BELAY_CASE(Rate, CanceledRunThatWaitedStillCounts) {
    apply(rated(instance("a"), WhenOver::queue, 1));
    apply(rated(instance("b"), WhenOver::queue, 1));
    cancel("b");
    const RunRef third = apply(rated(instance("c"), WhenOver::queue, 1)).instance->run;
    advance(10s);
    EXPECT_FALSE(try_claim(third));
    advance(10s);
    EXPECT_TRUE(try_claim(third));
}

BELAY_CASE(Rate, AnotherCountAppliesFromItsStartOn) {
    for (const char* id : {"a", "b", "c"}) apply(rated(instance(id), WhenOver::refuse, 3));
    EXPECT_TRUE(refused(commit(rated(instance("d"), WhenOver::refuse, 1)), Errc::rate_exceeded));
    advance(10s);
    apply(rated(instance("d"), WhenOver::refuse, 1));
    EXPECT_TRUE(refused(commit(rated(instance("e"), WhenOver::refuse, 1)), Errc::rate_exceeded));
    EXPECT_TRUE(applied(commit(rated(instance("e"), WhenOver::refuse, 3))));
}

BELAY_CASE(Rate, PlacesThatCountNoMoreAreSwept) {
    for (const char* id : {"a", "b", "c"}) apply(rated(instance(id), WhenOver::refuse, 5));
    advance(10s - 1ms);
    EXPECT_EQ(sweep().swept, 0U);
    advance(1ms);
    EXPECT_EQ(sweep().swept, 3U);
    EXPECT_EQ(sweep().swept, 0U);
    for (const char* id : {"d", "e", "f", "g", "h"}) {
        apply(rated(instance(id), WhenOver::refuse, 5));
    }
    EXPECT_TRUE(refused(commit(rated(instance("i"), WhenOver::refuse, 5)), Errc::rate_exceeded));
}

BELAY_CASE(Rate, RepeatOfTheRequestTakesNoOtherPlace) {
    Start part = rated(instance("a"), WhenOver::refuse, 2);
    part.request_id = "request";
    apply(part);
    (void)commit(part);
    EXPECT_TRUE(applied(commit(rated(instance("b"), WhenOver::refuse, 2))));
    EXPECT_TRUE(refused(commit(rated(instance("c"), WhenOver::refuse, 2)), Errc::rate_exceeded));
}

BELAY_CASE(Rate, OfNothingOrTooMuchIsRefused) {
    EXPECT_TRUE(refused(commit(rated(instance("a"), WhenOver::queue, 0)), Errc::invalid_argument));
    EXPECT_TRUE(
        refused(commit(rated(instance("a"), WhenOver::queue, 1, 0ms)), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(rated(instance("a"), WhenOver::queue, Limits().rate_starts + 1)),
                        Errc::limit_exceeded));
    Start replacing = rated(instance("a"), WhenOver::drop, 1);
    replacing.on_conflict = IdConflict::replace;
    EXPECT_TRUE(refused(commit(replacing), Errc::invalid_argument));
    EXPECT_FALSE(find("a"));
}

BELAY_CASE(Rate, RunThatMayHaveToWaitIsNotStartedLocked) {
    for (const WhenOver when_over : {WhenOver::queue, WhenOver::drop}) {
        Start part = rated(instance("a"), when_over);
        part.lock = StartLock{fresh_token(), "worker", kLease};
        EXPECT_TRUE(refused(commit(part), Errc::invalid_argument));
    }
    Start part = rated(instance("a"), WhenOver::refuse);
    part.lock = StartLock{fresh_token(), "worker", kLease};
    EXPECT_TRUE(applied(commit(part)));
}

BELAY_CASE(Rate, TwoStartsOfOneTransitionAreRefused) {
    EXPECT_TRUE(refused(
        commit(fuse(rated(instance("a"), WhenOver::queue), rated(instance("b"), WhenOver::queue))),
        Errc::invalid_argument));
    EXPECT_FALSE(find("a"));
}

}  // namespace
}  // namespace belay::conformance
