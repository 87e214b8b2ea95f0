// Payloads too long for their rows: their place, and their removal.
#include "store/sqlite/payloads.hpp"

#include "fixture.hpp"

#include <array>
#include <utility>

namespace belay::sqlite {
namespace {

class PayloadsOfAFile : public SqliteStoreTest {
protected:
    static constexpr std::size_t kShort = kInlineBytes;
    static constexpr std::size_t kLong = kInlineBytes + 1;
    /// Sizes of what takes the place of the one before, and how many rows of `large` there are
    /// then.
    static constexpr std::array kOneAfterTheOther{std::pair(kLong, "1"),
                                                  std::pair(kShort, "0"),
                                                  std::pair(4 * kShort, "1"),
                                                  std::pair(kLong, "1"),
                                                  std::pair(std::size_t{1}, "0")};

    static Payload of_size(std::size_t size) { return Payload::text(std::string(size, 'p')); }
    /// A run, its custom status and an activity of it, each with so many bytes.
    static RunRef start_with(Driver& driver, std::size_t size) {
        NewInstance made = driver.instance("of " + std::to_string(size));
        made.input = of_size(size);
        Turn turn = Driver::first_turn(made.run, 1);
        turn.activities[0].input = of_size(size);
        turn.custom_status = of_size(size);
        EXPECT_TRUE(driver.commit(op::start(made), turn).done());
        return made.run;
    }
    static Turn turn_at(RunRef run, ExecutionNo execution, EventNo position) {
        Turn turn;
        turn.run = run;
        turn.execution = execution;
        turn.position = position;
        turn.history = Driver::events(1);
        return turn;
    }
    [[nodiscard]] std::string spilled() { return ask("select count(*) from large"); }
};

TEST_F(PayloadsOfAFile, OnlyWhatIsTooLongForItsRowIsElsewhere) {
    const auto store = open();
    Driver driver(*store, 1);
    for (const std::size_t size : {kShort - 1, kShort}) start_with(driver, size);
    EXPECT_EQ(spilled(), "0");
    for (const std::size_t size : {kLong, 4 * kShort}) start_with(driver, size);
    EXPECT_EQ(spilled(), "6");
}

TEST_F(PayloadsOfAFile, AShorterCustomStatusLeavesNothingOfALongerOne) {
    const auto store = open();
    Driver driver(*store, 1);
    const RunRef run = driver.start_running("a");
    EventNo position = 1;
    for (const auto& [size, rows] : kOneAfterTheOther) {
        Turn turn = turn_at(run, 1, position++);
        turn.custom_status = of_size(size);
        ASSERT_TRUE(driver.commit(turn).done());
        EXPECT_EQ(spilled(), rows) << size;
        EXPECT_TRUE(driver.find("a").value().custom_status == of_size(size)) << size;
    }
}

TEST_F(PayloadsOfAFile, AShorterInputOfTheNextExecutionLeavesNothingOfALongerOne) {
    const auto store = open();
    Driver driver(*store, 1);
    const RunRef run = driver.start_running("a");
    ExecutionNo execution = 1;
    for (const auto& [size, rows] : kOneAfterTheOther) {
        Turn turn = turn_at(run, execution, execution == 1 ? 1 : 0);
        turn.after = ContinuesAsNew{of_size(size), "1"};
        ASSERT_TRUE(driver.commit(turn).done());
        ++execution;
        EXPECT_EQ(spilled(), rows) << size;
        EXPECT_TRUE(driver.find("a").value().input == of_size(size)) << size;
    }
}

TEST_F(PayloadsOfAFile, NothingIsLeftOfActivitiesThatAreOverAndOfARunThatIsDeleted) {
    const auto store = open();
    Driver driver(*store, 1);
    const RunRef run = start_with(driver, kLong);
    EXPECT_EQ(spilled(), "3");
    Turn turn = turn_at(run, 1, 1);
    Outcome outcome;
    outcome.output = of_size(kLong);
    turn.after = Ends{outcome, std::nullopt};
    ASSERT_TRUE(driver.commit(turn).done());
    EXPECT_EQ(spilled(), "3") << "its outcome, and the activity is gone";
    EXPECT_EQ(ask("select count(*) from large where part = 4"), "0");
    const std::string id = "of " + std::to_string(kLong);
    ASSERT_TRUE(driver.commit(op::force_delete(Driver::name(id))).done());
    EXPECT_EQ(spilled(), "0");
}

}  // namespace
}  // namespace belay::sqlite
