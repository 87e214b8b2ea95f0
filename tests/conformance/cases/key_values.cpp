// The key-values of a run.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(key_values)

namespace belay::conformance {
namespace {

KeyValueChange set(std::string key, std::string value) {
    KeyValueChange change;
    change.key = std::move(key);
    change.value = Payload::text(std::move(value));
    return change;
}

KeyValueChange clear(std::string key = "") {
    KeyValueChange change;
    change.key = std::move(key);
    return change;
}

std::map<std::string, Payload> texts(std::map<std::string, std::string> values) {
    std::map<std::string, Payload> made;
    for (auto& [key, value] : values) made.emplace(key, Payload::text(value));
    return made;
}

BELAY_CASE(KeyValues, NewRunHasNone) {
    EXPECT_TRUE(key_values(start("a")).empty());
    EXPECT_TRUE(key_values(fresh_run("b")).empty());
}

BELAY_CASE(KeyValues, AreSetAndOverwritten) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.key_values = {set("x", "1"), set("y", "2")};
    apply(turn);
    EXPECT_EQ(key_values(run), texts({{"x", "1"}, {"y", "2"}}));
    Turn next = next_turn(run);
    next.key_values = {set("x", "3")};
    apply(next);
    EXPECT_EQ(key_values(run), texts({{"x", "3"}, {"y", "2"}}));
}

BELAY_CASE(KeyValues, OneIsCleared) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.key_values = {set("x", "1"), set("y", "2")};
    apply(turn);
    Turn next = next_turn(run);
    next.key_values = {clear("x"), clear("never set")};
    apply(next);
    EXPECT_EQ(key_values(run), texts({{"y", "2"}}));
}

BELAY_CASE(KeyValues, AllAreCleared) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.key_values = {set("x", "1"), set("y", "2")};
    apply(turn);
    Turn next = next_turn(run);
    next.key_values = {clear()};
    apply(next);
    EXPECT_TRUE(key_values(run).empty());
}

BELAY_CASE(KeyValues, ChangesApplyInOrder) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.key_values = {
        set("x", "1"), clear(), set("y", "2"), set("z", "3"), clear("z"), set("y", "4")};
    apply(turn);
    EXPECT_EQ(key_values(run), texts({{"y", "4"}}));
}

BELAY_CASE(KeyValues, EmptyValueIsNotAbsent) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    KeyValueChange none;
    none.key = "none";
    none.value = Payload();
    turn.key_values = {set("empty", ""), none};
    apply(turn);
    const auto values = key_values(run);
    ASSERT_EQ(values.size(), 2U);
    EXPECT_EQ(values.at("empty"), Payload::text(""));
    EXPECT_EQ(values.at("none"), Payload());
}

BELAY_CASE(KeyValues, KeysOfAnyCharacters) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.key_values = {set("a'b", "1"), set("a%", "2"), set("Ünï", "3"), set("A%", "4")};
    apply(turn);
    Turn next = next_turn(run);
    next.key_values = {clear("a%")};
    apply(next);
    EXPECT_EQ(key_values(run), texts({{"a'b", "1"}, {"Ünï", "3"}, {"A%", "4"}}));
}

BELAY_CASE(KeyValues, RunsDoNotShareThem) {
    const RunRef a = start("a");
    const RunRef b = start("b");
    Turn turn = next_turn(a);
    turn.key_values = {set("x", "1")};
    apply(turn);
    Turn other = next_turn(b);
    other.key_values = {clear(), set("x", "2")};
    apply(other);
    EXPECT_EQ(key_values(a), texts({{"x", "1"}}));
    EXPECT_EQ(key_values(b), texts({{"x", "2"}}));
}

BELAY_CASE(KeyValues, CrossExecutionsAreOverwrittenAndRemoved) {
    const RunRef run = start("a");
    Turn first = continuing(next_turn(run));
    first.key_values = {set("x", "1"), set("y", "1")};
    apply(first);
    Turn second = continuing(next_turn(run));
    second.key_values = {set("x", "2"), clear("y")};
    apply(second);
    EXPECT_EQ(key_values(run), texts({{"x", "2"}}));
    Turn third = next_turn(run);
    third.key_values = {set("y", "3")};
    apply(third);
    EXPECT_EQ(key_values(run), texts({{"x", "2"}, {"y", "3"}}));
}

BELAY_CASE(KeyValues, SurviveTheEndAndGoWithTheInstance) {
    const RunRef run = start("a");
    Turn turn = ending(next_turn(run), completed());
    turn.key_values = {set("x", "1")};
    apply(turn);
    EXPECT_EQ(key_values(run), texts({{"x", "1"}}));
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(key_values(run).empty());
}

BELAY_CASE(KeyValues, RecreatedInstanceHasNone) {
    const RunRef old = start("a");
    Turn turn = next_turn(old);
    turn.key_values = {set("x", "1")};
    apply(turn);
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(key_values(start("a")).empty());
}

BELAY_CASE(KeyValues, LargeValuesAreKept) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.key_values = {set("big", std::string(100'000, 'x'))};
    apply(turn);
    EXPECT_EQ(key_values(run).at("big").bytes.size(), 100'000U);
}

BELAY_CASE(KeyValues, RefusedTurnChangesNothing) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.key_values = {set("x", "1")};
    turn.execution = 2;
    EXPECT_TRUE(refused(commit(turn), Errc::position_moved));
    EXPECT_TRUE(key_values(run).empty());
}

}  // namespace
}  // namespace belay::conformance
