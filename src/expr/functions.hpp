// The functions and operators of expressions. Each has its types and its code in one table: the
// checker reads the types, the evaluator runs the code.
#pragma once

#include "expr/budget.hpp"
#include "expr/type.hpp"
#include "expr/value.hpp"

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::expr {

/// The reason why a function has no result.
struct Failure {
    std::string message;
    bool limit = false;
};

using Outcome = std::expected<Value, Failure>;
using Arguments = std::span<const Value>;

[[nodiscard]] inline std::unexpected<Failure> failed(std::string message) {
    return std::unexpected(Failure{std::move(message)});
}
/// The evaluation has used up its work or its memory.
[[nodiscard]] std::unexpected<Failure> over_budget();

struct Overload {
    std::vector<Type> parameters;
    Type result;
    Outcome (*run)(Arguments, Budget&);
};

/// All functions of one name.
struct OverloadSet {
    std::string name;
    bool method = false;
    std::vector<Overload> overloads;
};

/// Returns nullptr if there is no such function. Operators have names like `_+_`.
[[nodiscard]] const OverloadSet* find_functions(std::string_view name, bool method);

/// Returns the name of a function for messages: `+` for the operator `_+_`.
[[nodiscard]] std::string shown_name(const OverloadSet& set);

/// Calls the overload that takes these arguments.
[[nodiscard]] Outcome call(const OverloadSet& set, Arguments arguments, Budget& budget);

/// Collects functions.
class FunctionTable {
public:
    using Run = Outcome (*)(Arguments, Budget&);

    void function(std::string_view name, std::vector<Type> parameters, Type result, Run run) {
        add(name, false, {std::move(parameters), std::move(result), run});
    }
    /// The first parameter stands before the dot.
    void method(std::string_view name, std::vector<Type> parameters, Type result, Run run) {
        add(name, true, {std::move(parameters), std::move(result), run});
    }

    [[nodiscard]] const OverloadSet* find(std::string_view name, bool method) const;

private:
    void add(std::string_view name, bool method, Overload overload);

    std::map<std::string, OverloadSet, std::less<>> functions_;
    std::map<std::string, OverloadSet, std::less<>> methods_;
};

void add_operators(FunctionTable& table);
void add_conversions(FunctionTable& table);
void add_text_functions(FunctionTable& table);
void add_list_functions(FunctionTable& table);
void add_math_functions(FunctionTable& table);
void add_time_functions(FunctionTable& table);
void add_optional_functions(FunctionTable& table);

}  // namespace belay::expr
