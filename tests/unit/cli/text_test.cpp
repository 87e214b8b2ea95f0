// Text for a terminal, and its shortening.
#include "cli/text.hpp"

#include "cli/span_view.hpp"
#include "cli/table.hpp"
#include "cli/tree_view.hpp"
#include "unit/cli/fake_terminal.hpp"

#include <gtest/gtest.h>

namespace belay::cli {
namespace {

TEST(CliText, ControlCharactersNeverReachATerminal) {
    EXPECT_EQ(safe("a\x1b[31mb"), "a\\x1b[31mb");
    EXPECT_EQ(safe("a\nb\tc\rd\x7f"), "a\\nb\\tc\\x0dd\\x7f");
    EXPECT_EQ(safe("\xc2\x9b"), "\\u{9b}") << "C1 is a control too";
    EXPECT_EQ(safe("\xff\xfe"), "\\xff\\xfe") << "not UTF-8";
    EXPECT_EQ(safe(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(safe_lines("a\n\tb\x1b"), "a\n\tb\\x1b");
}

TEST(CliText, MarksThatTurnTheDirectionOfWritingAreShown) {
    EXPECT_EQ(safe("a\u202Eb"), "a\\u{202e}b");
    EXPECT_EQ(safe("a\u200Bb"), "a\\u{200b}b");
}

TEST(CliText, OtherTextStaysAsItIs) { EXPECT_EQ(safe("Größe 日本 \\ ok"), "Größe 日本 \\ ok"); }

TEST(CliText, ColumnsAreCountedAsATerminalDrawsThem) {
    EXPECT_EQ(columns_of("abc"), 3U);
    EXPECT_EQ(columns_of("Größe"), 5U);
    EXPECT_EQ(columns_of("日本"), 4U);
    EXPECT_EQ(columns_of("e\u0301"), 1U);
}

TEST(CliText, LongTextIsCutBetweenCharacters) {
    EXPECT_EQ(fitted("abcdef", 6), "abcdef");
    EXPECT_EQ(fitted("abcdef", 4), "abc…");
    EXPECT_EQ(fitted("日本語", 4), "日…");
    EXPECT_EQ(fitted("abc", 0), "");
}

TEST(CliText, IdsAreCutInTheMiddle) {
    EXPECT_EQ(fitted_in_middle("abcdef", 6), "abcdef");
    EXPECT_EQ(fitted_in_middle("order-2026-0042", 9), "orde…0042");
    EXPECT_EQ(fitted_in_middle("order-2026-0042", 8), "ord…0042");
    EXPECT_EQ(fitted_in_middle("日本語日本語", 7), "日…本語");
    EXPECT_EQ(fitted_in_middle("abc", 0), "");
}

TEST(CliText, LongTextIsCutToItsLastLines) {
    EXPECT_EQ(last_lines("a\nb\nc\n", 3), "a\nb\nc");
    EXPECT_EQ(last_lines("a\nb\nc\n\n", 2), "... (1 line before)\nb\nc");
    EXPECT_EQ(indented("a\nb\n", 2), "a\n  b");
}

TEST(CliText, LinesAreBrokenBetweenWords) {
    EXPECT_EQ(wrapped("one two three four", 2, 22), "one two three four");
    EXPECT_EQ(wrapped("12345678 12345678 1234567890123456789012345", 2, 22),
              "12345678 12345678\n  1234567890123456789012345");
}

Table wide_table() {
    Table table({{.title = "ID", .least = 4}, {.title = "N", .right = true}, {.title = "X"}});
    table.add({"a-long-identifier", "7", "x"});
    table.add({"日本", "1234", "y\x1b"});
    return table;
}

TEST(CliTable, ColumnsAreAligned) {
    const FakeTerminal fake;
    EXPECT_EQ(wide_table().render(fake.terminal),
              "ID                    N  X\n"
              "a-long-identifier     7  x\n"
              "日本               1234  y\\x1b\n");
}

TEST(CliTable, OnATerminalItFitsTheWidth) {
    FakeTerminal fake;
    fake.terminal.out_is_terminal = true;
    fake.terminal.width = 20;
    EXPECT_EQ(wide_table().render(fake.terminal),
              "ID          N  X\n"
              "a-long…     7  x\n"
              "日本     1234  y\\x1b\n");
}

Table table_with_remarks() {
    Table table({id_column("ID"), {.title = "STATUS"}, {.title = "TOOK"}, remark_column("REMARK")});
    table.add({"an-id-of-27-characters-0001", "failed", "", "the disk of the machine is full"});
    table.add({"short", "running", "", ""});
    return table;
}

TEST(CliTable, RemarksAreCutFirst) {
    FakeTerminal fake;
    fake.terminal.out_is_terminal = true;
    fake.terminal.width = 65;
    EXPECT_EQ(table_with_remarks().render(fake.terminal),
              "ID                           STATUS   REMARK\n"
              "an-id-of-27-characters-0001  failed   the disk of the machine is…\n"
              "short                        running\n");
}

TEST(CliTable, RemarksStandBelowTheirRowBeforeIdsAreCut) {
    FakeTerminal fake;
    fake.terminal.out_is_terminal = true;
    fake.terminal.width = 36;
    EXPECT_EQ(table_with_remarks().render(fake.terminal),
              "ID                           STATUS\n"
              "an-id-of-27-characters-0001  failed\n"
              "  the disk of the machine is full\n"
              "short                        running\n");
    fake.terminal.width = 30;
    EXPECT_EQ(table_with_remarks().render(fake.terminal),
              "ID                     STATUS\n"
              "an-id-of-2…cters-0001  failed\n"
              "  the disk of the machine is …\n"
              "short                  running\n");
}

TEST(CliTable, ATooNarrowTableBecomesLists) {
    FakeTerminal fake;
    fake.terminal.out_is_terminal = true;
    fake.terminal.width = 22;
    EXPECT_EQ(table_with_remarks().render(fake.terminal),
              "ID      an-id-…rs-0001\n"
              "STATUS  failed\n"
              "REMARK  the disk of t…\n"
              "\n"
              "ID      short\n"
              "STATUS  running\n");
}

TEST(CliTable, EmptyCellsLeaveNothingAtTheEndOfALine) {
    const FakeTerminal fake;
    Table table({{.title = "A"}, {.title = "B"}, {.title = "C"}});
    table.add({"1", "", ""});
    EXPECT_EQ(table.render(fake.terminal), "A  B  C\n1\n");
}

TEST(CliTable, ElsewhereNothingIsCut) {
    FakeTerminal fake;
    fake.terminal.width = 10;
    EXPECT_NE(wide_table().render(fake.terminal).find("a-long-identifier"), std::string::npos);
}

TEST(CliTable, ColoursOnlyWhereThereAreColours) {
    FakeTerminal fake;
    EXPECT_EQ(fake.terminal.paint(Colour::red, "x"), "x");
    fake.terminal.colours = true;
    EXPECT_EQ(fake.terminal.paint(Colour::red, "x"), "\x1b[31mx\x1b[0m");
}

TEST(CliTree, IsDrawnWithLines) {
    const TreeNode root{"a", {{"b", {{"c", {}}, {"d", {}}}}, {"e", {{"f", {}}}}}};
    EXPECT_EQ(render_tree(root),
              "a\n"
              "├─ b\n"
              "│  ├─ c\n"
              "│  └─ d\n"
              "└─ e\n"
              "   └─ f\n");
}

TEST(CliSpans, AreDrawnOnOneScale) {
    FakeTerminal fake;
    fake.terminal.width = 40;
    const Timestamp zero = from_unix_ms(0);
    const Timestamp end = from_unix_ms(1000);
    const std::vector<Span> spans{{"one", zero, from_unix_ms(500), "completed", Colour::green},
                                  {"two", from_unix_ms(500), std::nullopt, "open", Colour::blue}};
    EXPECT_EQ(render_spans(fake.terminal, spans, zero, end),
              "  one  ███████          500ms  completed\n"
              "  two        █████▶     500ms  open\n");
}

TEST(CliProgress, IsForTerminalsOnly) {
    FakeTerminal fake;
    {
        Progress(fake.terminal).say("half way");
    }
    EXPECT_EQ(fake.err.str(), "");
    fake.terminal.err_is_terminal = true;
    {
        Progress(fake.terminal).say("half way");
    }
    EXPECT_EQ(fake.err.str(), "\r\x1b[Khalf way\r\x1b[K");
}

}  // namespace
}  // namespace belay::cli
