// Flows and cases from texts.
#pragma once

#include "flow/interpreter/values.hpp"
#include "flow/testing/case_run.hpp"
#include "flow/testing/read_cases.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay::flow::test {

using Texts = std::map<std::string, std::string, std::less<>>;

inline Bundle read_flows(const std::string& main, const Texts& others = {}) {
    const auto find = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = others.find(name);
        if (found == others.end()) return std::nullopt;
        return found->second;
    };
    auto bundle = read_bundle(main, find);
    if (bundle) return *std::move(bundle);
    ADD_FAILURE() << described(bundle.error());
    return {};
}

/// Reads the file with one case, whose fields are these lines.
inline FlowCases read_case(const std::string& lines) {
    std::string text = "flow: x.yaml\ncases:\n  - name: one\n";
    std::size_t from = 0;
    while (from < lines.size()) {
        const std::size_t end = std::min(lines.find('\n', from), lines.size());
        text.append("    ").append(lines, from, end - from).append("\n");
        from = end + 1;
    }
    ReadCases cases = read_cases(text);
    EXPECT_TRUE(cases.problems.empty()) << described(cases.problems) << "\n" << text;
    return cases.problems.empty() ? std::move(cases.file) : FlowCases();
}

/// Runs the case, and returns its differences, a line each.
inline std::string differences(const Bundle& bundle, const std::string& lines) {
    const FlowCases cases = read_case(lines);
    if (cases.cases.empty()) return "no case";
    const Problems wrong = check_cases(cases, bundle);
    if (!wrong.empty()) return described(wrong);
    std::string text;
    for (const CaseDifference& difference : run_case(bundle, cases.cases.front()).differences) {
        text += difference.text + "\n";
    }
    return text;
}

}  // namespace belay::flow::test
