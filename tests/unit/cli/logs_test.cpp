// The output of activities on the command line.
#include "cli/step_output.hpp"
#include "unit/cli/commands_fixture.hpp"
#include <belay/output.hpp>

#include <map>

namespace belay::cli {
namespace {

using namespace std::chrono_literals;

class LogsTest : public CliCommandsTest {
public:
    using CliCommandsTest::commit;

    /// A run with two activities that are running.
    void start_run() {
        NewInstance instance;
        instance.run = run_ref;
        instance.name = {"default", "r1"};
        instance.definition = "Nightly";
        commit(op::start(instance));
        Turn turn;
        turn.run = run_ref;
        turn.in_line = false;
        turn.history.count = 1;
        turn.history.bytes = "event";
        for (CommandNo command = 1; command <= 2; ++command) {
            NewActivity activity;
            activity.command = command;
            activity.name = "Work";
            activity.hand_over = NewActivity::HandOver{token(command), Millis(30'000), "worker"};
            turn.activities.push_back(activity);
        }
        commit(turn);
    }
    [[nodiscard]] static LeaseToken token(CommandNo command) { return LeaseToken{7, command}; }

    void say(CommandNo command,
             const std::string& source,
             OutputStream stream,
             const std::string& text,
             std::uint32_t attempt = 1) {
        AppendOutput part;
        part.activity = ActivityRef{run_ref, 1, command};
        part.token = token(command);
        part.attempt = attempt;
        part.source = source;
        part.before = said[{command, attempt}]++;
        part.chunks.push_back(output_chunk(stream, fake.clock.wall(), text));
        part.bounds = bounds;
        commit(part);
        fake.clock.advance(1s);
    }
    void say(const std::string& text) { say(1, "build", OutputStream::out, text); }

    const RunRef run_ref{shard_of("r1"), RunKey{3000}};
    std::map<std::pair<CommandNo, std::uint32_t>, std::uint64_t> said;
    OutputBounds bounds;
};

TEST_F(LogsTest, OfOneActivityIsPrintedAsItWasWritten) {
    start_run();
    say("one\n");
    say("t\x1b[31mwo");
    say(std::string("\0\n", 2));
    EXPECT_EQ(run({"logs", "r1"}), Exit::ok);
    EXPECT_EQ(out(), std::string("one\nt\x1b[31mwo\0\n", 14));
    EXPECT_EQ(err(), "");
}

TEST_F(LogsTest, OnATerminalNothingCanPlayWithIt) {
    start_run();
    fake.terminal.out_is_terminal = true;
    say("10%\r20%\r\x1b[1;32mdone\x1b[0m\r\nbell\a \x1b]0;title\x07\nno end");
    EXPECT_EQ(run({"logs", "r1"}), Exit::ok);
    EXPECT_EQ(out(), "done\nbell\\x07 \\x1b]0;title\\x07\nno end\n");
}

TEST_F(LogsTest, SeveralActivitiesAreTold) {
    start_run();
    say(1, "build", OutputStream::out, "compiling\nlin");
    say(2, "unit tests", OutputStream::err, "1 failed\n");
    say(1, "build", OutputStream::out, "king\n");
    EXPECT_EQ(run({"logs", "r1"}), Exit::ok);
    EXPECT_EQ(out(),
              "build      | compiling\n"
              "unit tests | 1 failed\n"
              "build      | linking\n");
    EXPECT_EQ(run({"logs", "r1", "--step", "unit tests"}), Exit::ok);
    EXPECT_EQ(out(), "1 failed\n");
}

TEST_F(LogsTest, AttemptsAreToldApart) {
    start_run();
    say(1, "build", OutputStream::out, "no\n");
    say(1, "build", OutputStream::out, "yes\n", 2);
    EXPECT_EQ(run({"logs", "r1"}), Exit::ok);
    EXPECT_EQ(out(), "build   | no\nbuild#2 | yes\n");
    EXPECT_EQ(run({"logs", "r1", "--attempt", "2"}), Exit::ok);
    EXPECT_EQ(out(), "yes\n");
}

TEST_F(LogsTest, AStepOfSeveralItemsIsAllOfThem) {
    start_run();
    say(1, "backup[0]", OutputStream::out, "a\n");
    say(2, "backup[1]", OutputStream::out, "b\n");
    EXPECT_EQ(run({"logs", "r1", "--step", "backup"}), Exit::ok);
    EXPECT_EQ(out(), "backup[0] | a\nbackup[1] | b\n");
    EXPECT_EQ(run({"logs", "r1", "--step", "backup[1]"}), Exit::ok);
    EXPECT_EQ(out(), "b\n");
    EXPECT_EQ(run({"logs", "r1", "--step", "back"}), Exit::not_found);
    EXPECT_NE(err().find("these have written: backup[0], backup[1]"), std::string::npos) << err();
}

TEST(StepOutput, ChildrenBelongToTheStepThatStartedThem) {
    EXPECT_EQ(prefixed("", "say"), "say");
    EXPECT_EQ(prefixed("kids-1", "say"), "kids-1/say");
    EXPECT_EQ(prefixed("a/kids-1", "say[2]"), "a/kids-1/say[2]");
    EXPECT_EQ(prefixed("dump-2", "dump[1017]"), "dump[1017]");
    for (const char* const source : {"kids", "kids[1]", "kids/say", "kids-1/say", "kids-12/say"}) {
        EXPECT_TRUE(is_output_of(source, "kids")) << source;
    }
    for (const char* const source : {"kidsx", "kids-/say", "kids-x/say", "kids-1", "say"}) {
        EXPECT_FALSE(is_output_of(source, "kids")) << source;
    }
    EXPECT_TRUE(is_output_of("kids-1/say", "kids[1]"));
    EXPECT_FALSE(is_output_of("kids-12/say", "kids[1]"));
    EXPECT_TRUE(is_output_of("kids-1/say", "kids-1/say"));
}

TEST_F(LogsTest, LinesCanHaveTheirTimes) {
    start_run();
    say("one\ntwo\n");
    EXPECT_EQ(run({"logs", "r1", "--timestamps"}), Exit::ok);
    const std::string text = out();
    EXPECT_EQ(text.find("Z one\n"), std::string("2026-11-15T16:09:12.345").size()) << text;
    EXPECT_NE(text.find("Z two\n"), std::string::npos);
}

TEST_F(LogsTest, AGapIsSaid) {
    start_run();
    bounds.first_bytes = 2 + OutputBounds::kChunk;
    bounds.last_bytes = 2 + OutputBounds::kChunk;
    for (const char* line : {"a\n", "b\n", "c\n", "d\n"}) say(line);
    EXPECT_EQ(run({"logs", "r1"}), Exit::ok);
    EXPECT_EQ(out(), "a\n... 2 lines (4 B) left out ...\nd\n");
    EXPECT_EQ(run({"logs", "r1", "--json"}), Exit::ok);
    EXPECT_NE(out().find("\"left_out_lines\":2,\"left_out_bytes\":4"), std::string::npos) << out();
}

TEST_F(LogsTest, JsonHasAPieceOnEachLine) {
    start_run();
    say(1, "build", OutputStream::err, "one\n");
    say("\xff");
    EXPECT_EQ(run({"logs", "r1", "--json"}), Exit::ok);
    EXPECT_NE(out().find("{\"execution\":1,\"command\":1,\"attempt\":1,\"source\":\"build\","
                         "\"stream\":\"err\",\"at\":\""),
              std::string::npos)
        << out();
    EXPECT_NE(out().find("\"text\":\"one\\n\"}\n"), std::string::npos);
    EXPECT_NE(out().find("\"base64\":\"/w==\"}\n"), std::string::npos);
}

TEST_F(LogsTest, AttemptsThatAreNotKeptAreCounted) {
    start_run();
    bounds.attempts = 1;
    say(1, "build", OutputStream::out, "no\n");
    say(1, "build", OutputStream::out, "yes\n", 2);
    EXPECT_EQ(run({"logs", "r1"}), Exit::ok);
    EXPECT_EQ(out(), "yes\n");
    EXPECT_EQ(err(), "the output of 1 attempt is not kept any more\n");
}

TEST_F(LogsTest, FollowingGoesOnUntilNothingRuns) {
    start_run();
    say("one\n");
    static LogsTest* self = nullptr;
    static int looks = 0;
    self = this;
    looks = 0;
    fake.terminal.pause = [](Millis) {
        if (++looks == 1) self->say("two\n");
        if (looks == 2) {
            self->commit(op::cancel({"default", "r1"}, "enough", Millis(1000)));
            self->commit(op::terminate({"default", "r1"}, "ops", "enough"));
            self->say("three\n");
        }
        if (looks == 3) {
            self->say("four\n");
            for (const CommandNo command : {1U, 2U}) {
                self->commit(AckActivity{
                    ActivityRef{self->run_ref, 1, command}, token(command), std::nullopt});
            }
        }
        return looks < 10;
    };
    EXPECT_EQ(run({"logs", "r1", "--follow"}), Exit::ok);
    EXPECT_EQ(out(), "one\ntwo\nthree\nfour\n");
    EXPECT_EQ(looks, 3);
}

TEST_F(LogsTest, NothingWrittenIsNothingPrinted) {
    start_run();
    EXPECT_EQ(run({"logs", "r1"}), Exit::ok);
    EXPECT_EQ(out(), "");
    EXPECT_EQ(run({"logs", "nobody"}), Exit::not_found);
}

}  // namespace
}  // namespace belay::cli
