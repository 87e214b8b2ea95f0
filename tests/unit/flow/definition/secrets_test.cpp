// Secrets: where they may stand.
#include "definitions.hpp"

#include <vector>

namespace belay::flow {
namespace {

std::string secret_problems(const std::string& step) {
    return problems_of("{belay: 1, name: x, secrets: {token: {env: T}}, steps: [\n" + step + "]}");
}

TEST(FlowSecrets, MayLeaveTheRunByRequestsAndPrograms) {
    const std::vector<std::string> cases = {
        "{id: a, exec: [b], env: {T: '${{ secrets.token }}'}}",
        "{id: a, script: b, stdin: 'x ${{ secrets.token }}'}",
        "{id: a, http: {url: 'https://x/${{ secrets.token }}'}}",
        "{id: a, http: {url: 'https://x', headers: {A: 'Bearer ${{ secrets.token }}'}}}",
        "{id: a, http: {url: 'https://x', json: {a: ['${{ secrets[\"token\"] }}']}}}",
        "{id: a, http: {url: 'https://x', body: '${{ \"a\" + secrets.token }}'}}",
        "{id: a, http: {url: 'https://x', json: '${{ {\"a\": [secrets.token]} }}'}}",
        "{id: a, http: {url: 'https://x', body: '${{ run.id == \"\" ? secrets.token : \"\" }}'}}",
        "{id: a, exec: [b], on_cancel: {exec: [c], env: {T: '${{ secrets.token }}'}}}",
    };
    for (const std::string& step : cases) EXPECT_EQ(secret_problems(step), "") << step;
}

TEST(FlowSecrets, AreRefusedWhereTheyWouldBeRecorded) {
    const std::string refusal =
        ": a secret cannot be used here: it would be recorded or shown. Secrets may stand in "
        "\"env\", in \"stdin\", and in the url, headers, json and body of \"http\"\n";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"{id: a, if: secrets.token == '', set: 1}", "line 2, column 13"},
        {"{id: a, map: '[secrets.token]', set: 1}", "line 2, column 16"},
        {"{id: a, set: '${{ secrets.token }}'}", "line 2, column 19"},
        {"{id: a, exec: [b, '${{ secrets.token }}']}", "line 2, column 24"},
        {"{id: a, exec: [b], dir: '${{ secrets.token }}'}", "line 2, column 30"},
        {"{id: a, flow: b, with: {c: '${{ secrets.token }}'}}", "line 2, column 33"},
        {"{id: a, activity: b, with: {c: '${{ secrets.token }}'}}", "line 2, column 37"},
        {"{id: a, approval: {prompt: '${{ secrets.token }}'}}", "line 2, column 33"},
        {"{id: a, set: 1, end_flow: secrets.token == ''}", "line 2, column 27"},
    };
    for (const auto& [step, place] : cases)
        EXPECT_EQ(secret_problems(step), place + refusal) << step;
    EXPECT_EQ(problems_of(with_lines("secrets: {t: {env: T}}\nsteps: [{id: a, set: 1}]\n"
                                     "output: secrets.t")),
              "line 4, column 9" + refusal);
}

TEST(FlowSecrets, CanBeInsertedButNotComputedWith) {
    const std::string message =
        ": a secret is not known here: it can only be inserted into a text. Write ${{ "
        "secrets.token }}, or join it with +\n";
    EXPECT_EQ(secret_problems("{id: a, exec: [b], env: {T: '${{ secrets.token.size() }}'}}"),
              "line 2, column 34" + message);
    EXPECT_EQ(secret_problems("{id: a, exec: [b], env: {T: '${{ secrets.token == \"\" }}'}}"),
              "line 2, column 34" + message);
    EXPECT_EQ(secret_problems("{id: a, exec: [b], env: {T: '${{ secrets.token + 1 }}'}}"),
              "line 2, column 48: `+` does not take (string, int)\n");
}

TEST(FlowSecrets, AreNamed) {
    EXPECT_EQ(secret_problems("{id: a, exec: [b], env: {T: '${{ secrets.tokn }}'}}"),
              "line 2, column 42: unknown secret \"tokn\". Did you mean \"token\"?\n");
    EXPECT_EQ(secret_problems("{id: a, exec: [b], env: {T: '${{ secrets }}'}}"),
              "line 2, column 34: a secret must be named. Write secrets.<name>\n");
}

TEST(FlowSecrets, ComeFromOnePlace) {
    EXPECT_EQ(problems_of(with_lines("secrets: {a: {env: A, file: b}, c: {}, d: {env: 'x=y'}}\n"
                                     "steps: [{id: a, set: 1}]")),
              "line 2, column 14: a secret comes from \"env\" or from \"file\"\n"
              "line 2, column 36: a secret comes from \"env\" or from \"file\"\n"
              "line 2, column 49: a name of the environment has no \"=\"\n");
}

TEST(FlowSecrets, TheEnvironmentOfTheFlowSeesThem) {
    EXPECT_EQ(problems_of(with_lines("secrets: {t: {file: /run/t}}\nenv: {T: '${{ secrets.t }}'}\n"
                                     "steps: [{id: a, exec: [b]}]")),
              "");
    EXPECT_EQ(problems_of(with_lines("env: {T: '${{ steps.a.output }}'}\n"
                                     "steps: [{id: a, exec: [b]}]")),
              "line 2, column 15: unknown name \"steps\". Only steps and the output see other "
              "steps\n");
}

}  // namespace
}  // namespace belay::flow
