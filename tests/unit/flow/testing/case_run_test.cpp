// Cases of test files, run.
#include "unit/flow/testing/cases.hpp"

#include <chrono>

namespace belay::flow::test {
namespace {

constexpr const char* kBackup = R"(
belay: 1
name: backup
params: {keep: {type: integer, default: 3}}
steps:
  - id: list
    exec: [psql, -l]
    output: lines
  - id: dump
    needs: [list]
    map: steps.list.output
    as: database
    items_may_fail: 1
    script: pg_dump "$DB"
    env: {DB: "${{ database }}"}
    retry: {attempts: 3, delay: 10s, only_exit: [75]}
  - id: confirm
    needs: [dump]
    if: params.keep > 5
    approval: {prompt: "Keep ${{ params.keep }}?", timeout: 1d}
  - id: tell
    needs: [dump]
    after: [confirm]
    activity: Tell
    with: {count: "${{ steps.dump.completed }}"}
output: steps.dump.output
on_fail:
  - {id: alarm, activity: Alarm}
)";

const Bundle& backup() {
    static const Bundle bundle = read_flows(kBackup);
    return bundle;
}

TEST(CaseRun, GivesResultsInThePlaceOfWork) {
    EXPECT_EQ(differences(backup(), R"(
steps:
  list: {output: [a, b]}
  "dump[1]": {output: from b}
  dump: {output: other}
  tell: {}
expect:
  output: [other, from b]
  steps: {list: completed, dump: completed, "dump[1]": completed, confirm: skipped, tell: completed, alarm: pending}
)"),
              "");
}

TEST(CaseRun, NamesEachDifference) {
    EXPECT_EQ(differences(backup(), R"(
steps: {list: {output: [a]}, dump: {output: 7}, tell: {}}
expect:
  output: [8]
  steps: {confirm: completed, tell: {status: completed, attempts: 2}, dump: {output: [6]}}
)"),
              "the output is [7]; expected is [8]\n"
              "the step 'confirm' is skipped (its condition is false); expected is completed\n"
              "the step 'tell' has 1 attempts; expected are 2\n"
              "the output of the step 'dump' is [7]; expected is [6]\n");
}

TEST(CaseRun, ARetryTakesNoTimeAndCountsItsAttempts) {
    const std::string lines = R"(
steps:
  list: {output: [a]}
  dump: {exit: 75, fails: 2, output: done, takes: 1h}
  tell: {}
expect:
  output: [done]
  steps: {"dump[0]": {status: completed, attempts: 3}}
)";
    EXPECT_EQ(differences(backup(), lines), "");
    const CaseResult result = run_case(backup(), read_case(lines).cases.front());
    EXPECT_GE(result.took, Millis(std::chrono::hours(3)));
}

TEST(CaseRun, AnExitStatusThatIsNotRepeatedFailsAtOnce) {
    EXPECT_EQ(differences(backup(), R"(
steps:
  list: {output: [a, b]}
  dump: {exit: 1}
  alarm: {}
expect:
  status: failed
  failed_step: dump
  message: exited with 1
  steps: {"dump[0]": {status: failed, attempts: 1}, alarm: completed, tell: canceled}
)"),
              "");
}

TEST(CaseRun, AnswersAreGivenAtOnce) {
    const std::string steps = "params: {keep: 9}\nsteps: {list: {output: [a]}, '*': {}}\n";
    EXPECT_EQ(differences(backup(),
                          steps + "approvals: {confirm: {approved: true, by: ann}}\n"
                                  "expect: {steps: {confirm: {output: {approved: true, by: ann, "
                                  "role: '', values: {}}}}}"),
              "");
    EXPECT_EQ(differences(backup(),
                          steps + "approvals: {confirm: false}\n"
                                  "expect: {status: failed, failed_step: confirm}"),
              "");
}

TEST(CaseRun, AnApprovalThatNobodyGivesRunsOutOfTime) {
    EXPECT_EQ(differences(backup(), R"(
params: {keep: 9}
steps: {list: {output: [a]}, '*': {}}
expect: {status: failed, failed_step: confirm, message: did not come in time}
)"),
              "");
}

TEST(CaseRun, ARunThatNeverEndsSaysWhatItWaitsFor) {
    const Bundle waits = read_flows(R"(
belay: 1
name: waits
steps: [{id: go, wait: {event: start}}]
)");
    EXPECT_EQ(differences(waits, "expect: {status: completed}"),
              "the run never ends: go is waiting; give the case its events and approvals\n");
    EXPECT_EQ(differences(waits, "events: {start: 7}\nexpect: {output: {go: 7}}"), "");
}

TEST(CaseRun, ASleepOfManyYearsEnds) {
    const Bundle bundle = read_flows(R"(
belay: 1
name: long
steps: [{id: nap, sleep: 3000d}, {id: done, needs: [nap], set: 7}]
)");
    const CaseResult result = run_case(bundle, read_case("expect: {output: {done: 7}}").cases[0]);
    EXPECT_TRUE(result.differences.empty());
    EXPECT_GE(result.took, Millis(std::chrono::days(3'000)));
}

TEST(CaseRun, AStepWithoutAResultIsNamed) {
    EXPECT_EQ(differences(backup(), "steps: {list: {output: [a, b]}}"),
              "the step 'dump[0]' ran, and the case has no result for it\n"
              "the step 'dump[1]' ran, and the case has no result for it\n"
              "the step 'alarm' ran, and the case has no result for it\n");
}

TEST(CaseRun, AHungStepIsEndedByItsTimeout) {
    const Bundle slow = read_flows(R"(
belay: 1
name: slow
steps: [{id: work, activity: Work, timeout: 10m, may_fail: true}]
)");
    EXPECT_EQ(differences(slow, "steps: {work: {hangs: true}}\nexpect: {steps: {work: failed}}"),
              "");
}

TEST(CaseRun, ACancelRunsItsCleanup) {
    const Bundle bundle = read_flows(R"(
belay: 1
name: long
steps: [{id: nap, sleep: 30d}]
on_cancel: [{id: tidy, activity: Tidy}]
)");
    EXPECT_EQ(differences(bundle, R"(
steps: {tidy: {}}
cancel_after: 3d
expect: {status: canceled, reason: test, steps: {nap: canceled, tidy: completed}}
)"),
              "");
}

TEST(CaseRun, StepsOfSubFlowsHavePaths) {
    const Bundle bundle = read_flows(R"(
belay: 1
name: outer
steps:
  - {id: each, map: [x, y], as: name, flow: inner, with: {name: "${{ name }}"}}
)",
                                     {{"inner", R"(
belay: 1
name: inner
params: {name: {type: string}}
steps:
  - {id: push, activity: Push}
  - {id: ask, needs: [push], approval: {prompt: ok}}
output: "params.name + '/' + steps.push.output"
)"}});
    EXPECT_EQ(differences(bundle, R"(
steps: {"each/push": {output: z}, "each[1]": {output: whole}}
approvals: {"each[1]/ask": true}
expect: {output: {each: [x/z, whole]}}
)"),
              "the run never ends: each is started; give the case its events and approvals\n");
    EXPECT_EQ(differences(bundle, R"(
steps: {"each[0]/push": {output: z}, "each[1]": {output: whole}}
approvals: {"each[0]/ask": true}
expect: {output: {each: [x/z, whole]}, steps: {"each[0]/push": completed}}
)"),
              "");
}

}  // namespace
}  // namespace belay::flow::test
