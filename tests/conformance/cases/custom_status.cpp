// The custom status of a run.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(custom_status)

namespace belay::conformance {
namespace {

BELAY_CASE(CustomStatus, NewRunHasNone) {
    const InstanceInfo fresh = info(start("a"));
    EXPECT_FALSE(fresh.custom_status);
    EXPECT_EQ(fresh.custom_status_version, 0U);
}

BELAY_CASE(CustomStatus, IsSetByATurn) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("packing");
    apply(turn);
    EXPECT_EQ(info(run).custom_status, Payload::text("packing"));
    EXPECT_EQ(info(run).custom_status_version, 1U);
}

BELAY_CASE(CustomStatus, TurnWithoutOneKeepsIt) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("packing");
    apply(turn);
    apply(next_turn(run));
    EXPECT_EQ(info(run).custom_status, Payload::text("packing"));
    EXPECT_EQ(info(run).custom_status_version, 1U);
}

BELAY_CASE(CustomStatus, VersionGrowsWithEachChange) {
    const RunRef run = start("a");
    for (std::uint64_t version = 1; version <= 4; ++version) {
        Turn turn = next_turn(run);
        turn.custom_status = Payload::text("step " + std::to_string(version / 2));
        apply(turn);
        EXPECT_EQ(info(run).custom_status_version, version);
    }
}

BELAY_CASE(CustomStatus, CanBeCleared) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("packing");
    apply(turn);
    Turn clearing = next_turn(run);
    clearing.custom_status = Payload();
    apply(clearing);
    const InstanceInfo after = info(run);
    EXPECT_EQ(after.custom_status.value_or(Payload()), Payload());
    EXPECT_EQ(after.custom_status_version, 2U);
}

BELAY_CASE(CustomStatus, EmptyTextIsAValue) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("");
    apply(turn);
    EXPECT_EQ(info(run).custom_status, Payload::text(""));
}

BELAY_CASE(CustomStatus, RefusedTurnDoesNotChangeIt) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("packing");
    turn.position = 9;
    EXPECT_TRUE(refused(commit(turn), Errc::position_moved));
    EXPECT_EQ(info(run).custom_status_version, 0U);
}

BELAY_CASE(CustomStatus, SurvivesTheEnd) {
    const RunRef run = start("a");
    Turn turn = ending(next_turn(run), completed());
    turn.custom_status = Payload::text("shipped");
    apply(turn);
    EXPECT_EQ(info(run).custom_status, Payload::text("shipped"));
}

BELAY_CASE(CustomStatus, RunsDoNotShareIt) {
    const RunRef a = start("a");
    const RunRef b = start("b");
    Turn turn = next_turn(a);
    turn.custom_status = Payload::text("packing");
    apply(turn);
    EXPECT_FALSE(info(b).custom_status);
}

}  // namespace
}  // namespace belay::conformance
