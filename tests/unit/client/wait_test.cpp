// Waiting for a run to end or to set its custom status: the store's word counts, its notifications
// only hurry.
#include "support/faulty_store.hpp"
#include "support/manual_clock.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/management.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace belay {
namespace {

using support::FaultyStore;

inline constexpr Definition<int(std::string)> Count{"Count"};
inline constexpr Definition<std::string(std::string)> Other{"Other"};

class WaitTest : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(client.start(Count, StartOptions().id("i1"), std::string("x")).ok());
    }
    /// Ends the run as its code would, by the hand of another process.
    void complete(const Payload& output) {
        take_turn([&](Turn& turn) {
            Ends ends;
            ends.outcome.output = output;
            turn.after = ends;
        });
    }
    /// Sets its custom status, and has another turn at once.
    void set_status(const std::string& status) {
        take_turn([&](Turn& turn) {
            turn.custom_status = Payload::text(status);
            turn.after = ContinuesAsNew{Payload(), "1"};
        });
    }
    template <class Change>
    void take_turn(Change change) {
        const LeaseToken token{9, ++serial};
        std::optional<ClaimedInstance> claimed;
        inner->claim(op::claim_instance(token, "w", Millis(1'000)),
                     [&](const Result<ClaimInstances::Answer>& r) { claimed = r->claimed.at(0); });
        Turn turn = op::turn(*claimed, HistoryRow{1, 1, "history"});
        change(turn);
        inner->commit({op::transition(CommitId{7, serial}, turn)},
                      [](const Result<std::vector<Answer>>& r) { ASSERT_TRUE(r->at(0).done()); });
    }
    /// Steps until there is nothing to do.
    void settle() {
        while (client.step()) {
        }
    }
    void begin_waiting() {
        client.wait(i1, [this](Result<Outcome> result) { outcome.emplace(std::move(result)); });
        settle();
    }

    std::uint64_t serial = 0;
    support::ManualClock clock;
    std::unique_ptr<Store> inner = make_memory_store(clock);
    FaultyStore store{*inner};
    Client client{store, clock};
    const InstanceName i1{"default", "i1"};
    std::optional<Result<Outcome>> outcome;
};

TEST_F(WaitTest, IsToldOfAnEndWithoutTimePassing) {
    begin_waiting();
    EXPECT_FALSE(outcome.has_value());
    complete(Codec<int>::encode(7));
    settle();
    ASSERT_TRUE(outcome && outcome->ok());
    EXPECT_EQ((*outcome)->output, Codec<int>::encode(7));
    EXPECT_EQ(client.next_due(), std::nullopt) << "nobody waits any more";
}

TEST_F(WaitTest, AWaitForAnEndedRunEndsAtOnce) {
    complete(Codec<int>::encode(7));
    begin_waiting();
    EXPECT_TRUE(outcome.has_value());
}

TEST_F(WaitTest, AnEndThatNobodyToldOfIsFoundByThePoll) {
    store.tell_nobody();
    begin_waiting();
    complete(Codec<int>::encode(7));
    settle();
    EXPECT_FALSE(outcome.has_value());
    EXPECT_EQ(client.next_due(), clock.monotonic() + Policy().poll_interval);
    clock.advance(Policy().poll_interval);
    settle();
    EXPECT_TRUE(outcome.has_value());
}

TEST_F(WaitTest, BlockingDoesNotRelyOnBeingToldEither) {
    store.tell_nobody();
    Policy policy;
    policy.poll_interval = Millis(1);
    Client impatient(store, clock, system_random(), Limits(), policy);
    std::thread other([this] { complete(Codec<int>::encode(7)); });
    EXPECT_TRUE(impatient.wait(i1).ok());
    other.join();
}

TEST_F(WaitTest, AReadThatFailsIsTriedAgainSoon) {
    begin_waiting();
    store.fail_instance_reads(1);
    complete(Codec<int>::encode(7));
    settle();
    EXPECT_FALSE(outcome.has_value());
    EXPECT_EQ(client.next_due(), clock.monotonic() + Policy().retry_delay);
    clock.advance(Policy().retry_delay);
    settle();
    EXPECT_TRUE(outcome.has_value());
}

TEST_F(WaitTest, BlockingTriesAReadThatFailsAgainSoonToo) {
    complete(Codec<int>::encode(7));
    store.fail_instance_reads(2);
    const Result<Outcome> ended = client.wait(i1, Policy().poll_interval / 2);
    EXPECT_TRUE(ended.ok()) << ended.error().describe();
}

TEST_F(WaitTest, TheEndOfAnotherRunIsNotThisOnes) {
    ASSERT_TRUE(client.start(Count, StartOptions().id("i2"), std::string("x")).ok());
    begin_waiting();
    ASSERT_TRUE(client.cancel({"default", "i2"}).ok());
    settle();
    EXPECT_FALSE(outcome.has_value());
}

TEST_F(WaitTest, AnUnknownRunIsNotFound) {
    const Result<Outcome> none = client.wait({"default", "nobody"});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code(), Errc::not_found);
}

TEST_F(WaitTest, ARunDeletedMeanwhileIsNotFoundThoughItsNameIsUsedAgain) {
    begin_waiting();
    ASSERT_TRUE(client.delete_instance(i1, true).ok());
    ASSERT_TRUE(client.start(Count, StartOptions().id("i1"), std::string("x")).ok());
    clock.advance(Policy().poll_interval);
    settle();
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->error().code(), Errc::not_found);
}

TEST_F(WaitTest, AClientThatIsGoneCallsNobody) {
    auto gone = std::make_unique<Client>(store, clock);
    bool called = false;
    gone->wait(i1, [&](const Result<Outcome>&) { called = true; });
    gone->step();
    gone.reset();
    complete(Codec<int>::encode(7));
    EXPECT_FALSE(called);
}

TEST_F(WaitTest, BlocksUntilTheEndAndGivesATypedResult) {
    std::thread other([this] { complete(Codec<int>::encode(7)); });
    const auto ended = client.wait(Count, i1);
    other.join();
    ASSERT_TRUE(ended.ok());
    EXPECT_TRUE(ended->completed());
    EXPECT_EQ(ended->value(), 7);
}

TEST_F(WaitTest, HasATimeout) {
    const Result<Outcome> late = client.wait(i1, Millis(5));
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().code(), Errc::still_running);
    EXPECT_EQ(client.next_due(), std::nullopt) << "nothing is left of it";
}

TEST_F(WaitTest, ATypedResultIsOfTheRightDefinition) {
    complete(Codec<int>::encode(7));
    const auto wrong = client.outcome(Other, i1);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().message(), "instance 'i1' is a run of 'Count', not of 'Other'");
    EXPECT_EQ(client.outcome(Count, i1)->value(), 7);
}

TEST_F(WaitTest, ATypedResultBeforeTheEndIsStillRunning) {
    EXPECT_EQ(client.outcome(Count, i1).error().code(), Errc::still_running);
}

TEST_F(WaitTest, ACanceledRunHasNoValue) {
    ASSERT_TRUE(client.cancel(i1, CancelOptions().reason("enough")).ok());
    const auto ended = client.wait(Count, i1);
    ASSERT_TRUE(ended.ok());
    EXPECT_FALSE(ended->completed());
    EXPECT_EQ(ended->outcome().status, Status::canceled);
    EXPECT_THROW((void)ended->value(), Canceled);
}

TEST_F(WaitTest, ForAStatusIsToldWithoutTimePassing) {
    std::optional<Result<InstanceInfo>> seen;
    client.wait_for_status(
        i1, 0, [&](Result<InstanceInfo> info) { seen.emplace(std::move(info)); });
    begin_waiting();
    EXPECT_FALSE(seen.has_value());
    set_status("packing");
    settle();
    ASSERT_TRUE(seen && seen->ok());
    EXPECT_EQ((*seen)->custom_status, Payload::text("packing"));
    EXPECT_FALSE(outcome.has_value()) << "whoever waits for the end goes on waiting";
    complete(Codec<int>::encode(7));
    settle();
    ASSERT_TRUE(outcome && outcome->ok()) << "through the next execution, without time passing";
    EXPECT_EQ((*outcome)->status, Status::completed);
}

TEST_F(WaitTest, ForAStatusIsForAnotherThanTheOneSeen) {
    set_status("packing");
    const auto first = client.wait_for_status(i1, 0);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->custom_status, Payload::text("packing"));
    const auto same = client.wait_for_status(i1, first->custom_status_version, Millis(0));
    ASSERT_FALSE(same.ok());
    EXPECT_EQ(same.error().code(), Errc::still_running);
    set_status("packing");
    EXPECT_TRUE(client.wait_for_status(i1, first->custom_status_version).ok())
        << "the same text, set again, is another status";
}

TEST_F(WaitTest, ForAStatusEndsWithTheRun) {
    std::optional<Result<InstanceInfo>> seen;
    client.wait_for_status(
        i1, 0, [&](Result<InstanceInfo> info) { seen.emplace(std::move(info)); });
    settle();
    complete(Codec<int>::encode(7));
    settle();
    ASSERT_TRUE(seen && seen->ok());
    EXPECT_EQ((*seen)->status, Status::completed);
    EXPECT_FALSE((*seen)->custom_status.has_value());
}

TEST_F(WaitTest, ForAStatusOfNothingIsNotFound) {
    const auto nobody = client.wait_for_status(InstanceName{"default", "nobody"}, 0);
    ASSERT_FALSE(nobody.ok());
    EXPECT_EQ(nobody.error().code(), Errc::not_found);
}

TEST(EndedTest, AFailureIsThrownAndAnUnreadableResultTold) {
    Outcome failed;
    failed.status = Status::failed;
    failed.failure.message = "no money";
    EXPECT_THROW((void)Ended<int>(failed).value(), OperationFailed);
    Outcome skipped;
    skipped.status = Status::skipped;
    EXPECT_THROW((void)Ended<int>(skipped).value(), OperationFailed);
    Outcome text;
    text.output = Payload::text("seven");
    EXPECT_THROW((void)Ended<int>(text).value(), DecodeError);
    EXPECT_EQ(Ended<std::string>(text).value(), "seven");
}

}  // namespace
}  // namespace belay
