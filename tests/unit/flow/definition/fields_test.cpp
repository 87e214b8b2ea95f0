// Fields: unknown ones, missing ones, and values of the wrong type.
#include "definitions.hpp"
#include "flow/definition/limits.hpp"

#include <vector>

namespace belay::flow {
namespace {

void expect_lines(const std::vector<ProblemCase>& cases) {
    for (const auto& [text, problems] : cases) {
        EXPECT_EQ(problems_of(with_lines(text + "\nsteps: [{id: a, set: 1}]")), problems) << text;
    }
}

TEST(FlowFields, AnUnknownFieldIsNamedWithTheNearestOne) {
    expect_lines({
        {"tiemout: 1h",
         "line 2, column 1: unknown field \"tiemout\" of the definition. Did you mean "
         "\"timeout\"?\n"},
        {"inputs: {}",
         "line 2, column 1: unknown field \"inputs\" of the definition. Here it is \"params\"\n"},
        {"xyz: 1", "line 2, column 1: unknown field \"xyz\" of the definition\n"},
        {"concurrency: {key: '1', when_busi: queue}",
         "line 2, column 25: unknown field \"when_busi\" of \"concurrency\". Did you mean "
         "\"when_busy\"?\n"},
    });
    EXPECT_EQ(problems_of(with_steps("{id: a, script: ls, depends_on: [b]}")),
              "line 3, column 21: unknown field \"depends_on\" of a step. Here it is \"needs\"\n");
}

TEST(FlowFields, AMissingFieldIsNamed) {
    EXPECT_EQ(problems_of("{}"),
              "line 1, column 1: the definition needs the field \"belay\"\n"
              "line 1, column 1: the definition needs the field \"name\"\n"
              "line 1, column 1: the definition needs the field \"steps\"\n");
    EXPECT_EQ(problems_of(with_steps("{set: 1}")),
              "line 3, column 1: a step needs the field \"id\"\n");
    expect_lines({{"rate: {starts: 0, when_over: drop}",
                   "line 2, column 7: \"rate\" needs the field \"per\"\n"
                   "line 2, column 16: \"starts\" must be from 1 to 100000\n"}});
    expect_lines({{"concurrency: {when_busy: queue}",
                   "line 2, column 14: \"concurrency\" needs the field \"key\"\n"}});
}

TEST(FlowFields, AValueOfTheWrongTypeIsRefused) {
    expect_lines({
        {"description: [a]", "line 2, column 14: \"description\" must be a text, not a list\n"},
        {"description: 12",
         "line 2, column 14: \"description\" must be a text, not an integer. Write it in quotes: "
         "\"12\"\n"},
        {"params: [a]", "line 2, column 9: \"params\" must be a map, not a list\n"},
        {"labels: {a: [b]}", "line 2, column 13: \"a\" must be a text, not a list\n"},
        {"on_fail: {id: b}", "line 2, column 10: \"on_fail\" must be a list, not a map\n"},
        {"env: {1A: x}",
         "line 2, column 7: \"1A\" cannot be the name of a variable. Use letters, digits and _, "
         "and no digit at the start\n"},
        {"env: {BELAY_OUTPUT: x}", "line 2, column 7: Belay sets BELAY_OUTPUT itself\n"},
    });
    EXPECT_EQ(problems_of("- a"), "line 1, column 1: the definition must be a map, not a list\n");
}

TEST(FlowFields, ABadDurationTellsHowToWriteOne) {
    const std::string advice =
        ". Write numbers with units (ms, s, m, h, d, w or y), as in 90s or 1h30m\n";
    expect_lines({
        {"timeout: 90", "line 2, column 10: \"timeout\" must be a duration, not \"90\"" + advice},
        {"timeout: 1 hour",
         "line 2, column 10: \"timeout\" must be a duration, not \"1 hour\"" + advice},
        {"expires: []", "line 2, column 10: \"expires\" must be a duration, not a list" + advice},
        {"expires: 0s", "line 2, column 10: \"expires\" must be at least 1ms\n"},
        {"expires: 11y", "line 2, column 10: \"expires\" must be at most 10y\n"},
    });
}

TEST(FlowFields, AnotherVersionOfTheLanguageIsRefused) {
    EXPECT_EQ(
        problems_of("belay: 2\nname: x\nsteps: [{id: a, set: 1}]"),
        "line 1, column 8: version 2 of the language is unknown. This Belay knows version 1\n");
}

TEST(FlowFields, NamesHaveARestrictedForm) {
    EXPECT_EQ(
        problems_of("belay: 1\nname: My Flow\nsteps: [{id: a, set: 1}]"),
        "line 2, column 7: \"name\" must be small letters, digits, - and _, not \"My Flow\". It "
        "begins with a letter and has at most 63 characters\n");
    EXPECT_EQ(
        problems_of(with_steps("{id: a-b, set: 1}")),
        "line 3, column 6: \"id\" must be small letters, digits and _, not \"a-b\". It begins "
        "with a letter and has at most 63 characters\n");
}

TEST(FlowFields, AllProblemsOfATextAreListedInTheirOrder) {
    EXPECT_EQ(problems_of("belay: 1\n"
                          "name: X\n"
                          "steps:\n"
                          "  - {id: a, needs: [b], exec: [true]}\n"
                          "  - {id: c, if: parms.x, window: 3, set: 1}\n"
                          "timeout: x\n"),
              "line 2, column 7: \"name\" must be small letters, digits, - and _, not \"X\". It "
              "begins with a letter and has at most 63 characters\n"
              "line 4, column 21: unknown step \"b\"\n"
              "line 5, column 17: unknown name \"parms\". Did you mean \"params\"?\n"
              "line 5, column 26: \"window\" needs \"map\"\n"
              "line 6, column 10: \"timeout\" must be a duration, not \"x\". Write numbers with "
              "units (ms, s, m, h, d, w or y), as in 90s or 1h30m\n");
}

TEST(FlowFields, AKeyThatIsThereTwiceHidesNoOtherProblem) {
    EXPECT_EQ(problems_of("belay: 1\nname: x\nname: y\nsteps: [{id: a, set: 1, sett: 2}]\n"),
              "line 3, column 1: the key \"name\" is there twice. It is in line 2, too\n"
              "line 4, column 25: unknown field \"sett\" of a step. Did you mean \"set\"?\n");
}

TEST(FlowFields, CommonMistakesHaveAdvice) {
    EXPECT_EQ(
        problems_of("belay: \"1\"\nname: x\nsteps:\n"
                    "  - {id: a, exec: [x], retry: 3}\n"
                    "  - {id: b, exec: [x], retry: {attempts: \"3\"}}\n"
                    "  - {id: c, approval: {prompt: p, from: operator}}\n"
                    "  - {<<: {timeout: 1m}, id: d, set: 1}\n"),
        "line 1, column 8: \"belay\" must be an integer, not a text. Write it without "
        "quotes: 1\n"
        "line 4, column 31: \"retry\" must be a map, not an integer. Write retry: {attempts: "
        "3}\n"
        "line 5, column 42: \"attempts\" must be an integer, not a text. Write it without "
        "quotes: 3\n"
        "line 6, column 41: \"from\" must be a list, not a text. Write [operator]\n"
        "line 7, column 6: unknown field \"<<\" of a step. There are no merge keys: write the "
        "fields\n");
}

TEST(FlowFields, ATextThatIsNoYamlHasOneProblem) {
    EXPECT_EQ(problems_of("belay: 1\nname: [x\n").substr(0, 6), "line 3");
    EXPECT_EQ(problems_of("belay: 1\nname: 'x\n"),
              "line 2, column 7: the text has no closing quote. The file may have been cut\n");
}

TEST(FlowFields, LimitsAreKept) {
    EXPECT_EQ(problems_of(std::string(kMostSource + 1, '#')),
              "line 1, column 1: the definition is longer than 1048576 bytes\n");
    std::string steps;
    for (std::size_t i = 0; i <= kMostSteps; ++i) {
        steps += "{id: s" + std::to_string(i) + ", set: 1},\n";
    }
    EXPECT_EQ(
        problems_of(with_steps(steps)),
        "line 1003, column 1: there are more than 1000 steps. Map over a list, or start other "
        "flows\n");
}

}  // namespace
}  // namespace belay::flow
