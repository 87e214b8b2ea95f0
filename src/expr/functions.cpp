#include "expr/functions.hpp"

#include <algorithm>

namespace belay::expr {

namespace {

FunctionTable all_functions() {
    FunctionTable table;
    add_operators(table);
    add_conversions(table);
    add_text_functions(table);
    add_list_functions(table);
    add_math_functions(table);
    add_time_functions(table);
    add_optional_functions(table);
    return table;
}

bool takes(const Overload& overload, Arguments arguments) {
    return std::ranges::equal(
        overload.parameters, arguments, [](const Type& parameter, const Value& argument) {
            return !parameter.kind() || parameter.is(argument.kind());
        });
}

std::string names_of(Arguments arguments) {
    std::string names;
    for (const Value& argument : arguments) {
        if (!names.empty()) names += ", ";
        names += to_string(Type(argument.kind()));
    }
    return names;
}

}  // namespace

std::unexpected<Failure> over_budget() {
    return std::unexpected(Failure{"the expression takes too much work or memory", true});
}

const OverloadSet* find_functions(std::string_view name, bool method) {
    static const FunctionTable kTable = all_functions();
    return kTable.find(name, method);
}

std::string shown_name(const OverloadSet& set) {
    std::string_view name = set.name;
    if (!name.starts_with('_') && !name.ends_with('_')) return set.name;
    if (name.starts_with('_')) name.remove_prefix(1);
    if (name.ends_with('_')) name.remove_suffix(1);
    return "`" + std::string(name) + "`";
}

Outcome call(const OverloadSet& set, Arguments arguments, Budget& budget) {
    const auto found = std::ranges::find_if(
        set.overloads, [&](const Overload& overload) { return takes(overload, arguments); });
    if (found == set.overloads.end()) {
        return failed(shown_name(set) + " does not take (" + names_of(arguments) + ")");
    }
    return found->run(arguments, budget);
}

const OverloadSet* FunctionTable::find(std::string_view name, bool method) const {
    const auto& table = method ? methods_ : functions_;
    const auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
}

void FunctionTable::add(std::string_view name, bool method, Overload overload) {
    auto& table = method ? methods_ : functions_;
    OverloadSet& set = table[std::string(name)];
    set.name = name;
    set.method = method;
    set.overloads.push_back(std::move(overload));
}

}  // namespace belay::expr
