// The output of a program while it runs.
#include "flow/steps/written_output.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace belay::flow {
namespace {

using ::testing::ElementsAre;

class Lines final : public OutputLog {
public:
    void add(const OutputLine& line) override {
        all.push_back(line);
        texts.push_back((line.stream == ProgramStream::error ? "err:" : "out:") + line.text +
                        (line.unended ? "~" : ""));
    }
    std::vector<OutputLine> all;
    std::vector<std::string> texts;
};

class Failing final : public OutputLog {
public:
    void add(const OutputLine& /*line*/) override { throw std::runtime_error("full"); }
};

class WrittenOutputTest : public ::testing::Test {
protected:
    void out(std::string_view bytes) { written.wrote(ProgramStream::output, bytes); }
    void err(std::string_view bytes) { written.wrote(ProgramStream::error, bytes); }

    Masker masker{{"hunter2"}};
    std::shared_ptr<Lines> log = std::make_shared<Lines>();
    std::vector<std::string> progress;
    WrittenOutput written{
        masker, system_clock(), log, [this](const std::string& json) { progress.push_back(json); }};
};

TEST_F(WrittenOutputTest, LinesAreLoggedWhenTheyAreComplete) {
    out("one\ntw");
    EXPECT_THAT(log->texts, ElementsAre("out:one"));
    err("error\n");
    out("o\n\n");
    out("rest");
    EXPECT_THAT(log->texts, ElementsAre("out:one", "err:error", "out:two", "out:"));
    written.finish();
    EXPECT_EQ(log->texts.back(), "out:rest~");
    EXPECT_NE(log->all.front().at, Timestamp());
}

TEST_F(WrittenOutputTest, ASecretThatComesInPiecesIsMaskedInLinesProgressAndDetail) {
    err("key is hun");
    EXPECT_EQ(progress.back(), R"({"line":"key is","out":0,"err":10})");
    err("ter");
    err("2!\n");
    EXPECT_THAT(log->texts, ElementsAre("err:key is ***!"));
    EXPECT_EQ(progress.back(), R"({"line":"key is ***!","out":0,"err":16})");
    EXPECT_EQ(written.end_of(ProgramStream::error), "key is ***!\n");
    EXPECT_EQ(written.last_line(ProgramStream::error), "key is ***!");
}

TEST_F(WrittenOutputTest, TheLastLineIsShownBeforeItIsComplete) {
    out("done: 10 %\rdone: 20 %\r");
    EXPECT_EQ(progress.back(), R"({"line":"done: 20 %","out":22,"err":0})");
    EXPECT_TRUE(log->texts.empty());
    err("warning\n\n");
    EXPECT_EQ(progress.back(), R"({"line":"warning","out":22,"err":9})");
    EXPECT_EQ(written.last_line(ProgramStream::error), "warning") << "blank lines do not count";
}

TEST_F(WrittenOutputTest, AVeryLongLineIsCutBetweenCharacters) {
    const std::string begin(kLongestLine - 1, 'x');
    out(begin + "\xC3\xA9" + std::string(2 * kLongestLine, 'y') + "\n");
    ASSERT_EQ(log->all.size(), 4U);
    EXPECT_EQ(log->all[0].text, begin);
    EXPECT_TRUE(log->all[0].unended);
    EXPECT_EQ(log->all[1].text, "\xC3\xA9" + std::string(kLongestLine - 2, 'y'));
    EXPECT_EQ(log->all[3].text, "yy");
    EXPECT_FALSE(log->all[3].unended);
}

TEST_F(WrittenOutputTest, TheDetailIsTheEndOfALongOutput) {
    for (int i = 0; i < 10'000; ++i) out("line " + std::to_string(i) + "\n");
    const std::string end = written.end_of(ProgramStream::output);
    EXPECT_EQ(end.size(), kDetailBytes + 3);
    EXPECT_TRUE(end.starts_with("..."));
    EXPECT_TRUE(end.ends_with("line 9999\n"));
    EXPECT_EQ(written.end_of(ProgramStream::error), "");
}

TEST(WrittenOutput, ALogThatFailsDisturbsNothing) {
    const Masker masker;
    std::string told;
    WrittenOutput written(
        masker, system_clock(), std::make_shared<Failing>(), [&](const std::string& json) {
            told = json;
        });
    written.wrote(ProgramStream::output, "one\ntwo\n");
    EXPECT_EQ(written.end_of(ProgramStream::output), "one\ntwo\n");
    EXPECT_EQ(told, R"({"line":"two","out":8,"err":0})");
}

}  // namespace
}  // namespace belay::flow
