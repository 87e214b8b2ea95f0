// Matchers, and what they say when they do not match.
#include "shop.hpp"
#include <belay/testing/matchers.hpp>

#include <stdexcept>

namespace belay::testing_tests {
namespace {

using ::testing::_;
using testing::Called;
using testing::CalledWith;
using testing::CanceledBy;
using testing::CleanedUp;
using testing::Completed;
using testing::Failed;
using ::testing::Gt;
using testing::HistoryHas;
using ::testing::Not;
using ::testing::StartsWith;
using testing::WasCanceled;

class Matchers : public ::testing::Test {
protected:
    Matchers() {
        world.add(Checkout, patient_checkout);
        world.replace(Charge, [](const std::string& order, int amount) {
            if (amount < 0 || order == "poor") throw std::runtime_error("no funds");
            return order;
        });
        world.replace(Refund, [](const std::string&) {});
    }
    /// Returns the explanation for a value that does not match.
    template <class T, class M>
    static std::string said(const T& value, M matcher) {
        ::testing::StringMatchResultListener listener;
        const bool matched = ::testing::ExplainMatchResult(matcher, value, &listener);
        EXPECT_FALSE(matched);
        return listener.str();
    }
    template <class T, class M>
    static std::string described(M matcher) {
        std::ostringstream out;
        ::testing::Matcher<T>(matcher).DescribeTo(&out);
        return out.str();
    }

    World world;
};

TEST_F(Matchers, MatchCompletedRuns) {
    const Ended<std::string> ended = world.run(Checkout, "rich");
    EXPECT_THAT(ended, Completed());
    EXPECT_THAT(ended, Completed("paid rich"));
    EXPECT_THAT(ended, Completed(StartsWith("paid")));
    EXPECT_THAT(ended, Not(Completed("something else")));
    EXPECT_THAT(ended, Not(Failed()));
    EXPECT_EQ(said(ended, Failed()), "which is completed \"paid rich\"");
}

TEST_F(Matchers, MatchFailedRuns) {
    const Ended<std::string> ended = world.run(Checkout, "poor");
    EXPECT_THAT(ended, Failed());
    EXPECT_THAT(ended, Failed("funds"));
    EXPECT_THAT(ended, Failed(FailureKind::application, "no funds"));
    EXPECT_THAT(ended, Failed(StartsWith("no")));
    EXPECT_THAT(ended, Not(Failed(FailureKind::limit, "no funds")));
    EXPECT_EQ(said(ended, Completed("paid")),
              "which is failed (application) no funds, in Charge, attempt 1 <std::runtime_error>");
    EXPECT_EQ(described<Ended<std::string>>(Failed("rain")),
              "failed (application) with a message that has substring \"rain\"");
}

TEST_F(Matchers, MatchCanceledRuns) {
    const InstanceName name = world.start(Checkout, "rich");
    world.run_until_idle();
    world.cancel(name, "too expensive", "ann");
    const Ended<std::string> ended = world.wait(Checkout, name);
    EXPECT_THAT(ended, WasCanceled());
    EXPECT_THAT(ended, CanceledBy("ann"));
    EXPECT_THAT(ended, CanceledBy("ann", "expensive"));
    EXPECT_THAT(ended, CanceledBy(_, StartsWith("too")));
    EXPECT_THAT(ended, CleanedUp());
    EXPECT_THAT(ended, Not(CanceledBy("bob")));
    EXPECT_EQ(said(ended, Completed()),
              "which is canceled by user ann: too expensive, cleanup done");
}

TEST_F(Matchers, MatchCalls) {
    (void)world.run(Checkout, "rich");
    (void)world.run(Checkout, "poor");
    EXPECT_THAT(world, Called(Charge));
    EXPECT_THAT(world, Called(Charge, 2));
    EXPECT_THAT(world, Called(Charge, Gt(1U)));
    EXPECT_THAT(world, Called(Refund, 1));
    EXPECT_THAT(world, CalledWith(Charge, "rich", 7));
    EXPECT_THAT(world, CalledWith(Charge, _, Gt(6)));
    EXPECT_THAT(world, Not(CalledWith(Charge, "rich", 8)));
    EXPECT_THAT(world, CalledWith(Refund, "poor"));
    EXPECT_EQ(said(world, Called(Charge, 3)),
              "in which it was called 2 times\n"
              "  Charge(\"rich\", 7) by 'Checkout-1'\n"
              "  Charge(\"poor\", 7) by 'Checkout-2'");
    EXPECT_EQ(said(world, CalledWith(Refund, "rich")),
              "in which the calls were\n  Refund(\"poor\") by 'Checkout-2'");
}

TEST_F(Matchers, MatchHistories) {
    const InstanceName name = world.start(Checkout, "rich");
    (void)world.wait(Checkout, name);
    const Timeline history = world.history(name);
    EXPECT_THAT(history, HistoryHas("ActivityScheduled #1 Charge"));
    EXPECT_THAT(
        history,
        HistoryHas(StartsWith("ActivityScheduled"), "CommandCompleted #1", "TimerScheduled"));
    EXPECT_THAT(history, Not(HistoryHas("TimerScheduled", "ActivityScheduled")));
    const std::string told = said(history, HistoryHas("ActivityScheduled", "Refund"));
    EXPECT_THAT(told,
                StartsWith("which has no event that has substring \"Refund\" behind those before "
                           "it:\n  1  TurnStarted"));
    EXPECT_THAT(told, HasSubstr("\n  3  ActivityScheduled #1 Charge (\"rich\", 7)"));
}

TEST_F(Matchers, PrintWhatTheyLookAt) {
    EXPECT_EQ(::testing::PrintToString(world.run(Checkout, "rich")),
              "a run that is completed \"paid rich\"");
    EXPECT_EQ(::testing::PrintToString(world), "a world in which activities were called 1 time");
}

}  // namespace
}  // namespace belay::testing_tests
