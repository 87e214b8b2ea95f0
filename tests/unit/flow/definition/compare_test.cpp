// The differences between two definitions.
#include "flow/definition/compare.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace belay::flow {
namespace {

constexpr const char* kBefore = R"(
belay: 1
name: backup
params:
  keep: {type: integer, default: 3}
  old: {type: string, default: x}
timeout: 1h
steps:
  - id: list
    script: ls
  - id: dump
    needs: [list]
    script: pg_dump
    retry: {attempts: 2}
  - id: check
    needs: [dump]
    script: "true"
)";

/// A line for each difference: "step dump changed: script".
std::vector<std::string> differences(const std::string& before, const std::string& after) {
    std::vector<std::string> lines;
    for (const FlowChange& change : compare_definitions("backup", before, after)) {
        std::string line = change.what + " " + change.name + " ";
        line += to_string(change.kind);
        for (const std::string& field : change.fields) line += ", " + field;
        lines.push_back(line);
    }
    return lines;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return text;
}

using Lines = std::vector<std::string>;

TEST(CompareDefinitions, NamesStepsThatWereAddedRemovedAndChanged) {
    std::string after = replaced(kBefore, "pg_dump", "pg_dump -Fc");
    after = replaced(after, "attempts: 2", "attempts: 3");
    after = replaced(after, "id: check", "id: verify");
    EXPECT_EQ(
        differences(kBefore, after),
        (Lines{"step dump changed, retry, script", "step check removed", "step verify added"}));
}

TEST(CompareDefinitions, NamesParamsAndOtherFields) {
    std::string after = replaced(kBefore, "default: 3", "default: 4");
    after = replaced(after, "  old: {type: string, default: x}\n", "");
    after = replaced(after, "timeout: 1h", "expires: 1h");
    EXPECT_EQ(differences(kBefore, after),
              (Lines{"param keep changed, default",
                     "param old removed",
                     "field expires added",
                     "field timeout removed"}));
}

TEST(CompareDefinitions, LayoutCommentsAndTheOrderOfFieldsMakeNoDifference) {
    const std::string after =
        replaced(kBefore, "  - id: list\n    script: ls\n", "  - {script: ls, id: list}  # list\n");
    EXPECT_EQ(differences(kBefore, after), Lines{});
}

TEST(CompareDefinitions, TellsANumberFromItsText) {
    EXPECT_EQ(differences(kBefore, replaced(kBefore, "default: x", "default: 7")),
              (Lines{"param old changed, default"}));
    EXPECT_EQ(differences(replaced(kBefore, "default: x", "default: \"7\""),
                          replaced(kBefore, "default: x", "default: 7")),
              (Lines{"param old changed, default"}));
}

TEST(CompareDefinitions, TheOrderOfStepsIsADifference) {
    const std::string step = "  - id: list\n    script: ls\n";
    const std::string after = replaced(kBefore, step, "") + step;
    EXPECT_EQ(differences(kBefore, after), (Lines{"field steps changed, order"}));
}

TEST(CompareDefinitions, BundlesNameTheFlowsThatTheyStart) {
    Bundle before;
    before.main = "backup";
    before.sources = {{"backup", kBefore}, {"prune", "belay: 1"}};
    Bundle after = before;
    after.sources.erase("prune");
    after.sources.emplace("tell", "belay: 1");
    const auto changes = compare_bundles(before, after);
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0], (FlowChange{"prune", ChangeKind::removed, "flow", "prune", {}}));
    EXPECT_EQ(changes[1], (FlowChange{"tell", ChangeKind::added, "flow", "tell", {}}));
}

}  // namespace
}  // namespace belay::flow
