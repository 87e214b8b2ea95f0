// The kinds of steps, and the fields that belong to them.
#include "definitions.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <string>
#include <vector>

namespace belay::flow {
namespace {

/// The step begins in column 9, behind its id.
void expect_step(const std::vector<ProblemCase>& cases) {
    for (const auto& [step, problems] : cases) {
        EXPECT_EQ(problems_of(with_steps("{id: a, " + step + "}")), problems) << step;
    }
}

TEST(FlowActions, AStepHasOneKind) {
    expect_step({
        {"exec: [ls], script: ls",
         "line 3, column 21: the step has two kinds: exec and script. Make two steps of it\n"},
        {"needs: []",
         "line 3, column 1: the step has no kind. Give it one of exec, script, http, sleep, wait, "
         "approval, flow, activity or set\n"},
        {"set: 1, on_cancel: {timeout: 1s}",
         "line 3, column 17: a step of kind set has no \"on_cancel\". Steps of kind exec, script, "
         "http, sleep, wait, approval, flow and activity have it\n"
         "line 3, column 28: \"on_cancel\" has no kind. Give it one of exec, script, http or "
         "activity\n"},
    });
}

TEST(FlowActions, AFieldOfAnotherKindIsRefused) {
    expect_step({
        {"exec: [ls], with: {a: 1}",
         "line 3, column 21: a step of kind exec has no \"with\". Steps of kind flow and activity "
         "have it\n"},
        {"set: 1, env: {A: b}",
         "line 3, column 17: a step of kind set has no \"env\". Steps of kind exec and script have "
         "it\n"},
        {"wait: {event: e}, timeout: 1h",
         "line 3, column 27: a step of kind wait has no \"timeout\". Write it inside of "
         "\"wait\"\n"},
        {"approval: {prompt: ok}, map: [1]",
         "line 3, column 33: a step of kind approval has no \"map\". Steps of kind exec, script, "
         "http, sleep, flow, activity and set have it\n"},
        {"exec: [ls], retry: {only_status: [503]}",
         "line 3, column 29: a step of kind exec has no \"only_status\". Steps of kind http have "
         "it\n"},
        {"exec: [ls], as: x", "line 3, column 21: \"as\" needs \"map\"\n"},
        {"exec: [ls], items_may_fail: true",
         "line 3, column 21: \"items_may_fail\" needs \"map\"\n"},
    });
}

TEST(FlowActions, TheStopSignalIsThatOfTheStepElseThatOfDefaults) {
    const Definition flow = read_good(
        "belay: 1\nname: x\ndefaults: {stop_signal: INT}\n"
        "steps:\n- {id: a, exec: [ls]}\n- {id: b, script: ls, stop_signal: KILL}\n"
        "- {id: c, set: 1}\n");
    EXPECT_EQ(flow.steps[0].stop_signal, SIGINT);
    EXPECT_EQ(flow.steps[1].stop_signal, SIGKILL);
    EXPECT_EQ(read_good(with_steps("{id: a, exec: [ls]}")).steps[0].stop_signal, SIGTERM);
    for (const auto& [name, signal] : kStopSignals) {
        const std::string step = "{id: a, exec: [ls], stop_signal: " + std::string(name) + "}";
        EXPECT_EQ(read_good(with_steps(step)).steps[0].stop_signal, signal) << name;
    }
}

TEST(FlowActions, AnUnknownStopSignalIsRefused) {
    expect_step({
        {"exec: [ls], stop_signal: USR3",
         "line 3, column 34: \"stop_signal\" must be TERM, INT, HUP, QUIT, USR1, USR2 or KILL, not "
         "\"USR3\". Did you mean \"USR1\"?\n"},
        {"exec: [ls], stop_signal: SIGINT",
         "line 3, column 34: \"stop_signal\" must be TERM, INT, HUP, QUIT, USR1, USR2 or KILL, not "
         "\"SIGINT\". Write it without SIG: \"INT\"\n"},
        {"set: 1, stop_signal: INT",
         "line 3, column 17: a step of kind set has no \"stop_signal\". Steps of kind exec and "
         "script have it\n"},
    });
    EXPECT_THAT(problems_of("belay: 1\nname: x\ndefaults: {stop_signal: no}\n"
                            "steps: [{id: a, exec: [ls]}]\n"),
                ::testing::StartsWith("line 3, column 25: \"stop_signal\" must be TERM, "));
}

TEST(FlowActions, AProgramIsAListOfArguments) {
    expect_step({
        {"exec: ls -l",
         "line 3, column 15: \"exec\" must be a list, not a text. Write the program and its "
         "arguments as a list, or use \"script\" for a shell\n"},
        {"exec: []", "line 3, column 15: \"exec\" names no program\n"},
        {"exec: ['']", "line 3, column 16: the name of the program is empty\n"},
        {"exec: [a, [b]]", "line 3, column 19: \"exec\" must be a text, not a list\n"},
        {"exec: [a, \"\\0\"]", "line 3, column 19: an argument cannot have a zero byte\n"},
        {"exec: [a], output: yaml",
         "line 3, column 28: \"output\" must be text, lines, json or none, not \"yaml\"\n"},
    });
}

TEST(FlowActions, AScriptHasNoExpressions) {
    const std::string message =
        "a script cannot have expressions: a value could become code of the shell. Pass the value "
        "by \"env\" and write \"$NAME\" in the script\n";
    expect_step({
        {"script: 'echo ${{ params.p }}'", "line 3, column 23: " + message},
        {"script: ' '", "line 3, column 17: the script is empty\n"},
    });
    EXPECT_EQ(
        problems_of("belay: 1\nname: x\nsteps:\n- id: a\n  script: |\n    ls\n    rm ${{ x }}\n"),
        "line 7, column 8: " + message);
}

TEST(FlowActions, ARequestIsChecked) {
    expect_step({
        {"http: {url: 'ftp://x'}",
         "line 3, column 21: \"url\" must begin with http:// or https://\n"},
        {"http: {method: get, url: 'http://x'}",
         "line 3, column 24: \"method\" must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS, "
         "not \"get\"\n"},
        {"http: {url: 'http://x', json: 1, body: x}",
         "line 3, column 42: a request has \"json\" or \"body\", not both\n"},
        {"http: {url: 'http://x', headers: {'a b': c}}",
         "line 3, column 43: \"a b\" is no name of a header\n"},
        {"http: {url: 'http://x', headers: {a: \"b\\nc\"}}",
         "line 3, column 46: a header cannot have a line break\n"},
        {"http: {url: 'http://x', expect: [20]}",
         "line 3, column 42: \"expect\" must be from 100 to 599\n"},
        {"http: {}", "line 3, column 15: \"http\" needs the field \"url\"\n"},
    });
}

TEST(FlowActions, WaitsAreChecked) {
    expect_step({
        {"wait: {event: e, on_timeout: skip}",
         "line 3, column 38: \"on_timeout\" needs a \"timeout\"\n"},
        {"wait: {event: approval/a}",
         "line 3, column 23: the events approval/... are answers of people. Use a step of kind "
         "approval, or another name\n"},
        {"wait: e", "line 3, column 15: \"wait\" must be a map, not a text\n"},
        {"approval: {prompt: p, timeout: 1h, on_timeout: skp}",
         "line 3, column 56: \"on_timeout\" must be fail, skip or complete, not \"skp\". Did you "
         "mean \"skip\"?\n"},
        {"approval: {prompt: p, input: {a: {type: text}}}",
         "line 3, column 49: \"type\" must be string, integer, number, boolean, list, map or any, "
         "not \"text\"\n"},
        {"sleep: 10",
         "line 3, column 16: \"sleep\" must be a duration, not \"10\". Write numbers with units "
         "(ms, s, m, h, d, w or y), as in 90s or 1h30m\n"},
    });
}

TEST(FlowActions, OtherKindsAreChecked) {
    expect_step({
        {"activity: belay.exec",
         "line 3, column 19: names of activities that begin with \"belay.\" are Belay's own\n"},
        {"flow: Other",
         "line 3, column 15: \"flow\" must be small letters, digits, - and _, not \"Other\". It "
         "begins with a letter and has at most 63 characters\n"},
        {"set: .nan", "line 3, column 14: JSON cannot hold the number .nan\n"},
        {"activity: ''",
         "line 3, column 19: \"activity\" must have 1 to 200 bytes and no control characters\n"},
    });
}

TEST(FlowActions, RetriesAreChecked) {
    expect_step({
        {"exec: [a], retry: {attempts: 0}",
         "line 3, column 38: \"attempts\" must be from 1 to 100000\n"},
        {"exec: [a], retry: {factor: 0.5}",
         "line 3, column 36: \"factor\" must be from 1 to 1000\n"},
        {"exec: [a], retry: {delay: 10s, max_delay: 5s}",
         "line 3, column 51: \"max_delay\" is less than \"delay\"\n"},
        {"exec: [a], retry: {only_exit: [256]}",
         "line 3, column 40: \"only_exit\" must be from 0 to 255\n"},
    });
    const Definition flow =
        read_good(with_steps("{id: a, exec: [b], retry: {delay: 10m}}, {id: c, exec: [d]}"));
    EXPECT_EQ(flow.steps[0].retry.attempts, 3U);
    EXPECT_EQ(flow.steps[0].retry.max_delay, std::chrono::minutes(10));
    EXPECT_EQ(flow.steps[1].retry.attempts, 1U);
}

TEST(FlowActions, MapsAreChecked) {
    expect_step({
        {"map: [1, '${{ params.p }}'], set: 1",
         "line 3, column 18: a literal list cannot have expressions. Write the whole list as one "
         "expression, as in map: '[params.a, \"b\"]'\n"},
        {"map: [1], as: step, set: 1",
         "line 3, column 23: \"step\" has a meaning in expressions already\n"},
        {"map: [1], as: in, set: 1",
         "line 3, column 23: \"in\" has a meaning in expressions already\n"},
        {"map: [1], window: 0, set: 1", "line 3, column 27: \"window\" must be from 1 to 10000\n"},
        {"map: [1], items_may_fail: -1, set: 1",
         "line 3, column 35: \"items_may_fail\" must be from 0 to 4294967295\n"},
    });
    const Definition flow =
        read_good(with_steps("{id: a, map: [1, x], items_may_fail: true, set: '${{ index }}'}"));
    EXPECT_TRUE(flow.steps[0].map->any_may_fail);
    EXPECT_EQ(flow.steps[0].map->as, "item");
    EXPECT_EQ(flow.steps[0].map->over.run({})->list().size(), 2U);
}

TEST(FlowActions, AllCleanupTogetherFitsTheTimeThatACancelWaits) {
    const std::string step = "steps: [{id: a, exec: [b], on_cancel: {exec: [c], timeout: 10m}}]\n";
    const std::string lists = "finally: [{id: z, set: 1}]\non_cancel: [{id: c, set: 1}]\n";
    EXPECT_EQ(problems_of(with_lines(step + lists + "on_cancel_timeout: 21m")), "");
    const std::string long_one = problems_of(with_lines(step + lists + "on_cancel_timeout: 22m"));
    EXPECT_NE(long_one.find("line 3, column 10: the cleanup after a cancel may take longer than "
                            "61m: a cancel waits for an hour"),
              std::string::npos)
        << long_one;
    EXPECT_EQ(problems_of(with_lines(step + "finally_timeout: 1h")), "") << "it has no steps";
    const Definition flow = read_good(with_lines(step + "finally_timeout: 5m"));
    EXPECT_EQ(flow.finally_timeout, std::chrono::minutes(5));
    EXPECT_EQ(flow.on_cancel_timeout, std::chrono::minutes(30));
    EXPECT_EQ(longest_cleanup(flow), std::chrono::minutes(10));
}

TEST(FlowActions, CleanupHasAKindAndItsFields) {
    expect_step({
        {"exec: [a], on_cancel: {exec: [b], with: {}}",
         "line 3, column 43: a step of kind exec has no \"with\". Steps of kind flow and activity "
         "have it\n"},
        {"exec: [a], on_cancel: {exec: [b], timeout: 1h}",
         "line 3, column 52: \"timeout\" must be at most 50m: a cancel does not wait longer\n"},
        {"exec: [a], on_cancel: {sleep: 1s}",
         "line 3, column 31: \"on_cancel\" has no kind. Give it one of exec, script, http or "
         "activity\n"
         "line 3, column 32: unknown field \"sleep\" of \"on_cancel\"\n"},
    });
    const Definition flow =
        read_good(with_steps("{id: a, activity: b, on_cancel: {activity: c, with: {x: 1}}}"));
    EXPECT_EQ(flow.steps[0].on_cancel->with.size(), 1U);
}

TEST(FlowActions, AnActivityOfSeveralParametersHasArguments) {
    expect_step({
        {"activity: a, args: [1], with: {x: 1}",
         "line 3, column 1: the activity has two inputs: \"with\" and \"args\". Write \"args\" for "
         "an activity with several parameters, else \"with\"\n"},
        {"activity: a, args: [1], arg_types: [string, string]",
         "line 3, column 44: \"arg_types\" must have one type for each of \"args\"\n"},
        {"activity: a, args: [1], arg_types: [list]",
         "line 3, column 45: unknown type \"list\". Write json, string, integer, number or "
         "boolean, "
         "or list<...> or optional<...> of one of these\n"},
        {"activity: a, arg_types: [string]", "line 3, column 22: \"arg_types\" needs \"args\"\n"},
        {"set: 1, args: [1]",
         "line 3, column 17: a step of kind set has no \"args\". Steps of kind activity have it\n"},
    });
    const Definition flow = read_good(with_steps(
        "{id: a, activity: b, args: [x, '${{ params.n }}'], arg_types: [json, 'list<integer>']}"));
    ASSERT_TRUE(flow.steps[0].args);
    EXPECT_EQ(flow.steps[0].args->values.size(), 2U);
    EXPECT_EQ(to_string(flow.steps[0].args->types[1]), "list<integer>");
}

TEST(FlowActions, TypesOfCodeNestButNotWithoutEnd) {
    EXPECT_EQ(to_string(*CodeType::parse("optional<list<number>>")), "optional<list<number>>");
    std::string deep = "json";
    for (int i = 0; i < 20; ++i) deep = "list<" + deep + ">";
    for (const char* const bad : {"", "text", "list", "list<>", "list<string", "string<json>"}) {
        EXPECT_FALSE(CodeType::parse(bad)) << bad;
    }
    EXPECT_FALSE(CodeType::parse(deep));
}

TEST(FlowActions, TheConditionOfTheFlowSeesItsParamsAndNoSteps) {
    EXPECT_EQ(problems_of("{belay: 1, name: x, if: params.n > 0, params: {n: {type: integer}},\n"
                          "steps: [{id: a, set: 1}]}"),
              "");
    EXPECT_NE(problems_of("{belay: 1, name: x, if: steps.a.output, steps: [{id: a, set: true}]}"),
              "");
    EXPECT_NE(problems_of("{belay: 1, name: x, if: run.id, steps: [{id: a, set: true}]}"), "");
}

}  // namespace
}  // namespace belay::flow
