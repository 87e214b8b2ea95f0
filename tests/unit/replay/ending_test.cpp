// Endings: phases of an execution, and its outcome.
#include "replay/ending.hpp"

#include <gtest/gtest.h>

#include <string>

namespace belay::replay::ending_tests {
namespace {

using Phase = Ending::Phase;

class EndingTest : public ::testing::Test {
protected:
    static CancelRecord by_user() {
        return CancelRecord{.source = CancelSource::user, .by = "eve", .reason = "stop"};
    }
    static Failure broken() { return Failure{.message = "broken"}; }

    Identity identity{{"space", "run"}, 1, "Test", "1"};
    Limits limits;
    TurnClock clock;
    Journal journal{limits};
    Cancellation cancellation;
    Ending ending{identity, limits, clock, cancellation, journal};
};

TEST_F(EndingTest, CompletesWithItsOutput) {
    EXPECT_EQ(ending.phase(), Phase::running);
    ending.complete(Payload::text("done"));
    EXPECT_EQ(ending.phase(), Phase::code_ended);
    EXPECT_FALSE(ending.needs_rollback());
    ending.end({});
    EXPECT_EQ(ending.phase(), Phase::ended);
    EXPECT_EQ(ending.outcome()->status, Status::completed);
    EXPECT_EQ(ending.outcome()->output.bytes, "done");
    EXPECT_EQ(journal.recorded().size(), 1U);
}

TEST_F(EndingTest, IsCanceledWhateverTheCodeReturned) {
    ending.complete(Payload::text("done"));
    cancellation.request(by_user());
    EXPECT_TRUE(ending.needs_rollback());
    ending.end({});
    EXPECT_EQ(ending.outcome()->status, Status::canceled);
    EXPECT_EQ(ending.outcome()->cancel, by_user());
    EXPECT_EQ(ending.outcome()->cleanup, Cleanup::done);
}

TEST_F(EndingTest, FailsWithTheCompensationsThatFailed) {
    ending.fail(broken());
    ending.end({"Undo: no", "Refund: no"});
    EXPECT_EQ(ending.outcome()->status, Status::failed);
    EXPECT_EQ(ending.outcome()->failure.message, "broken");
    EXPECT_EQ(ending.outcome()->failure.detail, "compensation failed: Undo: no; Refund: no");
}

TEST_F(EndingTest, TakesAFailureAfterTheCancelForOneOfTheCleanup) {
    cancellation.request(by_user());
    ending.fail(broken());
    ending.end({});
    EXPECT_EQ(ending.outcome()->cleanup, Cleanup::failed);
    EXPECT_EQ(ending.outcome()->cleanup_detail, "broken");
}

TEST_F(EndingTest, TakesAFailureBeforeTheCancelForOneOfTheRun) {
    ending.fail(broken());
    cancellation.request(by_user());
    ending.end({});
    EXPECT_EQ(ending.outcome()->cleanup, Cleanup::done);
    EXPECT_EQ(ending.outcome()->cleanup_detail, "the run failed before the cancel: broken");
}

TEST_F(EndingTest, IsCanceledByTheCodeItself) {
    ending.cancel("enough");
    EXPECT_TRUE(ending.needs_rollback());
    ending.end({});
    EXPECT_EQ(ending.outcome()->status, Status::canceled);
    EXPECT_EQ(ending.outcome()->cancel.source, CancelSource::self);
    EXPECT_EQ(ending.outcome()->cancel.reason, "enough");
}

TEST_F(EndingTest, PrefersTheRequestOverACancelOfTheCode) {
    cancellation.request(by_user());
    ending.cancel("enough");
    ending.end({});
    EXPECT_EQ(ending.outcome()->cancel, by_user());
}

TEST_F(EndingTest, FailsIfTheCodeCancelsItselfForALongReason) {
    limits.reason_bytes = 3;
    ending.cancel("four");
    ending.end({});
    EXPECT_EQ(ending.outcome()->failure.kind, FailureKind::limit);
}

TEST_F(EndingTest, ContinuesWithAnInput) {
    ending.ask_to_continue(Payload::text("next"), "2");
    EXPECT_EQ(ending.phase(), Phase::running) << "the code is to be ended first";
    ending.end_code();
    ASSERT_TRUE(ending.can_continue());
    ending.continue_with(ending.take_asked_input());
    EXPECT_EQ(ending.phase(), Phase::continued);
    EXPECT_EQ(ending.continued()->bytes, "next");
    EXPECT_EQ(journal.recorded().size(), 2U) << "the version and the end";
}

TEST_F(EndingTest, DoesNotContinueWhenItIsCanceled) {
    ending.ask_to_continue(Payload::text("next"), "");
    ending.end_code();
    cancellation.request(by_user());
    EXPECT_FALSE(ending.can_continue());
}

}  // namespace
}  // namespace belay::replay::ending_tests
