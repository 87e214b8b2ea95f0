// Claims of runs by who has their code, and only those.
#include "conformance/case.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

BELAY_CONFORMANCE_AREA(capability)

namespace belay::conformance {
namespace {

constexpr Millis kPatience{10'000};
constexpr Millis kBackoff{1'000};

using Code = ClaimInstances::Code;

ClaimInstances with_code(LeaseToken token, std::vector<Code> code) {
    ClaimInstances request = op::claim_instance(token, "worker", kLease);
    request.max = 100;
    request.code = std::move(code);
    request.patience = kPatience;
    request.backoff = kBackoff;
    request.backoff_max = 4 * kBackoff;
    return request;
}

/// Gives back what was claimed, as who cannot run it after all.
AbandonTurn for_want_of_code(const ClaimedInstance& item, Millis delay) {
    AbandonTurn part = op::abandon_turn(item, delay, CountAttempt::no);
    part.reason = AbandonReason::unregistered;
    return part;
}

BELAY_CASE(Capability, OnlyWhatThereIsCodeForIsClaimed) {
    start("a");  // It is of definition Order, version 1.0.
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {})).empty());
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {Code{"Other"}})).empty());
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {Code{"Order", {"2.0"}}})).empty());
    EXPECT_EQ(info(found("a").run).attempts, 0U) << "it is not touched";
    EXPECT_EQ(claim_instances(with_code(fresh_token(), {Code{"Order", {"2.0", "1.0"}}})).size(),
              1U);
}

BELAY_CASE(Capability, AnyVersionMeansAny) {
    start("a");
    EXPECT_EQ(claim_instances(with_code(fresh_token(), {Code{"Other"}, Code{"Order"}})).size(), 1U);
}

BELAY_CASE(Capability, ARunWithoutAVersionIsForAll) {
    NewInstance fresh = instance("a");
    fresh.version.clear();
    apply(op::start(fresh));
    EXPECT_EQ(claim_instances(with_code(fresh_token(), {Code{"Order", {"2.0"}}})).size(), 1U);
}

BELAY_CASE(Capability, OthersKeepNobodyWaiting) {
    start("a");
    NewInstance other = instance("b");
    other.definition = "Other";
    apply(op::start(other));
    ClaimInstances request = with_code(fresh_token(), {Code{"Other"}});
    request.max = 1;
    const auto claimed = claim_instances(request);
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].name, named("b"));
}

BELAY_CASE(Capability, TheyAreLeftAloneForAWhile) {
    const RunRef run = start("a");
    const auto answer = claim_with_hint(with_code(fresh_token(), {}));
    EXPECT_EQ(answer.ready_in, kPatience) << "then it is to be looked at again";
    advance(kPatience - 1ms);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {})).empty());
    EXPECT_EQ(info(run).code_missing_since, std::nullopt);
    EXPECT_TRUE(try_claim(run)) << "and whoever has the code can have it at once";
}

BELAY_CASE(Capability, ARunThatNobodyTakesIsMarkedAndPutOff) {
    const RunRef run = start("a");
    advance(kPatience);
    const Timestamp marked = now();
    EXPECT_EQ(claim_with_hint(with_code(fresh_token(), {})).ready_in, kBackoff);
    EXPECT_EQ(info(run).code_missing_since, marked);
    EXPECT_EQ(info(run).unregistered, 1U);
    EXPECT_EQ(info(run).attempts, 0U) << "nobody has tried it";
    EXPECT_FALSE(try_claim(run));
    for (const Millis next : {2 * kBackoff, 4 * kBackoff, 4 * kBackoff}) {
        advance(kPatience + 4 * kBackoff);
        EXPECT_EQ(claim_with_hint(with_code(fresh_token(), {})).ready_in, next);
    }
    EXPECT_EQ(info(run).code_missing_since, marked) << "since the first time";
}

BELAY_CASE(Capability, ManyThatNobodyTakesAreMarkedInSeveralClaims) {
    std::vector<RunRef> runs;
    for (int i = 0; i < 250; ++i) runs.push_back(start("a" + std::to_string(i)));
    advance(kPatience);
    const auto marked = [&] {
        return std::count_if(
            runs.begin(), runs.end(), [&](RunRef run) { return info(run).unregistered == 1; });
    };
    std::ptrdiff_t before = 0;
    for (int claims = 0; before < 250 && claims < 250; ++claims) {
        const auto answer = claim_with_hint(with_code(fresh_token(), {}));
        EXPECT_GT(marked(), before);
        before = marked();
        ASSERT_TRUE(answer.ready_in);
        EXPECT_GT(*answer.ready_in, 1ms) << "others are let through";
        EXPECT_LE(*answer.ready_in, kBackoff);
    }
    EXPECT_EQ(before, 250);
}

BELAY_CASE(Capability, AWantedItemIsFoundBehindManyOthers) {
    for (int i = 0; i < 250; ++i) start("a" + std::to_string(i));
    advance(1s);
    for (const char* const id : {"b", "c", "d"}) {
        NewInstance wanted = instance(id);
        wanted.definition = "Other";
        apply(op::start(wanted));
        advance(1s);
    }
    ClaimInstances request = with_code(fresh_token(), {Code{"Other"}});
    request.max = 2;
    const auto first = claim_with_hint(request);
    ASSERT_EQ(first.claimed.size(), 2U);
    EXPECT_EQ(first.claimed[0].name, named("b")) << "the longest ready first";
    EXPECT_EQ(first.claimed[1].name, named("c"));
    EXPECT_EQ(first.put_off, 0U);
    EXPECT_EQ(first.ready_in, Millis(0)) << "there is one more";
    request.first_token = fresh_token();
    const auto second = claim_with_hint(request);
    ASSERT_EQ(second.claimed.size(), 1U);
    EXPECT_EQ(second.ready_in, kPatience - 4s) << "then the others are to be looked at again";
    advance(kPatience);
    request.first_token = fresh_token();
    const auto third = claim_with_hint(request);
    EXPECT_TRUE(third.claimed.empty());
    EXPECT_GT(third.put_off, 0U);
}

BELAY_CASE(Capability, ABackOffOfNothingDoesNotAskAtOnce) {
    start("a");
    advance(kPatience);
    ClaimInstances request = with_code(fresh_token(), {});
    request.backoff = Millis(0);
    const auto answer = claim_with_hint(request);
    EXPECT_EQ(answer.put_off, 1U);
    EXPECT_EQ(answer.ready_in, kPatience) << "it is ready since now";
}

BELAY_CASE(Capability, TheHintIsTheFirstThatComes) {
    start("a");
    NewInstance wanted = instance("b");
    wanted.definition = "Other";
    apply(op::start(wanted));
    ClaimInstances request = with_code(fresh_token(), {Code{"Other"}});
    request.lease = kPatience - 1s;
    EXPECT_EQ(claim_with_hint(request).ready_in, kPatience - 1s) << "the lease just given";
    Start later = op::start(instance("c"));
    later.delay = 2s;
    apply(later);
    request.first_token = fresh_token();
    EXPECT_EQ(claim_with_hint(request).ready_in, Millis(2s)) << "of whatever code it is";
    advance(kPatience);
    request.lease = kLease;
    request.first_token = fresh_token();
    const auto answer = claim_with_hint(request);
    EXPECT_EQ(answer.claimed.size(), 1U) << "its lease is over";
    EXPECT_EQ(answer.put_off, 1U);
    EXPECT_EQ(answer.ready_in, kBackoff) << "what was put off";
}

BELAY_CASE(Capability, ATurnTakesTheMarkAway) {
    const RunRef run = start("a");
    advance(kPatience);
    (void)claim_instances(with_code(fresh_token(), {}));
    advance(kBackoff);
    take_turn(run);
    EXPECT_EQ(info(run).code_missing_since, std::nullopt);
    EXPECT_EQ(info(run).unregistered, 0U);
}

BELAY_CASE(Capability, AWorkerWithTheCodeRemovesTheMarkAndCanHaveItAtOnce) {
    const RunRef run = start("a");
    advance(kPatience);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {})).empty());
    ASSERT_EQ(info(run).unregistered, 1U);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {Code{"Other"}})).empty());
    EXPECT_EQ(info(run).unregistered, 1U);
    const auto claimed = claim_instances(with_code(fresh_token(), {Code{"Order", {"1.0"}}}));
    ASSERT_EQ(claimed.size(), 1U) << "it does not wait any longer";
    EXPECT_EQ(claimed[0].unregistered, 0U);
    EXPECT_EQ(info(run).code_missing_since, std::nullopt);
}

BELAY_CASE(Capability, AWorkerWithTheCodeRemovesTheMarkAlsoIfItTakesAnother) {
    for (const char* const id : {"a", "b"}) start_running(id);
    for (const char* const id : {"a", "b"}) raise(id, "go");
    advance(kPatience);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {})).empty());
    ClaimInstances request = with_code(fresh_token(), {Code{"Order"}});
    request.max = 1;
    const auto claimed = claim_instances(request);
    ASSERT_EQ(claimed.size(), 1U);
    const RunRef other = found(claimed[0].name.id == "a" ? "b" : "a").run;
    EXPECT_EQ(info(other).code_missing_since, std::nullopt);
    EXPECT_EQ(info(other).unregistered, 0U);
    EXPECT_EQ(claim_with_hint(with_code(fresh_token(), {})).ready_in, kPatience)
        << "who has the code was here just now";
    advance(kDeadline);
    cancel(info(other).name.id);
    EXPECT_EQ(status(other), Status::canceling) << "its cleanup is for who has the code";
}

BELAY_CASE(Capability, AnItemGivenBackKeepsItsMark) {
    const RunRef run = start("a");
    const auto first = claim_instances(with_code(fresh_token(), {Code{"Order"}}));
    ASSERT_EQ(first.size(), 1U);
    apply(for_want_of_code(first[0], 1h));
    const Timestamp marked = now();
    advance(1s);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {Code{"Order"}})).empty())
        << "who gave it back has the code, and could do nothing with it";
    EXPECT_EQ(info(run).code_missing_since, marked);
}

BELAY_CASE(Capability, AnItemGivenBackKeepsItsMarkWhenOthersPutItOff) {
    const RunRef run = start("a");
    const auto first = claim_instances(with_code(fresh_token(), {Code{"Order"}}));
    ASSERT_EQ(first.size(), 1U);
    apply(for_want_of_code(first[0], 1s));
    const Timestamp marked = now();
    advance(1s + kPatience);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {})).empty());
    EXPECT_EQ(info(run).unregistered, 2U);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {Code{"Order"}})).empty());
    EXPECT_EQ(info(run).code_missing_since, marked);
    EXPECT_EQ(info(run).unregistered, 2U);
}

BELAY_CASE(Capability, AnEndedRunIsNotBroughtBack) {
    const RunRef run = start_running("a");
    raise("a", "go");
    advance(kPatience);
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {})).empty());
    advance(kDeadline);
    cancel("a");
    ASSERT_EQ(status(run), Status::canceled) << "nobody has its code";
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {Code{"Order"}})).empty());
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(claim_instances(with_code(fresh_token(), {Code{"Order"}})).empty());
}

BELAY_CASE(Capability, ManyAreBroughtBackInSeveralClaims) {
    for (int i = 0; i < 250; ++i) start("a" + std::to_string(i));
    advance(kPatience);
    for (int i = 0; i < 3; ++i) (void)claim_instances(with_code(fresh_token(), {}));
    std::size_t claimed = 0;
    for (int claims = 0; claimed < 250 && claims < 250; ++claims) {
        const auto answer = claim_with_hint(with_code(fresh_token(), {Code{"Order"}}));
        ASSERT_FALSE(answer.claimed.empty());
        claimed += answer.claimed.size();
        if (claimed < 250) {
            EXPECT_LE(answer.ready_in, Millis(1));
        }
    }
    EXPECT_EQ(claimed, 250U);
}

BELAY_CASE(Capability, AWorkerWithTheCodeRemovesTheMarkOfAllItTakes) {
    for (int i = 0; i < 150; ++i) start("a" + std::to_string(i));
    advance(kPatience);
    for (int i = 0; i < 2; ++i) (void)claim_instances(with_code(fresh_token(), {}));
    advance(kBackoff);
    ClaimInstances request = with_code(fresh_token(), {Code{"Order"}});
    request.max = 1'000;
    const auto claimed = claim_instances(request);
    ASSERT_EQ(claimed.size(), 150U);
    for (const ClaimedInstance& item : claimed) {
        EXPECT_EQ(item.unregistered, 0U) << item.name.id;
        EXPECT_EQ(item.code_missing_since, std::nullopt) << item.name.id;
        EXPECT_EQ(info(item.run).code_missing_since, std::nullopt) << item.name.id;
    }
}

/// Number of times that it was told that runs are ready. A store may tell when it has answered.
class ToldOfReadyRuns final : public StoreListener {
public:
    void instances_ready() override {
        const std::lock_guard lock(mutex_);
        ++times_;
        told_.notify_all();
    }
    [[nodiscard]] int times() {
        const std::lock_guard lock(mutex_);
        return times_;
    }
    [[nodiscard]] bool wait_for_more_than(int times) {
        std::unique_lock lock(mutex_);
        return told_.wait_for(lock, std::chrono::seconds(20), [&] { return times_ > times; });
    }

private:
    std::mutex mutex_;
    std::condition_variable told_;
    int times_ = 0;
};

BELAY_CASE(Capability, OthersAreToldOfWhatIsBroughtBackAndLeftToThem) {
    for (const char* const id : {"a", "b"}) start(id);
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_code(fresh_token(), {})).put_off, 2U);
    ToldOfReadyRuns listener;
    store().subscribe(listener);
    const int before = listener.times();
    ClaimInstances request = with_code(fresh_token(), {Code{"Order"}});
    request.max = 1;
    EXPECT_EQ(claim_instances(request).size(), 1U);
    EXPECT_TRUE(listener.wait_for_more_than(before));
    store().unsubscribe(listener);
}

BELAY_CASE(Capability, OneThatIsNamedIsBroughtBackAlone) {
    const RunRef run = start("a");
    const RunRef other = start("b");
    advance(kPatience);
    EXPECT_EQ(claim_with_hint(with_code(fresh_token(), {})).put_off, 2U);
    ClaimInstances request = with_code(fresh_token(), {Code{"Order"}});
    request.run = run;
    const auto claimed = claim_instances(request);
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].run, run);
    EXPECT_EQ(info(run).code_missing_since, std::nullopt);
    EXPECT_EQ(info(other).unregistered, 1U) << "it is not touched";
}

BELAY_CASE(Capability, OneThatIsNamedAndWasGivenBackKeepsItsMark) {
    const RunRef run = start("a");
    ClaimInstances request = with_code(fresh_token(), {Code{"Order"}});
    request.run = run;
    const auto first = claim_instances(request);
    ASSERT_EQ(first.size(), 1U);
    apply(for_want_of_code(first[0], 1h));
    request.first_token = fresh_token();
    EXPECT_TRUE(claim_instances(request).empty());
    EXPECT_EQ(info(run).unregistered, 1U);
}

BELAY_CASE(Capability, OneThatIsNamedIsFilteredToo) {
    const RunRef run = start("a");
    ClaimInstances request = with_code(fresh_token(), {Code{"Other"}});
    request.run = run;
    EXPECT_TRUE(claim_instances(request).empty());
}

}  // namespace
}  // namespace belay::conformance
