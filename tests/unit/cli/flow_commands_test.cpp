// Commands about runs of flows: cancels that are not settled, and events that are answered.
#include "flow/definition/bundle.hpp"
#include "unit/cli/commands_fixture.hpp"
#include <belay/client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace belay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kFlow = R"(
belay: 1
name: release
steps:
  - id: build
    script: make
  - id: confirm
    needs: [build]
    wait: {event: approved}
)";

class FlowCommandsTest : public CliCommandsTest {
protected:
    RunRef start(const std::string& id) {
        const auto bundle = flow::read_bundle(kFlow, [](std::string_view) { return std::nullopt; });
        EXPECT_TRUE(bundle.has_value());
        Client client(*fake.store, fake.clock);
        const auto started = client.start("release",
                                          Payload(PayloadCodec::json, "{}"),
                                          StartOptions().id(id).document(Payload(
                                              PayloadCodec::json, flow::write_bundle(*bundle))));
        EXPECT_TRUE(started.ok());
        return started->instance.run;
    }
    /// A program of the run begins. Its history is of no interest.
    ClaimedActivity begin_program(RunRef run) {
        ClaimInstances claim = op::claim_instance(LeaseToken{9, 1}, "w", Millis(1'000));
        claim.run = run;
        std::optional<ClaimedInstance> claimed;
        fake.store->claim(claim, [&](const Result<ClaimInstances::Answer>& answer) {
            claimed = answer->claimed.at(0);
        });
        Turn turn = op::turn(*claimed, HistoryRow{1, 1, "history"});
        NewActivity activity;
        activity.command = 1;
        activity.name = "belay.program";
        turn.activities.push_back(activity);
        turn.after = GoesOn();
        commit(std::move(turn));
        std::optional<ClaimedActivity> program;
        fake.store->claim(op::claim_activity(LeaseToken{8, 1}, "w", Millis(60'000)),
                          [&](const Result<ClaimActivities::Answer>& answer) {
                              program = answer->claimed.at(0);
                          });
        return *program;
    }
};

TEST_F(FlowCommandsTest, ACanceledFlowReadsCancelingUntilItsProgramsHaveStopped) {
    const ClaimedActivity program = begin_program(start("release-1"));
    ASSERT_EQ(run({"terminate", "release-1", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "release-1 is canceling\n");
    ASSERT_EQ(run({"cancel", "release-1"}), Exit::ok);
    EXPECT_EQ(out(), "release-1 is canceling; it had been canceled before\n");
    ASSERT_EQ(run({"list"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("canceling"));
    ASSERT_EQ(run({"list", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("status":"canceling")"));
    ASSERT_EQ(run({"show", "release-1"}), Exit::ok);
    EXPECT_THAT(out(), StartsWith("release-1  canceling\n"));
    ASSERT_EQ(run({"show", "release-1", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("status":"canceling")"));
    ASSERT_EQ(run({"tree", "release-1"}), Exit::ok);
    EXPECT_THAT(out(), StartsWith("release-1  canceling"));
    EXPECT_EQ(run({"wait", "release-1", "--timeout", "1ms"}), Exit::timed_out);

    commit(op::ack_activity(program, std::nullopt));
    ASSERT_EQ(run({"cancel", "release-1"}), Exit::ok);
    EXPECT_EQ(out(), "release-1 is canceled; it had ended before\n");
    ASSERT_EQ(run({"list"}), Exit::ok);
    EXPECT_THAT(out(), Not(HasSubstr("canceling")));
    ASSERT_EQ(run({"show", "release-1"}), Exit::ok);
    EXPECT_THAT(out(), StartsWith("release-1  canceled\n"));
    EXPECT_EQ(run({"wait", "release-1"}), Exit::failed);
}

TEST_F(FlowCommandsTest, ACanceledRunOfCodeReadsCanceledAtOnce) {
    Client client(*fake.store, fake.clock);
    const auto started = client.start("Order", Payload(), StartOptions().id("o1"));
    ASSERT_TRUE(started.ok());
    (void)begin_program(started->instance.run);
    ASSERT_EQ(run({"terminate", "o1", "--yes"}), Exit::ok);
    EXPECT_EQ(out(), "o1 is canceled\n");
    ASSERT_EQ(run({"list"}), Exit::ok);
    EXPECT_THAT(out(), Not(HasSubstr("canceling")));
    EXPECT_EQ(run({"wait", "o1"}), Exit::failed);
}

TEST_F(FlowCommandsTest, RaiseAnswersWhatAFlowDoesWithTheEvent) {
    (void)start("release-1");
    ASSERT_EQ(run({"raise", "release-1", "approved", "true"}), Exit::ok);
    EXPECT_EQ(out(), "approved is early: kept, because 'confirm' has not begun\n");
    ASSERT_EQ(run({"raise", "release-1", "approved", "false", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("sent":false,"answer":"already")"));
    ASSERT_EQ(run({"raise", "release-1", "approved", "false"}), Exit::ok);
    EXPECT_EQ(out(), "approved not sent: 'confirm' has its event already\n");
}

TEST_F(FlowCommandsTest, RaiseRefusesAnEventThatNoStepExpects) {
    (void)start("release-1");
    EXPECT_EQ(run({"raise", "release-1", "aproved", "true"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("'release-1' does not expect 'aproved': no step waits for"));
    EXPECT_THAT(err(), HasSubstr("--anyway"));
    ASSERT_EQ(run({"show", "release-1", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("messages":0)"));
    ASSERT_EQ(run({"raise", "release-1", "aproved", "true", "--anyway"}), Exit::ok);
    EXPECT_THAT(out(), StartsWith("aproved sent to release-1, where it is not expected"));
    ASSERT_EQ(run({"show", "release-1", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr(R"("messages":1)"));
}

TEST_F(FlowCommandsTest, RaiseForAllThatMatchLeavesOutThoseThatDoNotExpectIt) {
    (void)start("release-1");
    ASSERT_EQ(run({"start", "release", "--id", "other"}), Exit::ok);
    ASSERT_EQ(run({"raise", "aproved", "true", "--definition", "release", "--yes"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("1 instance reached"));
}

TEST_F(FlowCommandsTest, GraphListsTheItemsOfAStepOfARun) {
    (void)start("release-1");
    ASSERT_EQ(run({"graph", "release-1", "--items", "build", "--json"}), Exit::ok);
    EXPECT_EQ(out(), "") << "it is no map";
    EXPECT_EQ(run({"graph", "release-1", "--items", "nothing"}), Exit::not_found);
    EXPECT_THAT(err(), HasSubstr("the flow release has no step 'nothing'"));
}

}  // namespace
}  // namespace belay::cli
