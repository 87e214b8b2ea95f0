#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

TEST(Printable, LeavesTextAlone) {
    EXPECT_EQ(printable("plain text, \xc3\xa9 and \xf0\x9f\x98\x80", 100),
              "plain text, \xc3\xa9 and \xf0\x9f\x98\x80");
    EXPECT_EQ(printable("", 0), "");
}

TEST(Printable, IsAlwaysOneLine) {
    EXPECT_EQ(printable("a\nb\r\tc", 100), "a\\nb\\x0d\\x09c");
    EXPECT_EQ(printable(std::string_view("a\0b", 3), 100), "a\\x00b");
    EXPECT_EQ(printable("\x7f\xc2\x85", 100), "\\x7f\\xc2\\x85");
}

TEST(Printable, EscapesCannotBeMistakenForText) { EXPECT_EQ(printable("a\\nb", 100), "a\\\\nb"); }

TEST(Printable, EscapesWhatIsNotUtf8) {
    EXPECT_EQ(printable("\xff\x80z", 100), "\\xff\\x80z");
    EXPECT_EQ(printable("\xe2\x82", 100), "\\xe2\\x82");
}

TEST(Printable, CutsBetweenCharacters) {
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("abc", 3), "abc");
    EXPECT_EQ(printable("ab\xe2\x82\xac", 4), "ab...");
    EXPECT_EQ(printable("ab\xe2\x82\xac", 5), "ab\xe2\x82\xac");
}

TEST(Shortened, LeavesAloneWhatFits) { EXPECT_EQ(shortened("abc", 3), "abc"); }

TEST(Shortened, SaysThatItCutAndHowMuchThereWas) {
    const std::string text = shortened(std::string(1000, 'x'), 100);
    EXPECT_EQ(text.size(), 100U);
    EXPECT_TRUE(text.ends_with("x... (cut: it was 1000 bytes long)")) << text;
}

TEST(Shortened, CutsBetweenCharacters) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "\u20ac";
    for (std::size_t most = 60; most < 64; ++most) {
        const std::string cut = shortened(text, most);
        EXPECT_EQ(cut.find("...") % 3, 0U) << cut;
        EXPECT_LE(cut.size(), most);
    }
}

TEST(Utf8, MeasuresSequences) {
    EXPECT_EQ(utf8_sequence("a"), 1U);
    EXPECT_EQ(utf8_sequence("\xc3\xa9x"), 2U);
    EXPECT_EQ(utf8_sequence("\xe2\x82\xac"), 3U);
    EXPECT_EQ(utf8_sequence("\xf0\x9f\x98\x80"), 4U);
    EXPECT_EQ(utf8_sequence("\xa9"), 0U);
}

}  // namespace
}  // namespace belay::base
