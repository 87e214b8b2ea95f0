// The commands of schedules, on a store without workers.
#include "unit/cli/commands_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace belay::cli {
namespace {

class SchedulesCommandsTest : public CliCommandsTest {
protected:
    /// Runs a command of schedules with nothing said before.
    Exit schedules(std::vector<std::string> words) {
        fake.out.str("");
        fake.err.str("");
        words.insert(words.begin(), "schedules");
        return run(words);
    }
    [[nodiscard]] bool says(const std::string& text) const {
        return out().find(text) != std::string::npos;
    }
    void add_nightly() {
        ASSERT_EQ(schedules({"add",
                             "nightly",
                             "--cron",
                             "15 3 * * *",
                             "--zone",
                             "Europe/Brussels",
                             "--definition",
                             "Import",
                             "--input",
                             "in.csv",
                             "--input",
                             "7"}),
                  Exit::ok)
            << err();
    }
};

TEST_F(SchedulesCommandsTest, NextNeedsNoStoreAndTellsLocalTimes) {
    fake.store = nullptr;
    ASSERT_EQ(schedules({"next",
                         "--cron",
                         "0 9 * * mon-fri",
                         "--zone",
                         "Europe/Brussels",
                         "--after",
                         "2026-11-20T12:00:00Z",
                         "--count",
                         "2"}),
              Exit::ok)
        << err();
    EXPECT_EQ(out(),
              "2026-11-23T08:00:00.000Z  2026-11-23 09:00 Europe/Brussels\n"
              "2026-11-24T08:00:00.000Z  2026-11-24 09:00 Europe/Brussels\n");
}

TEST_F(SchedulesCommandsTest, ABadExpressionIsNamedWithItsPlace) {
    EXPECT_NE(schedules({"next", "--cron", "0 25 * * *"}), Exit::ok);
    EXPECT_NE(err().find("character 3"), std::string::npos) << err();
}

TEST_F(SchedulesCommandsTest, AnAddedScheduleIsListedAndShown) {
    add_nightly();
    ASSERT_EQ(schedules({"list"}), Exit::ok);
    EXPECT_TRUE(says("nightly")) << out();
    EXPECT_TRUE(says("active")) << out();
    ASSERT_EQ(schedules({"show", "nightly"}), Exit::ok);
    EXPECT_TRUE(says(R"("cron":"15 3 * * *")")) << out();
    EXPECT_TRUE(says(R"("input":{"$arguments":["in.csv",7]})")) << out();
    EXPECT_TRUE(says("03:15 Europe/Brussels")) << out();
    ASSERT_EQ(schedules({"show", "nightly", "--json"}), Exit::ok);
    EXPECT_TRUE(says(R"("state":"active")")) << out();
}

TEST_F(SchedulesCommandsTest, AllProblemsAreNamedAndNothingIsAdded) {
    EXPECT_NE(schedules({"add", "x", "--cron", "* * * *", "--zone", "Mars/Base"}), Exit::ok);
    for (const char* const part : {"cron", "Mars/Base", "definition"}) {
        EXPECT_NE(err().find(part), std::string::npos) << part << " in " << err();
    }
    ASSERT_EQ(schedules({"list", "--json"}), Exit::ok);
    EXPECT_EQ(out(), "");
}

TEST_F(SchedulesCommandsTest, AnIntervalInThePlaceOfAFilesCron) {
    add_nightly();
    EXPECT_EQ(schedules({"update", "nightly", "--every", "1h", "--definition", "Import"}), Exit::ok)
        << err();
    EXPECT_EQ(
        schedules(
            {"update", "nightly", "--every", "1h", "--at", "2030-01-01", "--definition", "Import"}),
        Exit::usage)
        << err();
}

TEST_F(SchedulesCommandsTest, ChangesAreSentAndUnknownNamesAreNot) {
    add_nightly();
    for (const char* const word : {"pause", "resume", "run"}) {
        EXPECT_EQ(schedules({word, "nightly", "--reason", "why not"}), Exit::ok) << err();
        EXPECT_EQ(schedules({word, "weekly"}), Exit::not_found);
    }
    EXPECT_EQ(schedules({"backfill", "nightly", "--from", "2026-11-01", "--to", "2026-11-03"}),
              Exit::ok)
        << err();
    EXPECT_EQ(schedules({"backfill", "nightly", "--from", "2026-11-01"}), Exit::usage);
    EXPECT_EQ(schedules({"show", "weekly"}), Exit::not_found);
}

TEST_F(SchedulesCommandsTest, ARemovalAsksFirst) {
    add_nightly();
    EXPECT_EQ(schedules({"remove", "nightly"}), Exit::refused);
    EXPECT_EQ(schedules({"remove", "nightly", "--yes"}), Exit::ok) << err();
    EXPECT_EQ(schedules({"show", "nightly"}), Exit::not_found);
}

TEST_F(SchedulesCommandsTest, SchedulesBelongToANamespace) {
    ASSERT_EQ(schedules({"add", "s", "--every", "1h", "--definition", "X", "--space", "eu"}),
              Exit::ok)
        << err();
    EXPECT_EQ(schedules({"show", "s"}), Exit::not_found);
    EXPECT_EQ(schedules({"show", "s", "--space", "eu"}), Exit::ok);
}

TEST_F(SchedulesCommandsTest, AdviceIsAboutSchedules) {
    add_nightly();
    EXPECT_EQ(schedules({"add", "nightly", "--every", "1h", "--definition", "X"}), Exit::refused);
    EXPECT_NE(err().find("'belay schedules update' changes it"), std::string::npos) << err();
    EXPECT_EQ(schedules({"pause", "weekly"}), Exit::not_found);
    EXPECT_NE(err().find("'belay schedules' lists them"), std::string::npos) << err();
}

TEST_F(SchedulesCommandsTest, AChangeThatNoWorkerHasTakenIsShown) {
    add_nightly();
    ASSERT_EQ(schedules({"show", "nightly"}), Exit::ok);
    EXPECT_FALSE(says("for a worker")) << out();
    ASSERT_EQ(schedules({"update", "nightly", "--every", "1h", "--definition", "X"}), Exit::ok);
    ASSERT_EQ(schedules({"show", "nightly"}), Exit::ok);
    EXPECT_TRUE(says("1 change waits for a worker")) << out();
    ASSERT_EQ(schedules({"pause", "nightly"}), Exit::ok);
    ASSERT_EQ(schedules({"show", "nightly", "--json"}), Exit::ok);
    EXPECT_TRUE(says(R"("changes":2)")) << out();
}

TEST_F(SchedulesCommandsTest, NextSaysIfThereIsNoTimeLeft) {
    ASSERT_EQ(schedules({"next", "--at", "2020-01-01", "--after", "2026-11-20"}), Exit::ok);
    EXPECT_EQ(out(), "no time after 2026-11-20T00:00:00.000Z\n");
    EXPECT_EQ(schedules({"next", "--at", "2030-01-01", "--zone", "Europe/Brussels"}), Exit::usage);
    EXPECT_NE(err().find("have their own offset"), std::string::npos) << err();
}

TEST_F(SchedulesCommandsTest, NextOfAScheduleHasItsJitter) {
    add_nightly();
    const std::vector<std::string> next{"next", "nightly", "--after", "2026-11-20", "--count", "1"};
    ASSERT_EQ(schedules(next), Exit::ok) << err();
    EXPECT_EQ(out(), "2026-11-20T02:15:00.000Z  2026-11-20 03:15 Europe/Brussels\n");
    std::vector<std::string> jittered = next;
    jittered.insert(jittered.end(), {"--jitter", "30m"});
    ASSERT_EQ(schedules(jittered), Exit::ok) << err();
    EXPECT_TRUE(says("03:15 Europe/Brussels, starts 2026-11-20T02:")) << out();
    EXPECT_EQ(schedules({"next", "--every", "1h", "--jitter", "30m"}), Exit::usage);
}

}  // namespace
}  // namespace belay::cli
