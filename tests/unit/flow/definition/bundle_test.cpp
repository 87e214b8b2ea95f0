// Bundles: a definition with all that it starts.
#include "flow/definition/bundle.hpp"

#include "definitions.hpp"

#include <map>
#include <vector>

namespace belay::flow {
namespace {

using TextsByName = std::map<std::string, std::string, std::less<>>;

std::string definition(const std::string& name, const std::string& steps) {
    return "{belay: 1, name: " + name +
           ", params: {n: {type: integer}, m: {type: number, default: " + "1.5}},\nsteps: [" +
           steps + "]}";
}

/// Finds texts, and remembers what was asked for.
struct Library {
    TextsByName texts;
    std::vector<std::string> asked{};

    FindFlow find() {
        return [this](std::string_view name) -> std::optional<std::string> {
            asked.emplace_back(name);
            const auto found = texts.find(name);
            if (found == texts.end()) return std::nullopt;
            return found->second;
        };
    }
};

std::string bundle_problems(const std::string& main, Library library) {
    const auto bundle = read_bundle(main, library.find());
    return bundle ? "" : shown(bundle.error());
}

TEST(FlowBundle, ReadsEachDefinitionOnce) {
    Library library{{{"b", definition("b", "{id: x, flow: c, with: {n: 1}}")},
                     {"c", definition("c", "{id: y, flow: b, with: {n: 1}}")}}};
    const std::string main = definition(
        "a", "{id: p, flow: b, with: {n: 1}}, {id: q, flow: c, with: {n: '${{ params.n }}'}}");
    const auto bundle = read_bundle(main, library.find());
    ASSERT_TRUE(bundle) << shown(bundle.error());
    EXPECT_EQ(library.asked, (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(bundle->flows.size(), 3U);
    EXPECT_EQ(bundle->main_flow().name, "a");
}

TEST(FlowBundle, ADefinitionMayStartItself) {
    Library library{};
    const auto bundle =
        read_bundle(definition("a", "{id: p, flow: a, with: {n: 1}}"), library.find());
    ASSERT_TRUE(bundle) << shown(bundle.error());
    EXPECT_TRUE(library.asked.empty());
}

TEST(FlowBundle, StepsKnowIfTheFlowThatTheyStartHandlesItsFailures) {
    const std::string handler = "on_fail: [{id: tell, flow: d, with: {n: 1}}]";
    std::string careful = definition("b", "{id: x, flow: c, with: {n: 1}}");
    careful.insert(careful.size() - 1, ", " + handler);
    Library library{{{"b", careful},
                     {"c", definition("c", "{id: y, flow: b, with: {n: 1}}")},
                     {"d", definition("d", "{id: z, set: 1}")}}};
    const auto read =
        read_bundle(definition("a", "{id: p, flow: b, with: {n: 1}}"), library.find());
    ASSERT_TRUE(read) << shown(read.error());
    const auto opened = open_bundle(write_bundle(*read));
    ASSERT_TRUE(opened.ok()) << opened.error().describe();
    const auto is_careful = [](const Step& step) {
        return std::get<SubFlow>(step.action).has_on_fail;
    };
    for (const Bundle* const bundle : {&*read, &*opened}) {
        const auto& flows = bundle->flows;
        EXPECT_TRUE(is_careful(flows.at("a").steps[0]));
        EXPECT_FALSE(is_careful(flows.at("b").steps[0]));
        EXPECT_FALSE(is_careful(flows.at("b").on_fail[0]));
        EXPECT_TRUE(is_careful(flows.at("c").steps[0]));
    }
}

TEST(FlowBundle, AMissingDefinitionIsReported) {
    EXPECT_EQ(bundle_problems(definition("a", "{id: p, flow: b}, {id: q, flow: b}"), {}),
              "a, line 2, column 23: there is no flow \"b\". Its definition must be known, too: "
              "a file b.yaml, b.yml or b.json beside this one\n");
    EXPECT_EQ(bundle_problems(definition("a", "{id: p, flow: b, with: {n: 1}}"),
                              {{{"b", definition("c", "{id: x, set: 1}")}}}),
              "b, line 1, column 1: this is the definition of \"c\", not of \"b\"\n");
}

TEST(FlowBundle, ProblemsNameTheirDefinition) {
    EXPECT_EQ(
        bundle_problems(definition("a", "{id: p, flow: b, wit: {n: 1}}"),
                        {{{"b", definition("b", "{id: x, sett: 1}")}}}),
        "a, line 2, column 26: unknown field \"wit\" of a step. Did you mean \"with\"?\n"
        "b, line 2, column 9: the step has no kind. Give it one of exec, script, http, sleep, "
        "wait, approval, flow, activity or set\n"
        "b, line 2, column 17: unknown field \"sett\" of a step. Did you mean \"set\"?\n");
}

TEST(FlowBundle, WhatIsPassedIsChecked) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"{m: 2}",
         "a, line 3, column 8: the flow \"b\" needs the param \"n\". Write it under \"with\"\n"},
        {"{n: x}", "a, line 3, column 21: param \"n\" must be an integer, not a text\n"},
        {"{n: 1, nn: 2}",
         "a, line 3, column 24: the flow \"b\" has no param \"nn\". Did you mean \"n\"?\n"},
        {"{n: '${{ run.id }}'}",
         "a, line 3, column 21: param \"n\" must be an integer, not string\n"},
        {"{n: 'x${{ params.n }}'}",
         "a, line 3, column 21: param \"n\" must be an integer, not string\n"},
        {"{n: '${{ params.n }}', m: '${{ params.n }}'}", ""},
        {"{n: 1, m: '${{ params.m }}'}", ""},
    };
    const Library library{{{"b", definition("b", "{id: x, set: 1}")}}};
    for (const auto& [with, problems] : cases) {
        EXPECT_EQ(
            bundle_problems(definition("a", "{id: p,\n flow: b, with: " + with + "}"), library),
            problems.empty() ? "" : problems)
            << with;
    }
}

TEST(FlowBundle, ADocumentIsCanonicalAndOpensAgain) {
    const std::string main =
        "# A comment stays.\n" + definition("a", "{id: p, flow: b, with: {n: 1}}");
    Library library{{{"b", definition("b", "{id: x, set: '${{ params.n }}'}")}}};
    const auto bundle = read_bundle(main, library.find());
    ASSERT_TRUE(bundle) << shown(bundle.error());
    const std::string document = write_bundle(*bundle);
    EXPECT_TRUE(document.starts_with(
        R"({"belay":1,"main":"a","flows":{"a":"# A comment stays.\n{belay: 1, name: a)"))
        << document;
    const auto opened = open_bundle(document);
    ASSERT_TRUE(opened) << opened.error().describe();
    EXPECT_EQ(opened->main, "a");
    EXPECT_EQ(opened->sources, bundle->sources);
    EXPECT_EQ(opened->main_flow().steps.size(), 1U);
    EXPECT_EQ(write_bundle(*opened), document);
}

TEST(FlowBundle, OpeningDoesNotRepeatTheChecks) {
    // A later release may refuse what this one accepted; a run under way must not notice.
    const std::string text = definition("a", "{id: p, set: '${{ steps.nosuch.output }}'}");
    ASSERT_NE(belay::flow::problems_of(text), "");
    Bundle bundle;
    bundle.main = "a";
    bundle.sources.emplace("a", text);
    EXPECT_TRUE(open_bundle(write_bundle(bundle)));
}

TEST(FlowBundle, AnyOtherDocumentIsCorrupt) {
    const std::vector<std::string> cases = {"",
                                            "[]",
                                            "{}",
                                            R"({"belay":1,"main":"a","flows":{}})",
                                            R"({"belay":2,"main":"a","flows":{}})",
                                            R"({"belay":1,"main":"a","flows":{"a":"x"}})",
                                            R"({"belay":1,"main":"a","flows":[]})"};
    for (const std::string& document : cases) {
        const auto opened = open_bundle(document);
        ASSERT_FALSE(opened) << document;
        EXPECT_EQ(opened.error().code(), Errc::corrupt) << document;
    }
}

}  // namespace
}  // namespace belay::flow
