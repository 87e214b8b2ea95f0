// The output of a running activity before it is kept.
#include "support/manual_clock.hpp"
#include <belay/detail/output_buffer.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace belay::runtime_tests::output_buffer {
namespace {

using namespace std::chrono_literals;
using detail::OutputBuffer;

constexpr std::uint64_t counted(std::uint64_t bytes) { return bytes + OutputBounds::kChunk; }

class OutputBufferTest : public ::testing::Test {
protected:
    /// Listens to a buffer that keeps so much.
    OutputBuffer& listen(std::uint64_t first = 64 * 1024, std::uint64_t last = 64 * 1024) {
        OutputBounds bounds;
        bounds.first_bytes = first;
        bounds.last_bytes = last;
        buffer.emplace(bounds, 100);
        buffer->listen(clock, [this](bool full) { told.push_back(full); });
        return *buffer;
    }
    /// Writes at a time of its own, so that nothing joins.
    void write_apart(std::string_view text) {
        clock.advance(1s);
        buffer->write(OutputStream::out, text);
    }
    static std::vector<std::string> texts(const std::vector<OutputChunk>& chunks) {
        std::vector<std::string> all;
        for (const OutputChunk& one : chunks) all.push_back(one.text.bytes);
        return all;
    }
    using Texts = std::vector<std::string>;

    support::ManualClock clock;
    std::optional<OutputBuffer> buffer;
    std::vector<bool> told;
};

TEST_F(OutputBufferTest, TextOfOneStreamThatFollowsAtOnceIsOneChunk) {
    OutputBuffer& out = listen();
    const Timestamp begin = clock.wall();
    out.write(OutputStream::out, "one ");
    out.write(OutputStream::out, "two\n");
    out.write(OutputStream::err, "three\n");
    clock.advance(1s);
    out.write(OutputStream::err, "four\n");
    const std::vector<OutputChunk> chunks = out.take();
    EXPECT_EQ(texts(chunks), (Texts{"one two\n", "three\n", "four\n"}));
    EXPECT_EQ(chunks[0].stream, OutputStream::out);
    EXPECT_EQ(chunks[0].bytes, 8U);
    EXPECT_EQ(chunks[0].lines, 1U);
    EXPECT_EQ(chunks[1].at, begin);
    EXPECT_EQ(chunks[2].at, begin + 1s);
    EXPECT_TRUE(out.take().empty());
}

TEST_F(OutputBufferTest, ALongTextIsCut) {
    OutputBuffer& out = listen();
    const std::string text(20'000, 'x');
    out.write(OutputStream::out, text);
    std::string joined;
    const std::vector<OutputChunk> chunks = out.take();
    for (const OutputChunk& one : chunks) joined += one.text.bytes;
    EXPECT_EQ(chunks.size(), 3U);
    EXPECT_EQ(joined, text);
}

TEST_F(OutputBufferTest, TellsOnceThatThereIsSomethingAndOnceThatItIsMuch) {
    OutputBuffer& out = listen();
    out.write(OutputStream::out, "");
    EXPECT_TRUE(told.empty());
    out.write(OutputStream::out, "a");
    out.write(OutputStream::out, "b");
    EXPECT_EQ(told, (std::vector<bool>{false}));
    out.write(OutputStream::out, std::string(100, 'c'));
    out.write(OutputStream::out, std::string(100, 'd'));
    EXPECT_EQ(told, (std::vector<bool>{false, true}));
    (void)out.take();
    out.write(OutputStream::out, std::string(100, 'e'));
    EXPECT_EQ(told, (std::vector<bool>{false, true, true}));
}

TEST_F(OutputBufferTest, TheBeginningAndTheEndStayWhenNobodyTakesIt) {
    listen(2 * counted(8'000), 2 * counted(8'000));
    Texts written;
    for (char letter = 'a'; letter <= 'j'; ++letter) {
        written.emplace_back(7'999, letter);
        written.back() += '\n';
        write_apart(written.back());
    }
    const std::vector<OutputChunk> chunks = buffer->take();
    ASSERT_GE(chunks.size(), 4U);
    EXPECT_LE(chunks.size(), 6U) << "a little more is kept, so as not to look each time";
    EXPECT_EQ(chunks[0].text.bytes, written[0]);
    EXPECT_EQ(chunks[1].text.bytes, written[1]);
    EXPECT_EQ(chunks.back().text.bytes, written.back());
    const std::size_t lost = written.size() - chunks.size();
    EXPECT_EQ(chunks[2].lost_lines, lost);
    EXPECT_EQ(chunks[2].lost_bytes, 8'000 * lost);
    EXPECT_EQ(chunks[2].text.bytes, written[2 + lost]);
    EXPECT_EQ(chunks[3].lost_lines, 0U);
}

TEST_F(OutputBufferTest, TheBeginningIsThatOfTheAttemptAndNotOfWhatWaits) {
    listen(counted(8'000), counted(8'000));
    write_apart(std::string(8'000, 'a'));
    EXPECT_EQ(buffer->take().size(), 1U);
    for (char letter = 'b'; letter <= 'j'; ++letter) write_apart(std::string(8'000, letter));
    const std::vector<OutputChunk> chunks = buffer->take();
    EXPECT_GT(chunks.front().lost_bytes, 0U) << "b was no beginning any more";
    EXPECT_EQ(chunks.back().text.bytes, std::string(8'000, 'j'));
}

TEST_F(OutputBufferTest, NobodyListensAfterItsEnd) {
    OutputBuffer& out = listen();
    out.write(OutputStream::out, "a");
    out.close();
    out.write(OutputStream::out, "b");
    EXPECT_TRUE(out.take().empty());
    EXPECT_EQ(told.size(), 1U);
}

}  // namespace
}  // namespace belay::runtime_tests::output_buffer
