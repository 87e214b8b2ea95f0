// Short words for evaluating expressions in tests.
#pragma once

#include "expr/program.hpp"
#include "expr/value_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace belay::expr {

/// Returns the variables of a JSON object.
inline Map variables(std::string_view json) {
    const auto value = parse_json(json);
    EXPECT_TRUE(value) << json;
    return value ? value->map() : Map();
}

/// Returns the result as JSON, or the problem as text.
inline std::string evaluated(std::string_view source, std::string_view names = "{}") {
    const auto program = Program::parse(source);
    if (!program) return to_string(program.error());
    const auto value = program->run(variables(names));
    if (!value) return to_string(value.error());
    const auto json = to_json(*value);
    return json ? *json : json.error().message();
}

/// An expression and its result, or the end of its problem.
struct Case {
    const char* source;
    const char* expected;
};

/// Checks that each expression gives its result, or a problem that ends so.
template <class Cases>
void expect_all(const Cases& cases, std::string_view names = "{}") {
    for (const auto& [source, expected] : cases) {
        const std::string found = evaluated(source, names);
        const bool problem = found.starts_with("line ");
        EXPECT_TRUE(problem ? found.ends_with(expected) : found == expected)
            << source << "\n  gives    " << found << "\n  expected " << expected;
    }
}

}  // namespace belay::expr
