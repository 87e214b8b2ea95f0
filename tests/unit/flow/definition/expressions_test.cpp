// Expressions: names, types, references between steps, and places.
#include "definitions.hpp"

#include <vector>

namespace belay::flow {
namespace {

void expect_steps(const std::vector<ProblemCase>& cases) {
    for (const auto& [steps, problems] : cases) {
        EXPECT_EQ(problems_of(with_steps(steps)), problems) << steps;
    }
}

TEST(FlowExpressions, UnknownNamesAreReported) {
    expect_steps({
        {"{id: a, if: parms.p == '', set: 1}",
         "line 3, column 13: unknown name \"parms\". Did you mean \"params\"?\n"},
        {"{id: a, set: '${{ params.q + params.pp }}'}",
         "line 3, column 26: unknown param \"q\"\n"
         "line 3, column 37: unknown param \"pp\". Did you mean \"p\"?\n"},
        {"{id: a, set: '${{ run.name }}'}", "line 3, column 23: unknown field \"name\"\n"},
        {"{id: a, set: '${{ steps.b.output }}'}, {id: bb, set: 1}",
         "line 3, column 25: unknown step \"b\". Did you mean \"bb\"?\n"},
        {"{id: a, set: '${{ nosuch(1) }}'}", "line 3, column 19: unknown function nosuch()\n"},
        {"{id: a, set: '${{ steps.size() }}'}",
         "line 3, column 19: a step must be named. Write steps.<id>\n"},
        {"{id: a, set: '${{ steps[params.p].output }}'}",
         "line 3, column 19: a step must be named. Write steps.<id>\n"},
    });
}

TEST(FlowExpressions, NamesOfOtherPlacesAreExplained) {
    const std::string no_map = ". Only what a step with \"map\" does sees its items\n";
    expect_steps({
        {"{id: a, set: '${{ env.HOME }}'}",
         "line 3, column 19: unknown name \"env\". Expressions do not see the environment: use a "
         "param, or $NAME in a script\n"},
        {"{id: a, set: '${{ item }}'}", "line 3, column 19: unknown name \"item\"" + no_map},
        {"{id: a, set: '${{ index }}'}", "line 3, column 19: unknown name \"index\"" + no_map},
        {"{id: a, map: [1], as: db, if: db > 0, set: 1}",
         "line 3, column 31: unknown name \"db\". Only what the step does sees its items\n"},
        {"{id: a, if: step.id == 'a', set: 1}",
         "line 3, column 13: unknown name \"step\". Only what a step does sees it\n"},
        {"{id: a, set: '${{ failure.message }}'}",
         "line 3, column 19: unknown name \"failure\". Only steps of \"on_fail\" see it\n"},
        {"{id: a, set: '${{ outcome.status }}'}",
         "line 3, column 19: unknown name \"outcome\". Only steps of \"finally\" and \"on_cancel\" "
         "see it\n"},
    });
    EXPECT_EQ(
        problems_of(with_lines("concurrency: {key: run.id}\nsteps: [{id: a, set: 1}]")),
        "line 2, column 20: unknown name \"run\". The key is evaluated before there is a run\n");
}

TEST(FlowExpressions, HandlersSeeTheirNames) {
    EXPECT_EQ(problems_of(with_lines(
                  "steps: [{id: a, set: 1}]\n"
                  "on_fail:\n"
                  "  - {id: b, set: '${{ failure.step + failure.message + failure.kind }}'}\n"
                  "  - {id: c, needs: [b], set: '${{ steps.b.output }}'}\n"
                  "finally:\n"
                  "  - {id: d, set: '${{ outcome.status }} ${{ steps.a.?output.orValue(0) }}'}\n"
                  "on_cancel:\n"
                  "  - {id: e, set: '${{ steps.a.status }}'}")),
              "");
    EXPECT_EQ(problems_of(with_lines("steps: [{id: a, set: 1}]\n"
                                     "on_fail: [{id: b, set: '${{ steps.a.output }}'}]\n"
                                     "finally: [{id: c, set: '${{ steps.a.output }}'}]")),
              "line 3, column 35: steps of \"steps\" are not visible here\n"
              "line 4, column 35: steps.a.output is not there if the step did not complete. Write "
              "steps.a.?output.orValue(...), or test steps.a.status first\n");
}

TEST(FlowExpressions, AReferenceNeedsAnOrder) {
    const std::string advice = ". Add it to \"needs\", or to \"after\" if it may be skipped\n";
    expect_steps({
        {"{id: a, set: 1},\n{id: b, set: '${{ steps.a.output }}'}",
         "line 4, column 25: step \"a\" need not have run before" + advice},
        {"{id: a, set: 1},\n{id: b, needs: [a], set: 1},\n"
         "{id: c, needs: [b], set: '${{ steps.a.output }}'}",
         ""},
        {"{id: a, set: '${{ steps.a.output }}'}",
         "line 3, column 25: the step refers to itself. Only \"end_flow\" sees the output of its "
         "own step\n"},
        {"{id: a, set: 1, end_flow: steps.a.output > 0}", ""},
        {"{id: a, set: 1},\n{id: b, set: '${{ [1].map(steps, steps) }}'}", ""},
    });
}

TEST(FlowExpressions, AnOutputThatMayBeMissingIsOptional) {
    const auto missing = [](const std::string& place) {
        return "line " + place +
               ": steps.a.output is not there if the step did not complete. Write "
               "steps.a.?output.orValue(...), or test steps.a.status first\n";
    };
    const std::string skipped = "{id: a, if: params.n > 1, set: 1},\n";
    expect_steps({
        // A needed step has completed, whatever could have skipped it.
        {skipped + "{id: b, needs: [a], set: '${{ steps.a.output }}'}", ""},
        {skipped + "{id: b, after: [a], set: '${{ steps.a.output }}'}", missing("4, column 37")},
        {skipped + "{id: b, after: [a], set: '${{ steps.a.?output.orValue(2) }}'}", ""},
        {skipped + "{id: b, after: [a], set: '${{ has(steps.a.output) ? steps.a.output : 2 }}'}",
         ""},
        {skipped +
             "{id: b, after: [a], if: steps.a.status == 'completed', set: '${{ steps.a.output }}'}",
         ""},
        // Nothing skips this one, and its failure fails the flow.
        {"{id: a, set: 1},\n{id: b, after: [a], set: '${{ steps.a.output }}'}", ""},
        {"{id: a, may_fail: true, set: 1},\n{id: b, after: [a], set: '${{ steps.a.output }}'}",
         missing("4, column 37")},
        {"{id: z, may_fail: true, set: 1},\n{id: a, needs: [z], set: 1},\n"
         "{id: b, after: [a], set: '${{ steps.a.output }}'}",
         missing("5, column 37")},
        {"{id: a, approval: {prompt: p, timeout: 1h, on_timeout: skip}},\n"
         "{id: b, after: [a], set: '${{ steps.a.output }}'}",
         missing("4, column 37")},
        {"{id: a, may_fail: true, set: 1},\n"
         "{id: b, after: [a], set: '${{ steps.a.failure.message }}'}",
         "line 4, column 37: steps.a.failure is not there if the step did not fail. Write "
         "steps.a.?failure.orValue(...), or test steps.a.status first\n"},
    });
    EXPECT_EQ(problems_of(with_lines("params: {n: {type: integer}}\n"
                                     "steps: [{id: a, if: params.n > 1, set: 1}, {id: b, set: 2}]\n"
                                     "output: steps.a.output + steps.b.output")),
              missing("4, column 15"));
}

TEST(FlowExpressions, WhatAlwaysFailsIsFoundBefore) {
    expect_steps({
        {"{id: a, set: '${{ 1 / 0 }}'}", "line 3, column 21: division by zero\n"},
        {"{id: a, set: '${{ params.n > 1 ? 1 / 0 : 2 }}'}", ""},
    });
    EXPECT_NE(problems_of(with_steps("{id: a, set: '${{ params.p + string(duration(''5x'')) }}'}")),
              "");
}

TEST(FlowExpressions, TypesAreChecked) {
    expect_steps({
        {"{id: a, if: params.n, set: 1}", "line 3, column 13: \"if\" must be a bool, not int\n"},
        {"{id: a, map: params.p, set: 1}",
         "line 3, column 14: \"map\" must be a list, not string\n"},
        {"{id: a, set: '${{ params.p + params.n }}'}",
         "line 3, column 28: `+` does not take (string, int)\n"},
        {"{id: a, map: '[1, 2]', set: '${{ item.size() }}'}",
         "line 3, column 39: size does not take (int)\n"},
        {"{id: a, map: [x], set: '${{ item + 1 }}'}",
         "line 3, column 34: `+` does not take (string, int)\n"},
        {"{id: a, exec: [b], output: lines},\n"
         "{id: c, needs: [a], set: '${{ steps.a.output.x }}'}",
         "line 4, column 46: list(string) has no fields, and no \"x\"\n"},
        {"{id: a, set: {x: 1}},\n{id: b, needs: [a], set: '${{ steps.a.output.y }}'}",
         "line 4, column 46: unknown field \"y\". Did you mean \"x\"?\n"},
        {"{id: a, http: {url: 'http://x'}},\n{id: b, needs: [a], if: steps.a.output.status, set: "
         "1}",
         "line 4, column 25: \"if\" must be a bool, not int\n"},
        {"{id: a, set: 1},\n{id: b, needs: [a], set: '${{ steps.a.failed }}'}",
         "line 4, column 39: unknown field \"failed\"\n"},
        {"{id: a, map: [1], set: 1},\n{id: b, needs: [a], set: '${{ steps.a.output[0] + \"\" }}'}",
         "line 4, column 49: `+` does not take (int, string)\n"},
        {"{id: a, map: [1], items_may_fail: 1, set: 1},\n"
         "{id: b, needs: [a], set: '${{ steps.a.failed[0].mesage }}'}",
         "line 4, column 49: unknown field \"mesage\". Did you mean \"message\"?\n"},
        {"{id: a, sleep: '${{ params.n > 1 }}'}",
         "line 3, column 16: \"sleep\" must be a string or a duration, not bool\n"},
    });
}

TEST(FlowExpressions, TheOutputOfAProgramHasATypeOnlyIfItIsWritten) {
    expect_steps({
        {"{id: a, exec: [b]},\n{id: c, needs: [a], set: '${{ steps.a.output.x }}'}", ""},
        {"{id: a, map: [1], items_may_fail: 1, set: 1},\n"
         "{id: b, needs: [a], set: '${{ steps.a.output[0].x }}'}",
         ""},
    });
}

TEST(FlowExpressions, BareExpressionsHaveNoBraces) {
    expect_steps({
        {"{id: a, if: '${{ params.n > 1 }}', set: 1}",
         "line 3, column 13: \"if\" is an expression already. Write it without ${{ }}\n"},
        {"{id: a, if: [1], set: 1}",
         "line 3, column 13: \"if\" must be an expression, not a list\n"},
        {"{id: a, if: '', set: 1}", "line 3, column 14: expected a value, found the end\n"},
    });
    EXPECT_EQ(problems_of(with_lines("steps: [{id: a, set: 1}]\noutput: '${{ steps.a.output }}'")),
              "line 3, column 9: \"output\" is an expression already. Write it without ${{ }}\n");
}

TEST(FlowExpressions, TheOutputIsAnExpressionOrAValueWithExpressions) {
    const Definition bare =
        read_good(with_lines("steps: [{id: a, set: 1}]\noutput: '{\"b\": {\"c\": 1}}'"));
    EXPECT_EQ(bare.output->run({})->map().size(), 1U);
    const Definition map =
        read_good(with_lines("steps: [{id: a, set: 1}]\noutput: {b: '${{ 1 + 1 }}', c: x}"));
    EXPECT_EQ(map.output->run({})->map().find("b")->integer(), 2);
}

TEST(FlowExpressions, PlacesAreExactInAllFormsOfTexts) {
    const auto place = [](const std::string& step) {
        const std::string all = problems_of("belay: 1\nname: x\nsteps:\n- id: a\n" + step);
        return all.substr(0, all.find(':'));
    };
    EXPECT_EQ(place("  set: ab ${{ q }}\n"), "line 5, column 15");
    EXPECT_EQ(place("  set: \"ab ${{ q }}\"\n"), "line 5, column 16");
    EXPECT_EQ(place("  set: |\n    ab\n    cd ${{ q }}\n"), "line 7, column 12");
    EXPECT_EQ(place("  set: |\n    ä ${{\n     q }}\n"), "line 7, column 6");
    EXPECT_EQ(place("  set: 1\n  if: |\n    true\n    && q\n"), "line 8, column 8");
    // The place of the text, where its characters cannot be found in the document.
    EXPECT_EQ(place("  set: >\n    ab\n    cd ${{ q }}\n"), "line 5, column 8");
    EXPECT_EQ(place("  set: \"a\\tb ${{ q }}\"\n"), "line 5, column 8");
}

}  // namespace
}  // namespace belay::flow
