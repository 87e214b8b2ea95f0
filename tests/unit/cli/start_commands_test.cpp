// Commands about the terms of starts, cancels that expect a definition, and pauses.
#include "unit/cli/commands_fixture.hpp"

#include <gmock/gmock.h>

namespace belay::cli {
namespace {

using ::testing::HasSubstr;

TEST_F(CliCommandsTest, StartHasTermsAndShowTellsThem) {
    ASSERT_EQ(run({"start",
                   "Order",
                   "--id",
                   "o1",
                   "--key",
                   "once",
                   "--priority",
                   "-2",
                   "--expires",
                   "1h",
                   "--deadline",
                   "2h",
                   "--concurrency-key",
                   "city"}),
              Exit::ok);
    ASSERT_EQ(run({"show", "o1"}), Exit::ok);
    for (const char* text : {"once", "-2", "city", "expires", "deadline"}) {
        EXPECT_THAT(out(), HasSubstr(text));
    }
    ASSERT_EQ(run({"show", "o1", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("\"key\":\"once\""));
    EXPECT_THAT(out(), HasSubstr("\"concurrency_key\":\"city\",\"in_line\":false"));
    EXPECT_EQ(run({"start", "Order", "--id", "o2", "--concurrency-key", "city"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("--when-busy"));
    ASSERT_EQ(
        run({"start", "Order", "--id", "o2", "--concurrency-key", "city", "--when-busy", "queue"}),
        Exit::ok);
    ASSERT_EQ(run({"show", "o2"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("waits in line"));
    EXPECT_EQ(run({"start", "Order", "--when-busy", "queue"}), Exit::usage);
    EXPECT_EQ(run({"start", "Order", "--priority", "high"}), Exit::usage);
}

TEST_F(CliCommandsTest, StartMayHaveARate) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1", "--rate", "1/1h"}), Exit::ok);
    EXPECT_EQ(run({"start", "Order", "--id", "o2", "--rate", "1/1h"}), Exit::refused);
    EXPECT_THAT(err(), HasSubstr("--when-over"));
    EXPECT_THAT(err(), HasSubstr("can be started in"));
    ASSERT_EQ(run({"start", "Order", "--id", "o2", "--rate", "1/1h", "--when-over", "queue"}),
              Exit::ok);
    ASSERT_EQ(run({"show", "o2"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("no turn before"));
    ASSERT_EQ(run({"start", "Order", "--id", "o3", "--rate", "1/1h", "--when-over", "drop"}),
              Exit::ok);
    ASSERT_EQ(run({"show", "o3"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("dropped: more than 1 run within"));
    EXPECT_EQ(run({"start", "Order", "--rate", "often"}), Exit::usage);
    EXPECT_EQ(run({"start", "Order", "--rate", "0/1s"}), Exit::usage);
    EXPECT_EQ(run({"start", "Order", "--when-over", "drop"}), Exit::usage);
}

TEST_F(CliCommandsTest, CancelOfANamedInstanceMayExpectItsDefinition) {
    ASSERT_EQ(run({"start", "Order", "--id", "o1"}), Exit::ok);
    EXPECT_EQ(run({"cancel", "o1", "--definition", "Import"}), Exit::not_found);
    EXPECT_EQ(run({"cancel", "o1", "--definition", "Order"}), Exit::ok);
    EXPECT_EQ(run({"cancel", "o1", "--definition", "Order", "--status", "running"}), Exit::usage);
}

TEST_F(CliCommandsTest, QueuesAndDefinitionsArePausedAndResumed) {
    ASSERT_EQ(run({"queues", "pause", "--queue", "bank", "--reason", "it is down"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("queue 'bank' is paused"));
    ASSERT_EQ(run({"queues", "pause", "--definition", "Import"}), Exit::ok);
    ASSERT_EQ(run({"queues"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("queue 'bank'"));
    EXPECT_THAT(out(), HasSubstr("it is down"));
    EXPECT_THAT(out(), HasSubstr("definition 'Import'"));
    ASSERT_EQ(run({"queues", "--json"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("\"paused\":[{\"queue\":\"bank\""));
    ASSERT_EQ(run({"queues", "resume", "--queue", "bank"}), Exit::ok);
    ASSERT_EQ(run({"queues", "resume", "--queue", "bank"}), Exit::ok);
    EXPECT_THAT(out(), HasSubstr("it was not paused"));
    EXPECT_EQ(run({"queues", "pause", "--queue", "a", "--definition", "b"}), Exit::usage);
}

}  // namespace
}  // namespace belay::cli
