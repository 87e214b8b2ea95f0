// Values and the types of params.
#include "expr/characters.hpp"
#include "expr/patterns.hpp"
#include "expr/value_json.hpp"
#include "flow/definition/params.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

namespace belay::flow {

namespace {

using Fitted = std::expected<expr::Value, std::string>;

}  // namespace

std::string_view with_article(ParamType type) noexcept {
    switch (type) {
        case ParamType::string: return "a text";
        case ParamType::integer: return "an integer";
        case ParamType::number: return "a number";
        case ParamType::boolean: return "true or false";
        case ParamType::list: return "a list";
        case ParamType::map: return "a map";
        case ParamType::any: return "anything";
    }
    return "anything";
}

namespace {

std::string_view noun(const expr::Value& value) noexcept {
    switch (value.kind()) {
        case expr::Kind::null: return "null";
        case expr::Kind::boolean: return "a boolean";
        case expr::Kind::integer:
        case expr::Kind::unsigned_integer: return "an integer";
        case expr::Kind::real: return "a number with a fraction";
        case expr::Kind::text: return "a text";
        case expr::Kind::list: return "a list";
        case expr::Kind::map: return "a map";
        default: return to_string(value.kind());
    }
}

std::unexpected<std::string> wrong(ParamType type, const expr::Value& value) {
    return std::unexpected("must be " + std::string(with_article(type)) + ", not " +
                           std::string(noun(value)));
}

Fitted fit_number(const expr::Value& value) {
    if (value.is(expr::Kind::real)) return value;
    if (value.is(expr::Kind::integer)) return expr::Value(static_cast<double>(value.integer()));
    if (value.is(expr::Kind::unsigned_integer)) {
        return expr::Value(static_cast<double>(value.unsigned_integer()));
    }
    return wrong(ParamType::number, value);
}

/// Checks the type alone. `of`: the type of what is in a list or a map.
Fitted fit_type(ParamType type, ParamType of, const expr::Value& value);

Fitted fit_list(ParamType of, const expr::Value& value) {
    expr::List items;
    items.reserve(value.list().size());
    for (const expr::Value& item : value.list()) {
        auto one = fit_type(of, ParamType::any, item);
        if (!one)
            return std::unexpected("element " + std::to_string(items.size()) + " " + one.error());
        items.push_back(*std::move(one));
    }
    return expr::Value(std::move(items));
}

Fitted fit_map(ParamType of, const expr::Value& value) {
    std::vector<expr::Map::Entry> entries;
    entries.reserve(value.map().size());
    for (const auto& [key, item] : value.map().entries()) {
        auto one = fit_type(of, ParamType::any, item);
        if (!one) {
            const std::string name = key.is(expr::Kind::text) ? key.text() : "";
            return std::unexpected("the value of \"" + name + "\" " + one.error());
        }
        entries.emplace_back(key, *std::move(one));
    }
    return expr::Value(expr::Map::make(std::move(entries)).value_or(expr::Map()));
}

Fitted fit_type(ParamType type, ParamType of, const expr::Value& value) {
    switch (type) {
        case ParamType::any: return value;
        case ParamType::string:
            if (value.is(expr::Kind::text)) return value;
            break;
        case ParamType::integer:
            if (value.is(expr::Kind::integer)) return value;
            if (value.is(expr::Kind::unsigned_integer)) {
                return std::unexpected("is too large: an integer has 64 bits");
            }
            break;
        case ParamType::number: return fit_number(value);
        case ParamType::boolean:
            if (value.is(expr::Kind::boolean)) return value;
            break;
        case ParamType::list:
            if (value.is(expr::Kind::list)) return fit_list(of, value);
            break;
        case ParamType::map:
            if (value.is(expr::Kind::map)) return fit_map(of, value);
            break;
    }
    return wrong(type, value);
}

std::string as_json(const expr::Value& value) {
    const auto text = expr::to_json(value);
    return text ? *text : "?";
}

/// A range of integers is shown with integers.
std::string shown_bound(const Param& param, double bound) {
    const bool whole =
        param.type == ParamType::integer && std::floor(bound) == bound && std::abs(bound) < 0x1p62;
    if (whole) return std::to_string(static_cast<std::int64_t>(bound));
    return as_json(expr::Value(bound));
}

/// Returns why a value of the right type is not allowed.
std::optional<std::string> find_refusal(const Param& param, const expr::Value& value) {
    if (!param.choices.empty() && std::ranges::none_of(param.choices, [&](const expr::Value& one) {
            return equal(one, value);
        })) {
        std::string all;
        for (const expr::Value& one : param.choices) {
            all += (all.empty() ? "" : ", ") + as_json(one);
        }
        return "must be one of " + all;
    }
    if (!param.pattern.empty() && value.is(expr::Kind::text) &&
        !expr::matches_pattern(value.text(), param.pattern).value_or(false)) {
        return "must match " + param.pattern;
    }
    const auto is_less = [](const expr::Value& a, const expr::Value& b) {
        return compare(a, b) == std::partial_ordering::less;
    };
    if (param.min && is_less(value, expr::Value(*param.min))) {
        return "must be at least " + shown_bound(param, *param.min);
    }
    if (param.max && is_less(expr::Value(*param.max), value)) {
        return "must be at most " + shown_bound(param, *param.max);
    }
    return std::nullopt;
}

}  // namespace

std::expected<expr::Value, std::string> fit(const Param& param, const expr::Value& given) {
    if (given.is(expr::Kind::null) && !param.required && !param.default_value) return given;
    auto value = fit_type(param.type, param.of, given);
    if (!value) return value;
    if (auto refusal = find_refusal(param, *value)) return std::unexpected(*std::move(refusal));
    return value;
}

}  // namespace belay::flow
