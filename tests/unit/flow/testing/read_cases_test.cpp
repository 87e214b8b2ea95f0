// Test files and their mistakes.
#include "unit/flow/testing/cases.hpp"

#include <chrono>

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

/// The problems of a test file, a line each.
std::string problems_of(const std::string& text) {
    std::string lines;
    for (const Problem& problem : read_cases(text).problems) lines += to_string(problem) + "\n";
    return lines;
}

TEST(ReadCases, HasAllFields) {
    const ReadCases read = read_cases(R"(
flow: backup.yaml
cases:
  - name: one
    params: {keep: 4}
    steps:
      dump: {output: [1], failed: no luck, fails: 2, retryable: false, takes: 5m}
      "dump[3]": {exit: 75}
      wait: {hangs: true}
    events: {go: {at: 7}}
    approvals: {confirm: true}
    cancel_after: 1h
    expect:
      status: failed
      output: null
      failed_step: dump
      message: luck
      reason: late
      steps: {dump: failed, wait: {status: canceled, attempts: 1, output: 3}}
)");
    ASSERT_TRUE(read.problems.empty()) << described(read.problems);
    const FlowCases* const file = &read.file;
    EXPECT_EQ(file->flow, "backup.yaml");
    ASSERT_EQ(file->cases.size(), 1U);
    const FlowCase& one = file->cases.front();
    ASSERT_EQ(one.results.size(), 3U);
    const GivenResult& dump = one.results[0].second;
    EXPECT_EQ(dump.failure, "no luck");
    EXPECT_EQ(dump.fails, 2U);
    EXPECT_FALSE(dump.retryable);
    EXPECT_EQ(dump.takes, Millis(5min));
    EXPECT_EQ(one.results[1].second.failure, "exited with 75");
    EXPECT_TRUE(one.results[2].second.hangs);
    EXPECT_EQ(one.events.at(0).name, "go");
    EXPECT_EQ(one.approvals.at(0).name, "confirm");
    EXPECT_EQ(one.cancel_after, Millis(1h));
    EXPECT_EQ(one.expected.status, "failed");
    EXPECT_EQ(one.expected.failed_step, "dump");
    ASSERT_EQ(one.expected.steps.size(), 2U);
    EXPECT_EQ(one.expected.steps[1].attempts, 1U);
}

TEST(ReadCases, NamesAllMistakesWithTheirPlaces) {
    EXPECT_EQ(
        problems_of("cases:\n"
                    "  - {name: one, expect: {status: done}}\n"
                    "  - {name: one, stebs: {}}\n"
                    "  - {steps: {a: {outputs: 1}}}\n"),
        "line 1, column 1: the test file needs the field \"flow\"\n"
        "line 2, column 34: \"done\" is no status. Write completed, failed, canceled or "
        "skipped\n"
        "line 3, column 5: two cases have the name \"one\"\n"
        "line 3, column 17: unknown field \"stebs\" of a case. Did you mean \"steps\"?\n"
        "line 4, column 5: a case needs the field \"name\"\n"
        "line 4, column 18: unknown field \"outputs\" of a result. Did you mean \"output\"?\n");
}

TEST(ReadCases, AFileWithMistakesHasTheCasesThatCanBeRead) {
    const ReadCases read = read_cases(
        "flow: x.yaml\ncases:\n  - {name: a, stebs: {}, "
        "expect: {steps: {dmup: failed}}}\n");
    EXPECT_EQ(read.problems.size(), 1U);
    ASSERT_EQ(read.file.cases.size(), 1U);
    EXPECT_EQ(read.file.cases[0].expected.steps.at(0).path, "dmup");
}

TEST(ReadCases, FindsStepsThatTheFlowDoesNotHave) {
    const Bundle bundle = read_flows(R"(
belay: 1
name: backup
params: {keep: {type: integer, default: 3}}
steps:
  - {id: dump, map: [1], script: "true"}
  - {id: check, script: "true"}
)");
    const auto wrong = [&](const std::string& lines) {
        return described(check_cases(read_case(lines), bundle));
    };
    EXPECT_EQ(wrong("steps: {dump: {}, 'dump[7]': {}, '*': {}}"), "");
    EXPECT_NE(wrong("steps: {dmup: {}}").find("Did you mean \"dump\"?"), std::string::npos);
    EXPECT_NE(wrong("steps: {'check[1]': {}}").find("is no map"), std::string::npos);
    EXPECT_NE(wrong("steps: {'check/a': {}}").find("starts no flow"), std::string::npos);
    EXPECT_NE(wrong("expect: {steps: {tell: failed}}").find("no step \"tell\""), std::string::npos);
    EXPECT_NE(wrong("approvals: {tell: true}").find("no step \"tell\""), std::string::npos);
    EXPECT_NE(wrong("params: {keep: many}").find("keep"), std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
