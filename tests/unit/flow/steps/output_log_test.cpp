// The kept beginning and end of a program's lines.
#include "flow/steps/output_log.hpp"

#include <gmock/gmock.h>

#include <string>

namespace belay::flow {
namespace {

OutputLine line(const std::string& text) {
    OutputLine made;
    made.text = text;
    return made;
}

/// Lines of 84 bytes and their 16: 100 bytes each.
OutputLine numbered(int number) {
    std::string text = std::to_string(number) + ":";
    text.resize(100 - KeptOutput::kLineBytes, '.');
    return line(text);
}

TEST(KeptOutput, AShortLogIsKeptWhole) {
    KeptOutput kept(300, 300);
    for (int i = 0; i < 6; ++i) kept.add(numbered(i));
    EXPECT_EQ(kept.first().size(), 3U);
    EXPECT_EQ(kept.last().size(), 3U);
    EXPECT_EQ(kept.left_out(), 0U);
    EXPECT_EQ(kept.text().find("left out"), std::string::npos);
}

TEST(KeptOutput, ALongLogKeepsItsBeginningAndItsEnd) {
    KeptOutput kept(300, 300);
    for (int i = 0; i < 1000; ++i) kept.add(numbered(i));
    EXPECT_EQ(kept.first(), (std::vector<OutputLine>{numbered(0), numbered(1), numbered(2)}));
    EXPECT_EQ(kept.last(), (std::deque<OutputLine>{numbered(997), numbered(998), numbered(999)}));
    EXPECT_EQ(kept.left_out(), 994U);
    EXPECT_EQ(kept.left_out_bytes(), 994U * 84U);
    EXPECT_THAT(kept.text(), ::testing::HasSubstr("... 994 lines (83496 bytes) left out ..."));
}

TEST(KeptOutput, OnceALineDidNotFitNoneIsAddedToTheBeginning) {
    KeptOutput kept(40, 1000);
    kept.add(line("a"));
    kept.add(line(std::string(100, 'b')));
    kept.add(line("c"));
    EXPECT_EQ(kept.first(), (std::vector<OutputLine>{line("a")}));
    EXPECT_EQ(kept.last(), (std::deque<OutputLine>{line(std::string(100, 'b')), line("c")}));
}

TEST(KeptOutput, EmptyLinesAreBoundedToo) {
    KeptOutput kept(0, 160);
    for (int i = 0; i < 1000; ++i) kept.add(line(""));
    EXPECT_EQ(kept.last().size(), 10U);
    EXPECT_EQ(kept.left_out(), 990U);
}

TEST(KeptOutput, ALineLargerThanTheEndIsLeftOut) {
    KeptOutput kept(0, 50);
    kept.add(line(std::string(100, 'x')));
    EXPECT_TRUE(kept.last().empty());
    EXPECT_EQ(kept.left_out(), 1U);
    EXPECT_EQ(kept.text(), "... 1 lines (100 bytes) left out ...\n");
}

TEST(KeptOutput, AnUnendedLineGoesOnInTheText) {
    KeptOutput kept(1000, 1000);
    OutputLine begun = line("one ");
    begun.unended = true;
    kept.add(begun);
    kept.add(line("line"));
    EXPECT_EQ(kept.text(), "one line\n");
}

TEST(MemoryOutputLog, CanBeReadWhileItGrows) {
    MemoryOutputLog log(1000, 1000);
    log.add(line("one"));
    EXPECT_EQ(log.kept().text(), "one\n");
    log.add(line("two"));
    EXPECT_EQ(log.kept().text(), "one\ntwo\n");
}

}  // namespace
}  // namespace belay::flow
