// The order of steps.
#include "definitions.hpp"

#include <vector>

namespace belay::flow {
namespace {

TEST(FlowGraph, AnUnknownStepIsNamedWithTheNearestOne) {
    EXPECT_EQ(problems_of(with_steps("{id: dump, set: 1},\n{id: b, needs: [dmup], set: 1},\n"
                                     "{id: c, after: [x], set: 1}")),
              "line 4, column 17: unknown step \"dmup\". Did you mean \"dump\"?\n"
              "line 5, column 17: unknown step \"x\"\n");
}

TEST(FlowGraph, AStepOfAnotherListCannotBeNeeded) {
    EXPECT_EQ(problems_of("belay: 1\nname: x\nsteps: [{id: a, set: 1}]\n"
                          "finally: [{id: b, needs: [a], set: 1}]"),
              "line 4, column 27: \"a\" is a step of \"steps\", not of \"finally\"\n");
}

TEST(FlowGraph, AnIdIsThereOnce) {
    EXPECT_EQ(
        problems_of("belay: 1\nname: x\nsteps: [{id: a, set: 1}, {id: a, set: 2}]\n"
                    "on_fail: [{id: a, set: 1}]"),
        "line 3, column 31: there is another step \"a\". Each step of a definition has its own "
        "id\n"
        "line 4, column 16: there is another step \"a\". Each step of a definition has its own "
        "id\n");
}

TEST(FlowGraph, AStepIsNeededOnce) {
    EXPECT_EQ(problems_of(with_steps("{id: a, set: 1}, {id: b, needs: [a, a], set: 1}")),
              "line 3, column 37: \"a\" is there twice\n");
    EXPECT_EQ(problems_of(with_steps("{id: a, set: 1}, {id: b, needs: a, set: 1}")),
              "line 3, column 33: \"needs\" must be a list, not a text. Write [a]\n");
}

TEST(FlowGraph, ACycleIsNamed) {
    EXPECT_EQ(problems_of(with_steps("{id: z, set: 1},\n{id: a, needs: [z, c], set: 1},\n"
                                     "{id: b, after: [a], set: 1},\n{id: c, needs: [b], set: 1},\n"
                                     "{id: d, needs: [c], set: 1}")),
              "line 4, column 20: the steps wait for one another: \"a\" needs \"c\", which needs "
              "\"b\", which is after \"a\". Take one of these names away\n");
    EXPECT_EQ(problems_of(with_steps("{id: a, needs: [a], set: 1}")),
              "line 3, column 17: the steps wait for one another: \"a\" needs \"a\". "
              "Take one of these names away\n");
}

TEST(FlowGraph, EveryCycleIsNamed) {
    const std::string advice = ". Take one of these names away\n";
    EXPECT_EQ(
        problems_of(with_steps("{id: a, needs: [x, b], set: 1},\n{id: b, needs: [a], set: 1},\n"
                               "{id: x, needs: [y], set: 1},\n{id: y, after: [x], set: 1}")),
        "line 3, column 20: the steps wait for one another: \"a\" needs \"b\", which needs "
        "\"a\"" +
            advice +
            "line 5, column 17: the steps wait for one another: \"x\" needs \"y\", which is "
            "after \"x\"" +
            advice);
}

TEST(FlowGraph, ACycleHidesNoMissingOrderOfOtherSteps) {
    // The last step waits for the cycle: its order is unknown.
    EXPECT_EQ(problems_of(with_steps("{id: a, needs: [b], set: 1}, {id: b, needs: [a], set: 1},\n"
                                     "{id: c, set: '${{ steps.d.output }}'}, {id: d, set: 1},\n"
                                     "{id: e, needs: [a], set: '${{ steps.d.output }}'}")),
              "line 3, column 17: the steps wait for one another: \"a\" needs \"b\", which needs "
              "\"a\". Take one of these names away\n"
              "line 4, column 25: step \"d\" need not have run before. Add it to \"needs\", or to "
              "\"after\" if it may be skipped\n");
}

TEST(FlowGraph, AStepThatNeverRunsIsReported) {
    EXPECT_EQ(
        problems_of(with_steps("{id: a, if: 1 > 2, set: 1},\n{id: b, needs: [a], set: 1},\n"
                               "{id: c, after: [b], set: 1},\n{id: d, if: false, set: 1}")),
        "line 3, column 13: the step never runs: its condition is always false. Take the step "
        "away, or test a param\n"
        "line 4, column 17: the step never runs: \"a\" never completes. Name it in \"after\", "
        "or take the step away\n"
        "line 6, column 13: the step never runs: its condition is always false. Take the step "
        "away, or test a param\n");
}

TEST(FlowGraph, AStepBehindTheEndOfTheFlowNeverRuns) {
    EXPECT_EQ(problems_of(with_steps("{id: a, set: 1, end_flow: true},\n"
                                     "{id: b, needs: [a], set: 1},\n{id: c, after: [a], set: 1},\n"
                                     "{id: d, set: 1}")),
              "line 4, column 17: the step never runs: \"a\" always ends the flow before. "
              "Let \"end_flow\" of that step test something\n"
              "line 5, column 17: the step never runs: \"a\" always ends the flow before. "
              "Let \"end_flow\" of that step test something\n");
    // It may be skipped, and then the flow goes on.
    EXPECT_EQ(problems_of(with_steps("{id: a, if: params.n > 1, set: 1, end_flow: true},\n"
                                     "{id: b, after: [a], set: 1}")),
              "");
}

TEST(FlowGraph, OnlyAStepOfTheMainListEndsTheFlow) {
    EXPECT_EQ(problems_of("belay: 1\nname: x\nsteps: [{id: a, set: 1}]\n"
                          "finally: [{id: b, set: 1, end_flow: true}]"),
              "line 4, column 27: only a step of \"steps\" can end the flow\n");
}

TEST(FlowGraph, PositionsOfStepsAreResolved) {
    const Definition flow = read_good(
        with_steps("{id: a, needs: [c], after: [b], set: 1}, {id: b, set: 1}, {id: c, set: 1}"));
    EXPECT_EQ(flow.steps[0].needs, std::vector<std::size_t>{2});
    EXPECT_EQ(flow.steps[0].after, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace belay::flow
