// Code that changes under runs that are under way, each case forced into being; and faults that the
// observer must find there.
#include "simulation/program/interpreter.hpp"
#include "simulation/races/stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace belay::sim::deploys_tests {
namespace {

using ::testing::ElementsAre;

constexpr const char* kPatchTwice = "(g(p 0 0)(e 0 0)(p 0 0))";

class DeploysTest : public ::testing::Test {
protected:
    DeploysTest() : stage_(2) {}

    /// The only process is now one with code of that time.
    void deploy(CodeAge age) {
        if (up_) stage_.kill(*up_);
        up_ = up_ ? 1 - *up_ : 0;
        stage_.boot(*up_, Code{.age = age});
        stage_.run();
    }
    void start(const std::string& id, const std::string& program) {
        stage_.start(id, program);
        stage_.run();
    }
    void raise(const std::string& id) {
        stage_.client().raise(name(id),
                              kEvents[0],
                              Payload::text("m" + std::to_string(++messages_)),
                              "",
                              [](const Result<InstanceBrief>&) {});
        stage_.pass(Millis(50));
    }
    void release(const std::string& id) {
        Release part;
        part.name = name(id);
        ASSERT_TRUE(stage_.commit(part).done());
        stage_.pass(Millis(50));
    }
    bool is_held(const std::string& id) { return stage_.instance(id)->held; }
    static InstanceName name(const std::string& id) { return InstanceName{kSpace, id}; }
    /// The marks of its current execution, and the ways that it went.
    std::vector<std::string> patches(const std::string& id) {
        std::vector<std::string> found;
        for (const model::Event& event : stage_.history(id)) {
            if (const auto* mark = std::get_if<model::PatchMarked>(&event)) {
                found.push_back("mark " + mark->name);
            }
            if (const auto* retired = std::get_if<model::PatchRetired>(&event)) {
                found.push_back("retired " + retired->name);
            }
            if (const auto* status = std::get_if<model::CustomStatusSet>(&event)) {
                found.push_back(status->status.bytes);
            }
        }
        return found;
    }

    Stage stage_;
    std::optional<EndpointNo> up_;
    int messages_ = 0;
};

TEST_F(DeploysTest, ARunBegunWithoutAPatchGoesTheOldWayToTheEnd) {
    deploy(CodeAge::before_patches);
    start("order", "(g(p 0 0)(e 0 0)(p 0 0)(p 1 0))");
    deploy(CodeAge::with_patches);
    raise("order");
    EXPECT_EQ(stage_.status("order"), Status::completed);
    EXPECT_THAT(patches("order"),
                ElementsAre("old way at p0", "old way at p0", "mark p1", "new way at p1"));
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, ARunBegunWithAPatchGoesOnOnlyWhereThePatchIsKnown) {
    deploy(CodeAge::with_patches);
    start("order", kPatchTwice);
    const EventNo position = stage_.instance("order")->position;
    deploy(CodeAge::before_patches);
    raise("order");
    EXPECT_FALSE(is_held("order"));
    EXPECT_EQ(stage_.instance("order")->position, position);
    deploy(CodeAge::with_patches);
    stage_.pass(Policy().unregistered_backoff_max);
    EXPECT_EQ(stage_.status("order"), Status::completed);
    EXPECT_THAT(patches("order"), ElementsAre("mark p0", "new way at p0", "new way at p0"));
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, ARunThatFitsNobodyForLongIsHeldAndCountedAnewWhenReleased) {
    deploy(CodeAge::with_patches);
    start("order", kPatchTwice);
    deploy(CodeAge::before_patches);
    raise("order");
    const Policy policy = stage_.policy();
    stage_.pass(policy.patch_patience / 2);
    EXPECT_FALSE(is_held("order"));
    stage_.pass(policy.patch_patience / 2 + 2 * policy.unregistered_backoff_max);
    ASSERT_TRUE(is_held("order"));
    release("order");
    EXPECT_FALSE(is_held("order"));
    deploy(CodeAge::with_patches);
    stage_.pass(Policy().unregistered_backoff_max);
    EXPECT_EQ(stage_.status("order"), Status::completed);
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, ARetiredPatchIsStillReadAndMarkedAsRetired) {
    deploy(CodeAge::with_patches);
    start("marked", kPatchTwice);
    deploy(CodeAge::patches_retired);
    start("fresh", kPatchTwice);
    raise("marked");
    raise("fresh");
    EXPECT_EQ(stage_.status("marked"), Status::completed);
    EXPECT_EQ(stage_.status("fresh"), Status::completed);
    EXPECT_THAT(patches("marked"), ElementsAre("mark p0", "new way at p0", "new way at p0"));
    EXPECT_THAT(patches("fresh"), ElementsAre("retired p0", "new way at p0", "new way at p0"));
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, ARunWithARetiredPatchGoesOnWhereItIsStillAskedForOrForgotten) {
    for (const CodeAge age : {CodeAge::with_patches, CodeAge::patches_removed}) {
        const std::string order = "order " + std::string(to_string(age));
        deploy(CodeAge::patches_retired);
        start(order, kPatchTwice);
        deploy(age);
        raise(order);
        EXPECT_EQ(stage_.status(order), Status::completed) << order;
    }
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, ARunBegunWhereAPatchIsForgottenGoesOnWhereItIsRetired) {
    deploy(CodeAge::patches_removed);
    start("order", kPatchTwice);
    deploy(CodeAge::patches_retired);
    raise("order");
    EXPECT_EQ(stage_.status("order"), Status::completed);
    EXPECT_THAT(patches("order"), ElementsAre("new way at p0", "new way at p0"));
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, HoweverOftenItIsReleasedToBrokenCodeItIsHeldAgain) {
    deploy(CodeAge::with_patches);
    start("order", "(g(a 0 0)(e 0 0))");
    deploy(CodeAge::broken);
    raise("order");
    for (std::uint32_t i = 0; i < 2 * stage_.policy().max_attempts; ++i) {
        ASSERT_TRUE(is_held("order")) << i;
        release("order");
    }
    deploy(CodeAge::with_patches);
    release("order");
    EXPECT_EQ(stage_.status("order"), Status::completed);
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, ARunHeldByBrokenCodeCanBeCanceled) {
    deploy(CodeAge::with_patches);
    start("order", "(g(a 0 0)(e 0 0))");
    deploy(CodeAge::broken);
    raise("order");
    ASSERT_TRUE(is_held("order"));
    stage_.cancel("order");
    stage_.run();
    EXPECT_EQ(stage_.status("order"), Status::canceled);
    EXPECT_EQ(stage_.instance("order")->outcome->cleanup, Cleanup::skipped);
    EXPECT_EQ(stage_.problems(), "");
}

TEST_F(DeploysTest, ARunBegunByBrokenCodeIsHeldByTheRightOneAndCanBeFailed) {
    deploy(CodeAge::broken);
    start("order", "(g(a 0 0)(e 0 0))");
    deploy(CodeAge::with_patches);
    raise("order");
    ASSERT_TRUE(is_held("order"));
    Finish fail;
    fail.target = name("order");
    fail.held_only = true;
    fail.outcome.status = Status::failed;
    fail.outcome.failure = Failure{.kind = FailureKind::nondeterminism, .message = kHeldByHand};
    EXPECT_TRUE(stage_.commit(fail).done());
    EXPECT_EQ(stage_.status("order"), Status::failed);
    EXPECT_EQ(stage_.problems(), "");
}

// ---- Faults that must be found -----------------------------------------------------------------

/// A run that waits, at a process with patches.
class FoundTest : public DeploysTest {
protected:
    FoundTest() {
        deploy(CodeAge::with_patches);
        start("order", "(g(e 0 0))");
        stage_.kill(*up_);
    }
    /// Changes the run behind everyone's back, and lets the observer look.
    std::string found_after(const std::function<void(memory::Tables&, memory::Run&)>& change) {
        stage_.true_store().with_tables(
            [&](memory::Tables& t) { change(t, *memory::find_run(t, name("order"))); });
        stage_.commit(Sweep{1, "test"});
        return invariant();
    }
    std::string found_after(const std::vector<model::Event>& events) {
        return found_after([&](memory::Tables&, memory::Run& run) {
            std::vector<model::Event> turn{model::TurnStarted{stage_.true_store().now()}};
            turn.insert(turn.end(), events.begin(), events.end());
            RecordedRow row{run.position + 1, model::encode_events(turn)};
            run.position += turn.size();
            run.executions.back().history.push_back(std::move(row));
        });
    }
    std::string found_of(Part part) {
        stage_.true_store().with_tables([&](memory::Tables& t) {
            memory::find_run(t, name("order"))->lock =
                memory::Lock{kToken, Timestamp::max(), "e0", false};
        });
        EXPECT_TRUE(stage_.commit(std::move(part)).done());
        return invariant();
    }
    std::string invariant() {
        return stage_.violations().any() ? stage_.violations().first()->invariant : "nothing";
    }
    static model::Event way(const std::string& status) {
        return model::CustomStatusSet{Payload::text(status)};
    }
    static void hold(memory::Tables& tables, memory::Run& run) {
        run.held = true;
        memory::refresh(tables, run);
    }
    RunRef run() { return stage_.instance("order")->ref; }
    static constexpr LeaseToken kToken{1, 2};
};

TEST_F(FoundTest, TwoAnswersAtOnePatch) {
    EXPECT_EQ(found_after({way("old way at p0"), way("new way at p0")}),
              "an execution gets one answer at a patch");
}
TEST_F(FoundTest, ANewWayWithoutAMark) {
    EXPECT_EQ(found_after({way("new way at p0")}),
              "nobody goes on with a history that its code does not make");
}
TEST_F(FoundTest, AMarkThatComesLate) {
    EXPECT_EQ(found_after({way("old way at p0"), model::PatchMarked{"p0"}}),
              "a patch is marked before it is taken");
}
TEST_F(FoundTest, ARetiredPatchThatComesLate) {
    EXPECT_EQ(found_after({way("new way at p0"), model::PatchRetired{"p0"}}),
              "a patch is retired before it is taken");
}
TEST_F(FoundTest, ACallOfBrokenCodeWhereThereIsNone) {
    EXPECT_EQ(
        found_after({model::ActivityScheduled{2, "pack", "", Payload::text(kSpoiled), false}}),
        "nobody goes on with a history that its code does not make");
}
TEST_F(FoundTest, AHoldWithoutAReason) {
    EXPECT_EQ(found_of(Hold{run(), kToken, "it looks odd"}), "code and history agree");
}
TEST_F(FoundTest, AFailureWithoutAReason) {
    Finish finish;
    finish.target = std::pair(run(), kToken);
    finish.outcome.status = Status::failed;
    finish.outcome.failure.kind = FailureKind::nondeterminism;
    EXPECT_EQ(found_of(finish), "code and history agree");
}
TEST_F(FoundTest, PoisonThatNobodyTried) {
    Finish finish;
    finish.target = std::pair(run(), kToken);
    finish.outcome.status = Status::failed;
    finish.outcome.failure.kind = FailureKind::poison;
    EXPECT_EQ(found_of(finish), "only what was tried too often in vain is poison");
}
TEST_F(FoundTest, ATurnOfWhatIsHeld) {
    EXPECT_EQ(found_after(hold), "nothing");
    EXPECT_EQ(found_after({way("at last")}), "what is held makes no progress");
}
TEST_F(FoundTest, ACancelThatWaitsForWhatIsHeld) {
    EXPECT_EQ(found_after(hold), "nothing");
    EXPECT_EQ(found_after([](memory::Tables&, memory::Run& run) {
                  run.cancel = CancelRecord();
                  run.status = Status::canceling;
              }),
              "what is held is canceled at once, without its code");
}

}  // namespace
}  // namespace belay::sim::deploys_tests
