// Histories of past releases, against the engine of today.
#include "document/fields.hpp"
#include "histories/code.hpp"
#include "histories/flow_scenarios.hpp"
#include "histories/scenarios.hpp"
#include <belay/testing/problem.hpp>
#include <belay/testing/replay.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace belay::histories {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Histories, HistoriesOfPastReleasesReplay) {
    const Registry registry = code();
    for (const testing::ReplayedFile& replayed :
         testing::replay_all(recorded_histories(), registry)) {
        EXPECT_TRUE(replayed.result.ok())
            << replayed.file << ": " << replayed.result.error().describe();
    }
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

/// People look at old runs, too: each step of them is drawn as it was.
TEST(Histories, FlowsOfPastReleasesAreDrawnAsTheyWere) {
    std::size_t drawn = 0;
    for (const auto& entry : std::filesystem::directory_iterator(recorded_histories())) {
        if (entry.path().extension() != ".states") continue;
        std::filesystem::path document = entry.path();
        document.replace_extension(".json");
        EXPECT_EQ(states_of(text_of(document)), text_of(entry.path())) << document;
        ++drawn;
    }
    EXPECT_GE(drawn, 12U);
}

/// A new kind of event wants a scenario, and a recording of it: see README.md beside this.
TEST(Histories, HaveEveryKindOfEvent) {
    std::string all;
    for (const auto& file : std::filesystem::directory_iterator(recorded_histories())) {
        all += text_of(file.path());
    }
    for (const std::string_view name : document::kEventNames) {
        EXPECT_NE(all.find("\"type\":\"" + std::string(name) + "\""), std::string::npos) << name;
    }
}

TEST(Histories, HistoriesOfThisReleaseReplay) {
    const Registry registry = code();
    for (const auto& [name, document] : record()) {
        const Result<void> same = testing::replay(document, registry);
        EXPECT_TRUE(same.ok()) << name << ": " << same.error().describe();
    }
}

TEST(Histories, HistoriesOfOtherCodeAreToldApart) {
    Registry changed;
    changed.add(Order, [](OrchestrationContext ctx, std::string id) -> Orchestration<std::string> {
        ctx.set_custom_status("charging");
        auto first = co_await ctx.try_call(Charge, id, -1);
        co_await ctx.timer(48h);  // A day longer than it was.
        co_return co_await ctx.call(Charge, id, 7);
    });
    const Result<void> same = testing::replay(record().at("order"), changed);
    ASSERT_FALSE(same.ok());
    EXPECT_EQ(same.error().code(), Errc::nondeterminism);
    EXPECT_THAT(same.error().message(), HasSubstr("of execution 1 of 'Order-1' (Order 1)"));
    EXPECT_THAT(same.error().message(), HasSubstr("history: TimerScheduled #2"));
    EXPECT_THAT(same.error().message(), HasSubstr("code:    TimerScheduled #2"));
}

TEST(Histories, NeedTheirCode) {
    const Result<void> same = testing::replay(record().at("order"), Registry());
    ASSERT_FALSE(same.ok());
    EXPECT_EQ(same.error().code(), Errc::not_found);
    EXPECT_THAT(same.error().message(),
                HasSubstr("no orchestration 'Order' of version '1' is registered"));
}

TEST(Histories, AreDocuments) {
    const Result<void> same = testing::replay("{\"format\": 1", Registry());
    ASSERT_FALSE(same.ok());
    EXPECT_EQ(same.error().code(), Errc::invalid_argument);
}

TEST(Histories, AreNotMissedQuietly) {
    const Registry registry = code();
    const auto problem_of = [&](const std::filesystem::path& directory) -> std::string {
        try {
            (void)testing::replay_all(directory, registry);
        } catch (const testing::Problem& problem) {
            return problem.what();
        }
        return "(no problem)";
    };
    EXPECT_THAT(problem_of("/nonexistent"), StartsWith("the histories in '/nonexistent' cannot"));
    const std::filesystem::path beside = recorded_histories().parent_path();
    EXPECT_THAT(problem_of(beside), StartsWith("there is no history (*.json) in '"));
}

}  // namespace
}  // namespace belay::histories
