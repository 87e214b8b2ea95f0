#include "flow/interpreter/params.hpp"

#include "expr/patterns.hpp"
#include "expr/value_json.hpp"
#include "flow/interpreter/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace belay::flow {

namespace {

using expr::Kind;
using expr::Value;

bool is_whole(const Value& value) {
    return value.is(Kind::integer) || value.is(Kind::unsigned_integer) ||
           (value.is(Kind::real) && std::trunc(value.real()) == value.real());
}

bool is_number(const Value& value) {
    return value.is(Kind::integer) || value.is(Kind::unsigned_integer) || value.is(Kind::real);
}

bool has_type(const Value& value, ParamType type) {
    switch (type) {
        case ParamType::string: return value.is(Kind::text);
        case ParamType::integer: return is_whole(value);
        case ParamType::number: return is_number(value);
        case ParamType::boolean: return value.is(Kind::boolean);
        case ParamType::list: return value.is(Kind::list);
        case ParamType::map: return value.is(Kind::map);
        case ParamType::any: return true;
    }
    return false;
}

bool elements_have_type(const Value& value, ParamType type) {
    if (value.is(Kind::list)) {
        return std::ranges::all_of(value.list(),
                                   [&](const Value& element) { return has_type(element, type); });
    }
    if (!value.is(Kind::map)) return true;
    return std::ranges::all_of(value.map().entries(),
                               [&](const auto& entry) { return has_type(entry.second, type); });
}

double number_in(const Value& value) {
    if (value.is(Kind::integer)) return static_cast<double>(value.integer());
    if (value.is(Kind::unsigned_integer)) return static_cast<double>(value.unsigned_integer());
    return value.real();
}

std::string shown(double number) {
    const bool is_short = std::trunc(number) == number && std::abs(number) < 1e15;
    if (is_short) return std::to_string(static_cast<std::int64_t>(number));
    return expr::to_json(Value(number)).or_throw();
}

/// Returns the text behind the name of the parameter; empty if the value fits.
std::string problem_of(const Param& param, const Value& value) {
    const std::string type(to_string(param.type));
    if (!has_type(value, param.type)) return " must be of the type " + type;
    if (!elements_have_type(value, param.of)) {
        return " must have elements of the type " + std::string(to_string(param.of));
    }
    if (!param.choices.empty() && std::ranges::none_of(param.choices, [&](const Value& choice) {
            return equal(choice, value);
        })) {
        return " must be one of the values that its definition lists";
    }
    if (!param.pattern.empty() && value.is(Kind::text)) {
        const auto matches = expr::matches_pattern(value.text(), param.pattern);
        if (!matches) return ": " + matches.error();
        if (!*matches) return " must match the pattern " + param.pattern;
    }
    if (!is_number(value)) return {};
    if (param.min && number_in(value) < *param.min) {
        return " must be at least " + shown(*param.min);
    }
    if (param.max && number_in(value) > *param.max) return " must be at most " + shown(*param.max);
    return {};
}

/// Finds a name that no parameter has.
std::optional<std::string> unknown_in(const std::vector<Param>& params, const expr::Map& given) {
    for (const auto& [name, value] : given.entries()) {
        const bool known = name.is(Kind::text) &&
                           std::ranges::any_of(params, [&, &key = name](const Param& param) {
                               return param.name == key.text();
                           });
        if (!known) return text_of(name);
    }
    return std::nullopt;
}

}  // namespace

std::expected<expr::Value, std::string> checked_params(const std::vector<Param>& params,
                                                       const expr::Value& given,
                                                       const std::string& path) {
    if (!given.is(Kind::map) && !given.is(Kind::null)) {
        return std::unexpected(path + " must be an object with a value for each name");
    }
    const expr::Map values = given.is(Kind::map) ? given.map() : expr::Map();
    if (const auto unknown = unknown_in(params, values)) {
        return std::unexpected(path + "." + *unknown + " is not known: remove it, or declare it");
    }
    Fields checked;
    for (const Param& param : params) {
        const Value* const value = values.find(param.name);
        if (value == nullptr || (value->is(Kind::null) && param.type != ParamType::any)) {
            if (!param.default_value && param.required) {
                return std::unexpected(path + "." + param.name + " is missing: give a value");
            }
            checked.emplace_back(param.name, param.default_value.value_or(Value()));
            continue;
        }
        if (std::string problem = problem_of(param, *value); !problem.empty()) {
            return std::unexpected(path + "." + param.name + problem);
        }
        checked.emplace_back(param.name, *value);
    }
    return Value(map_of(std::move(checked)));
}

}  // namespace belay::flow
