// The pace at which a worker applies retentions, without a store.
#include "retention/rounds.hpp"

#include "support/manual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace belay::retention {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FixedRandom : public Random {
public:
    explicit FixedRandom(std::uint64_t value) : value_(value) {}
    [[nodiscard]] std::uint64_t next() override { return value_; }

private:
    const std::uint64_t value_;
};

class RoundsTest : public ::testing::Test {
protected:
    static RetentionPolicy at_most(std::uint32_t count) {
        return RetentionPolicy().add(RetentionRule().max_count(count));
    }
    static SelectInstances::Answer ended(std::uint64_t count) {
        SelectInstances::Answer page(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            page[i].instance.name = InstanceName{"default", std::to_string(i)};
            page[i].instance.run.key = RunKey{i + 1};
            page[i].instance.status = Status::completed;
            page[i].definition = "Task";
            page[i].ended_at = Timestamp();
            page[i].settled = true;
        }
        return page;
    }
    static Answer applied() { return Answer(); }
    static Answer gone() {
        Answer answer;
        answer.verdict = Verdict::refused;
        answer.error = Error(Errc::not_found, "it is gone");
        return answer;
    }

    void make(const RetentionPolicies& policies) {
        rounds_ = std::make_unique<Rounds>(ProcessPolicies(policies, nullptr, Limits()),
                                           ids_,
                                           policy,
                                           random_,
                                           now,
                                           [this](std::string line) { said.push_back(line); });
    }
    /// Checks the request that it makes now. Fails the test if it makes another.
    template <class Request>
    Request asked() {
        std::optional<Rounds::Ask> ask = rounds_->next(now, Timestamp(1'000h));
        if (ask && std::holds_alternative<Request>(*ask)) return std::get<Request>(*ask);
        ADD_FAILURE() << "it asks for something else: " << (ask ? ask->index() : 99);
        return Request();
    }
    [[nodiscard]] bool asks() { return rounds_->next(now, Timestamp(1'000h)).has_value(); }
    /// Begins a round and answers until the first commit of a namespace may be sent.
    void begin_round() {
        now = rounds_->due_at();
        EXPECT_FALSE(asked<ReadRetention>().space) << "it reads all that are set";
        rounds_->take(ReadRetention::Answer());
    }
    void show_ended(std::uint64_t count) {
        asked<ListOutcomes>();
        rounds_->take(ListOutcomes::Answer{{"Task", Status::completed}});
        asked<SelectInstances>();
        rounds_->take(ended(count));
    }
    void confirm_policy(const ReadRetention::Answer& found = {}) {
        EXPECT_TRUE(asked<ReadRetention>().space);
        rounds_->take(found);
    }

    Millis now{1'000};
    Policy policy;
    std::vector<std::string> said;
    support::ManualClock clock_;
    FixedRandom random_{12'345};
    IdSource ids_{clock_, random_};
    std::unique_ptr<Rounds> rounds_;
};

TEST_F(RoundsTest, TheFirstRoundBeginsInTheSecondHalfOfTheFirstInterval) {
    const Millis interval = policy.retention_interval;
    for (const std::uint64_t drawn : {0ULL, 29'999ULL, 30'000ULL, 30'001ULL, ~0ULL}) {
        FixedRandom random(drawn);
        const Rounds rounds(
            ProcessPolicies({}, nullptr, Limits()), ids_, policy, random, now, [](std::string) {});
        EXPECT_GE(rounds.due_at(), now + interval / 2);
        EXPECT_LE(rounds.due_at(), now + interval);
    }
}

TEST_F(RoundsTest, AsksNothingBeforeItIsDue) {
    make({});
    now = rounds_->due_at() - 1ms;
    EXPECT_FALSE(asks());
    now += 1ms;
    EXPECT_TRUE(asks());
}

TEST_F(RoundsTest, TheNextRoundBeginsAnIntervalAfterTheLast) {
    make({});
    begin_round();
    const Millis began = now;
    now += 7s;
    EXPECT_FALSE(asks()) << "nothing is to be kept less than for ever";
    EXPECT_EQ(rounds_->due_at(), began + policy.retention_interval);
}

TEST_F(RoundsTest, ARoundThatTookLongerThanTheIntervalIsFollowedAtOnce) {
    make({});
    begin_round();
    now += 2 * policy.retention_interval;
    EXPECT_FALSE(asks());
    EXPECT_EQ(rounds_->due_at(), now);
}

TEST_F(RoundsTest, RestsFourTimesAsLongAsACommitTook) {
    make({{"default", at_most(0)}});
    begin_round();
    show_ended(1);
    confirm_policy();
    asked<std::vector<Transition>>();
    now += 30ms;
    rounds_->take({applied()}, now);
    EXPECT_EQ(rounds_->due_at(), now + 120ms);
    EXPECT_FALSE(asks());
}

TEST_F(RoundsTest, ReadsThePolicyAgainBeforeEachCommit) {
    policy.bulk_batch = 1;
    make({{"default", at_most(0)}});
    begin_round();
    show_ended(2);
    for (int i = 0; i < 2; ++i) {
        confirm_policy();
        EXPECT_EQ(asked<std::vector<Transition>>().size(), 1U);
        rounds_->take({applied()}, now);
    }
}

TEST_F(RoundsTest, AnotherPolicyBeginsThePassAnew) {
    make({{"default", at_most(0)}, {"eu", at_most(1)}});
    begin_round();
    show_ended(2);
    confirm_policy({StoredRetention{"default", at_most(1), Timestamp(), "ops"}});
    EXPECT_EQ(asked<ListOutcomes>().space, "default");
    rounds_->take(ListOutcomes::Answer{{"Task", Status::completed}});
    const auto which = std::get<SelectInstances::Past>(asked<SelectInstances>().which);
    EXPECT_EQ(which.not_last, 1U);
}

TEST_F(RoundsTest, ANamespaceThatIsProtectedMeanwhileIsLeft) {
    make({{"default", at_most(0)}, {"eu", at_most(1)}});
    begin_round();
    show_ended(2);
    confirm_policy({StoredRetention{"default", RetentionPolicy(), Timestamp(), "ops"}});
    EXPECT_EQ(asked<ListOutcomes>().space, "eu");
}

TEST_F(RoundsTest, ANamespaceThatAnotherWorkerIsAtIsLeftToIt) {
    policy.bulk_batch = 1;
    make({{"default", at_most(0)}, {"eu", at_most(0)}});
    begin_round();
    show_ended(5);
    confirm_policy();
    asked<std::vector<Transition>>();
    rounds_->take({gone()}, now);
    EXPECT_EQ(asked<ListOutcomes>().space, "eu");
}

TEST_F(RoundsTest, WaitsLongerAfterEachFailureAndGivesUpAtTheFifth) {
    make({{"default", at_most(0)}});
    begin_round();
    const Millis began = now;
    std::vector<Millis> waits;
    for (int i = 0; i < 4; ++i) {
        asked<ListOutcomes>();
        rounds_->fail(Error(Errc::busy, "the store is busy"), now);
        waits.push_back(rounds_->due_at() - now);
        EXPECT_FALSE(asks());
        now = rounds_->due_at();
    }
    EXPECT_THAT(waits, ElementsAre(50ms, 100ms, 200ms, 400ms));
    EXPECT_TRUE(said.empty());
    asked<ListOutcomes>();
    rounds_->fail(Error(Errc::busy, "the store is busy"), now);
    EXPECT_THAT(said, ElementsAre(HasSubstr("the store is busy")));
    EXPECT_EQ(rounds_->due_at(), began + policy.retention_interval);
}

}  // namespace
}  // namespace belay::retention
