#include "cli/flow/changes.hpp"

#include "flow_views.hpp"
#include "json/value.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace belay::cli {
namespace {

using graph::State;

/// The lines between two views, in UTC.
class Changes : public ::testing::Test {
protected:
    Changes() {
        ::setenv("TZ", "UTC", 1);
        ::tzset();
    }

    static std::vector<std::string> lines(const RunView* before, const RunView& now) {
        std::vector<std::string> told;
        for (const Change& change : changes_between(before, now, after(7))) {
            if (is_told(change, before)) told.push_back(line_of(change, after(7)));
        }
        return told;
    }
    static std::string line(const StepView& step) {
        const std::vector<std::string> told = lines(nullptr, run_of({step}));
        return told.empty() ? "nothing" : told.back();
    }
};

TEST_F(Changes, AStepThatBeginsAndEndsIsTwoLines) {
    const RunView began = run_of({step("build", State::started), step("pack")});
    EXPECT_EQ(lines(nullptr, began), std::vector<std::string>{"22:13:20 build started"});
    const RunView ended = run_of({step("build", State::completed), step("pack")});
    EXPECT_EQ(lines(&began, ended), std::vector<std::string>{"22:13:22 build completed in 2.0s"});
    EXPECT_TRUE(lines(&ended, ended).empty());
}

TEST_F(Changes, AStepThatWaitedInLineAtTheLastLookHasBegun) {
    const RunView waits = run_of({step("build", State::queued)});
    const RunView ended = run_of({step("build", State::completed)});
    EXPECT_EQ(
        lines(&waits, ended),
        (std::vector<std::string>{"22:13:20 build started", "22:13:22 build completed in 2.0s"}));
    RunView again = run_of({step("build", State::queued)});
    again.lists[0].steps[0].attempt = 2;
    EXPECT_EQ(lines(&again, ended).size(), 1U) << "its first attempt was told";
}

TEST_F(Changes, AFailedAttemptTellsItsNumberItsCauseAndTheNextTry) {
    StepView build = step("build", State::waiting);
    build.attempts = 3;
    build.why = "exit status 1: no space";
    build.waits = WaitView{.what = WaitView::What::retry, .until = after(17)};
    EXPECT_EQ(line(build),
              "22:13:27 build failed, attempt 1 of 3: exit status 1: no space; again in 10s");
    StepView again = step("build", State::started);
    again.attempts = 3;
    again.attempt = 2;
    EXPECT_EQ(line(again), "22:13:27 build started, attempt 2 of 3");
}

TEST_F(Changes, TheLastFailureTellsNoNextTry) {
    StepView build = step("build", State::failed);
    build.attempts = 3;
    build.attempt = 3;
    build.why = "exit status 1";
    EXPECT_EQ(line(build), "22:13:22 build failed, attempt 3 of 3: exit status 1");
}

TEST_F(Changes, AttemptsThatNobodySawAreToldInTheirOrder) {
    StepView build = step("build", State::completed);
    build.attempts = 5;
    build.attempt = 3;
    EXPECT_EQ(lines(nullptr, run_of({build})),
              (std::vector<std::string>{"22:13:20 build started",
                                        "22:13:22 build failed, attempt 1 of 5",
                                        "22:13:22 build failed, attempt 2 of 5",
                                        "22:13:22 build completed in 2.0s"}));
    StepView first = step("build", State::waiting);
    first.attempts = 5;
    first.waits = WaitView{.what = WaitView::What::retry, .until = after(10)};
    const RunView seen = run_of({first});
    EXPECT_EQ(lines(&seen, run_of({build})),
              (std::vector<std::string>{"22:13:22 build failed, attempt 2 of 5",
                                        "22:13:22 build completed in 2.0s"}));
}

TEST_F(Changes, AnApprovalTellsHowToAnswer) {
    StepView ask = step("ask", State::waiting);
    ask.waits = WaitView{.what = WaitView::What::approval,
                         .prompt = "Release?",
                         .answer = "belay approve build-1 ask",
                         .until = after(60)};
    EXPECT_EQ(line(ask),
              "22:13:27 ask waits for a person until 22:14:20: Release? Answer: belay approve "
              "build-1 ask");
}

TEST_F(Changes, SkippedStepsTellWhy) {
    StepView skipped = step("tell", State::skipped);
    skipped.why = "its condition is false";
    EXPECT_EQ(line(skipped), "22:13:22 tell skipped: its condition is false");
}

TEST_F(Changes, AKeptStepIsToldBeforeTheStepsOfItsRun) {
    StepView kept = step("fetch", State::completed);
    kept.why = "kept from build-1";
    EXPECT_EQ(lines(nullptr, run_of({kept})),
              std::vector<std::string>{"22:13:20 fetch kept from build-1"});
}

TEST_F(Changes, AMapTellsTenthsAndFailuresOfItsItems) {
    StepView map = step("dump", State::started);
    map.count = graph::Items{.ended = 0, .failed = 0, .all = 100};
    for (std::uint64_t i = 0; i < 20; ++i) {
        ItemView item;
        item.item = i;
        map.items.push_back(item);
    }
    RunView before = run_of({map});
    RunView now = before;
    now.lists[0].steps[0].count->ended = 9;
    EXPECT_TRUE(lines(&before, now).empty());
    now.lists[0].steps[0].count->ended = 10;
    EXPECT_EQ(lines(&before, now), std::vector<std::string>{"22:13:27 dump ended 10 of 100 items"});
    now.lists[0].steps[0].count = before.lists[0].steps[0].count;
    now.lists[0].steps[0].items[3].state = State::failed;
    now.lists[0].steps[0].items[3].why = "exit status 2";
    now.lists[0].steps[0].items[4].state = State::completed;
    EXPECT_EQ(lines(&before, now),
              std::vector<std::string>{"22:13:27 dump[3] failed: exit status 2"});
    EXPECT_EQ(changes_between(&before, now, after(7)).size(), 2U);
}

TEST_F(Changes, AListThatDidNotRunIsNotTold) {
    RunView view = run_of({step("build", State::completed)});
    view.lists.push_back(ListView{"on_fail", {step("tell", State::skipped)}, {}});
    EXPECT_EQ(lines(nullptr, view).size(), 2U);
}

TEST_F(Changes, TellInJsonWhereAStepRunsAndWhatItWaitsFor) {
    StepView asks = step("ask", State::waiting);
    asks.waits = WaitView{.what = WaitView::What::event, .event = "go", .until = after(9)};
    StepView stops = step("stops", State::canceling);
    stops.worker = "w-1";
    stops.canceled_at = after(3);
    const auto changes = changes_between(nullptr, run_of({asks, stops}), after(7));
    ASSERT_GE(changes.size(), 2U);
    const std::string first = json_of(changes.front(), "build-1");
    EXPECT_NE(first.find(R"("waits_for":{"what":"event","event":"go",)"
                         R"("until":"2023-11-14T22:13:29.000Z"})"),
              std::string::npos)
        << first;
    const std::string last = json_of(changes.back(), "build-1");
    EXPECT_NE(last.find(R"("state":"canceling")"), std::string::npos) << last;
    EXPECT_NE(last.find(R"("canceled_at":"2023-11-14T22:13:23.000Z","worker":"w-1")"),
              std::string::npos)
        << last;
}

TEST_F(Changes, AreObjectsOfJson) {
    StepView map = step("dump", State::completed);
    map.count = graph::Items{.ended = 2, .failed = 1, .all = 2};
    const RunView view = run_of({map});
    const std::string json = json_of(changes_between(nullptr, view, after(7)).back(), "build-1");
    EXPECT_TRUE(json::parse(json).ok()) << json;
    EXPECT_EQ(json,
              R"({"type":"step","at":"2023-11-14T22:13:22.000Z","run":"build-1","list":"steps",)"
              R"("step":"dump","state":"completed","attempt":1,"attempts":1,)"
              R"("began_at":"2023-11-14T22:13:20.000Z","ended_at":"2023-11-14T22:13:22.000Z",)"
              R"("items":{"ended":2,"failed":1,"all":2}})");
}

}  // namespace
}  // namespace belay::cli
