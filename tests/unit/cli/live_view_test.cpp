#include "cli/flow/live_view.hpp"

#include "cli/flow/presenter.hpp"
#include "cli/flow/screen.hpp"
#include "flow_views.hpp"

#include <gtest/gtest.h>

namespace belay::cli {
namespace {

using graph::State;

std::vector<std::string> drawn(const RunView& view,
                               Room room = {100, 24},
                               Timestamp now = after(7)) {
    PlainTerminal plain;
    return live_lines(view, plain.terminal, room, now);
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

bool contains(const std::vector<std::string>& lines, std::string_view part) {
    return joined(lines).find(part) != std::string::npos;
}

TEST(LiveView, TheGraphHasALineForEachStepWithItsStateAndTime) {
    const RunView view = run_of({step("fetch", State::completed),
                                 step("build", State::started),
                                 step("lint", State::started),
                                 step("pack")},
                                {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    EXPECT_EQ(joined(drawn(view)),
              "build  build-1  running  7s\n"
              "✓   fetch  2.0s\n"
              "├─╮\n"
              "▶ │ build  7s\n"
              "│ ▶ lint   7s\n"
              "○─╯ pack\n");
}

TEST(LiveView, AStepThatStillStopsIsCancelingAndCountsAsUnderWay) {
    StepView stops = step("stops", State::canceling);
    stops.why = "the run was canceled";
    RunView view = run_of({stops, step("a", State::canceled), step("b", State::canceled)});
    view.status = Status::canceling;
    EXPECT_TRUE(contains(drawn(view), "build-1  canceling"));
    EXPECT_TRUE(contains(drawn(view), "◪ stops  canceling: the run was canceled"));
    EXPECT_TRUE(contains(drawn(view, {100, 4}), "stops  canceling"));
    EXPECT_TRUE(contains(drawn(view, {100, 4}), "2 of 3 steps ended"));
}

TEST(LiveView, AnEarlyEndIsToldWithItsCondition) {
    RunView view = run_of({step("check", State::completed), step("rest", State::canceled)});
    view.ended_by = "check";
    view.ended_why = "steps.check.output == 0";
    EXPECT_TRUE(contains(drawn(view), "ended early by 'check': steps.check.output == 0"));
}

TEST(LiveView, TheLastLineOfAProgramIsCutToTheWidth) {
    StepView build = step("build", State::started);
    build.line = std::string(300, 'x');
    const std::vector<std::string> lines = drawn(run_of({build}), {40, 24});
    EXPECT_EQ(columns_of(lines[1]), 39U);
    EXPECT_TRUE(lines[1].ends_with("…"));
}

TEST(LiveView, ControlCharactersOfAProgramNeverReachTheTerminal) {
    StepView build = step("build", State::started);
    build.line = "\x1b[2J\a";
    EXPECT_TRUE(contains(drawn(run_of({build})), "\\x1b[2J\\x07"));
}

TEST(LiveView, AMapHasABarAndItsCounts) {
    StepView dump = step("dump", State::started);
    dump.count = graph::Items{.ended = 6, .failed = 1, .all = 12};
    EXPECT_TRUE(contains(drawn(run_of({dump})), "██████░░░░░░ 6/12, 1 failed  7s"));
    dump.count = graph::Items{.ended = 1, .failed = 0, .all = 96};
    EXPECT_TRUE(contains(drawn(run_of({dump})), "▏░░░░░░░░░░░ 1/96"));
}

TEST(LiveView, AMapWithoutItemsHasAnEmptyBar) {
    StepView dump = step("dump", State::completed);
    dump.count = graph::Items{};
    EXPECT_TRUE(contains(drawn(run_of({dump})), "░░░░░░░░░░░░ 0/0"));
}

TEST(LiveView, AnApprovalShowsItsPromptAndTheCommandThatAnswers) {
    StepView ask = step("ask", State::waiting);
    ask.waits = WaitView{.what = WaitView::What::approval,
                         .prompt = "Release?",
                         .answer = "belay approve build-1 ask"};
    const std::vector<std::string> lines = drawn(run_of({ask}));
    EXPECT_EQ(lines[lines.size() - 2], "? Release?");
    EXPECT_EQ(lines.back(), "  belay approve build-1 ask");
}

TEST(LiveView, AStepThatWillBeTriedAgainTellsWhyAndWhen) {
    StepView test = step("test", State::waiting);
    test.attempts = 3;
    test.why = "exit status 75";
    test.waits = WaitView{.what = WaitView::What::retry, .until = after(10)};
    EXPECT_TRUE(contains(drawn(run_of({test})), "attempt 1 of 3: exit status 75; again in 3s"));
}

TEST(LiveView, AGraphThatIsTooHighShowsOnlyTheStepsUnderWay) {
    std::vector<StepView> steps;
    for (int i = 0; i < 40; ++i)
        steps.push_back(step("done" + std::to_string(i), State::completed));
    steps.push_back(step("now", State::started));
    for (int i = 0; i < 40; ++i) steps.push_back(step("later" + std::to_string(i)));
    const std::vector<std::string> lines = drawn(run_of(std::move(steps)), {80, 10});
    EXPECT_EQ(joined(lines),
              "build  build-1  running  7s\n"
              "▶ now  7s\n"
              "40 of 81 steps ended\n");
}

TEST(LiveView, IsNeverHigherOrWiderThanItsTerminal) {
    std::vector<StepView> steps;
    for (int i = 0; i < 30; ++i) {
        StepView one = step("a-step-with-a-long-name-" + std::to_string(i), State::started);
        one.line = "écrit beaucoup de choses";
        steps.push_back(std::move(one));
    }
    const RunView view = run_of(std::move(steps));
    for (std::size_t height = 1; height < 40; height += 3) {
        for (std::size_t width = 1; width < 60; width += 7) {
            const std::vector<std::string> lines = drawn(view, {width, height});
            EXPECT_LE(lines.size(), std::max<std::size_t>(height, 2) - 1);
            for (const std::string& line : lines) {
                EXPECT_LE(columns_of(line), std::max<std::size_t>(width, 2) - 1) << line;
            }
        }
    }
}

TEST(LiveView, AHandlerOfFailuresAppearsOnceItHasBegun) {
    RunView view = run_of({step("build", State::failed)});
    view.lists.push_back(ListView{"on_fail", {step("tell", State::skipped)}, {}});
    EXPECT_FALSE(contains(drawn(view), "on_fail"));
    view.lists[1].steps[0] = step("tell", State::started);
    EXPECT_TRUE(contains(drawn(view), "on_fail\n▶ tell  7s"));
}

TEST(LiveView, AHeldRunTellsWhy) {
    RunView view = run_of({step("build", State::started)});
    view.held = true;
    view.held_why = "history and code disagree";
    EXPECT_TRUE(contains(drawn(view), "held: history and code disagree"));
}

TEST(LiveView, AnEndedRunTellsThatProgramsStillRun) {
    RunView view = run_of({step("build", State::canceled)});
    view.status = Status::canceled;
    view.ended_at = after(5);
    EXPECT_TRUE(contains(drawn(view), "canceled  5.0s  waits 2s for programs that still run"));
    view.settled = true;
    EXPECT_FALSE(contains(drawn(view), "waits"));
}

TEST(LiveView, AProgressLineShowsWhatWasWrittenLast) {
    PlainTerminal plain;
    const auto presenter = make_presenter(Style::live, plain.terminal, "build-1");
    const RunView view = run_of({step("build", State::started)});
    const auto feed = [&](const std::string& text) {
        FedLine fed{.run = {"default", "build-1"}, .step = "build", .line = {}};
        fed.line.text = text;
        presenter->show(view, {fed}, after(7));
    };
    feed("");
    feed("10%\r60%\r\r");
    EXPECT_NE(plain.out.str().find("7s  60%"), std::string::npos) << plain.out.str();
    EXPECT_EQ(plain.out.str().find("x0d"), std::string::npos) << plain.out.str();
}

// ---- Screen ------------------------------------------------------------------------------------

std::vector<std::string> with_cursor_line(std::vector<std::string> lines) {
    lines.emplace_back();
    return lines;
}

TEST(Screen, ShowsEachPictureInThePlaceOfTheLast) {
    const std::vector<std::vector<std::string>> pictures{
        {"a", "b", "c"}, {"a", "B", "c"}, {"a", "B", "c", "d", "e"}, {"x"}, {"x", "y"}, {}, {"z"}};
    Screen screen;
    Rows rows;
    for (const auto& picture : pictures) {
        rows.write(screen.draw(picture));
        EXPECT_EQ(rows.rows(), with_cursor_line(picture));
    }
}

TEST(Screen, WritesOnlyTheLinesThatChanged) {
    Screen screen;
    Rows rows;
    rows.write(screen.draw({"first", "second", "third"}));
    const std::size_t before = rows.written();
    EXPECT_EQ(screen.draw({"first", "second", "third"}), "");
    rows.write(screen.draw({"first", "2nd", "third"}));
    EXPECT_EQ(rows.written() - before, 3U);
    EXPECT_EQ(rows.rows(), (std::vector<std::string>{"first", "2nd", "third", ""}));
}

TEST(Screen, LinesAboveStayAndThePictureMovesDown) {
    Screen screen;
    Rows rows;
    rows.write(screen.draw({"a", "b"}));
    rows.write(screen.print_above({"note"}));
    EXPECT_EQ(rows.rows(), (std::vector<std::string>{"note", "a", "b", ""}));
    rows.write(screen.draw({"a", "c"}));
    EXPECT_EQ(rows.rows(), (std::vector<std::string>{"note", "a", "c", ""}));
}

TEST(Screen, HidesTheCursorUntilItLeaves) {
    Screen screen;
    Rows rows;
    EXPECT_EQ(screen.leave(), "");
    rows.write(screen.draw({"a"}));
    EXPECT_TRUE(rows.cursor_is_hidden());
    rows.write(screen.leave());
    EXPECT_FALSE(rows.cursor_is_hidden());
    EXPECT_EQ(rows.rows(), (std::vector<std::string>{"a", ""}));
}

TEST(Screen, ANarrowerTerminalHasBrokenTheLines) {
    Screen screen;
    Rows rows;
    rows.write("above\r\n");
    rows.write(screen.draw({"0123456789", "short"}));
    // The terminal shows the first line on two rows now.
    Rows narrow;
    narrow.write("above\r\n012345\r\n6789\r\nshort\r\n");
    narrow.write(screen.redraw({"0123…", "short"}, 6));
    EXPECT_EQ(narrow.rows(), (std::vector<std::string>{"above", "0123…", "short", ""}));
}

TEST(Screen, ColoursTakeNoColumns) { EXPECT_EQ(shown_columns("\x1b[31mäb\x1b[0m"), 2U); }

}  // namespace
}  // namespace belay::cli
