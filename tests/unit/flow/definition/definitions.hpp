// Definitions for tests, and their problems as text.
#pragma once

#include "flow/definition/reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// Returns the problems, one line each; empty: there are none.
inline std::string shown(const Problems& problems) {
    std::string text;
    for (const Problem& problem : problems) text += to_string(problem) + "\n";
    return text;
}

inline std::string problems_of(std::string_view text, const ReadOptions& options = {}) {
    const auto definition = read_definition(text, options);
    return definition ? "" : shown(definition.error());
}

/// Returns a definition with these lines behind its name. Its first line is line 2.
inline std::string with_lines(std::string_view lines) {
    return "belay: 1\n" + std::string(lines) + "\nname: x\n";
}

/// Returns a definition with these steps. The first one begins in line 3.
inline std::string with_steps(std::string_view steps) {
    return "{belay: 1, name: x, params: {p: {type: string}, n: {type: integer, default: 1}},\n"
           "steps: [\n" +
           std::string(steps) + "\n]}\n";
}

/// A part of a definition, and the problems in it.
struct ProblemCase {
    std::string text;
    std::string problems;
};

/// Reads a definition that has no problems.
inline Definition read_good(std::string_view text) {
    auto definition = read_definition(text);
    EXPECT_TRUE(definition) << shown(definition.error());
    return definition ? *std::move(definition) : Definition();
}

}  // namespace belay::flow
