#include "flow/definition/params.hpp"

#include "expr/value_json.hpp"
#include "flow/definition/reading.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace belay::flow {

namespace {

Problem problem(Place place, std::string_view kind, std::string_view name, std::string_view what) {
    return {place, std::string(kind) + " " + in_quotes(name) + " " + std::string(what)};
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::expected<expr::Value, std::string> parse_as_json(const Param& param, const std::string& text) {
    if (auto value = expr::parse_json(text)) return *std::move(value);
    if (param.type == ParamType::any) return expr::Value(text);
    const bool is_list = param.type == ParamType::list;
    return std::unexpected(std::string(is_list ? R"(must be a list as JSON: ["a", "b"])"
                                               : R"(must be a map as JSON: {"a": 1})"));
}

/// Reads the text of a command line as the type says.
std::expected<expr::Value, std::string> parse_as(const Param& param, const std::string& text) {
    switch (param.type) {
        case ParamType::string: return expr::Value(text);
        case ParamType::integer:
            if (const auto value = parse_number<std::int64_t>(text)) return expr::Value(*value);
            return std::unexpected("must be an integer, not " + in_quotes(text));
        case ParamType::number:
            if (const auto value = parse_number<double>(text); value && std::isfinite(*value)) {
                return expr::Value(*value);
            }
            return std::unexpected("must be a number, not " + in_quotes(text));
        case ParamType::boolean:
            if (text == "true" || text == "false") return expr::Value(text == "true");
            return std::unexpected("must be true or false, not " + in_quotes(text));
        default: return parse_as_json(param, text);
    }
}

}  // namespace

std::vector<std::string_view> names_of(const std::vector<Param>& params) {
    std::vector<std::string_view> names;
    names.reserve(params.size());
    for (const Param& param : params) names.emplace_back(param.name);
    return names;
}

std::expected<expr::Map, Problems> check_fields(const std::vector<Param>& fields,
                                                const expr::Value& given,
                                                std::string_view kind,
                                                Place origin) {
    static const expr::Map kNothing;
    if (!given.is(expr::Kind::map) && !given.is(expr::Kind::null)) {
        return std::unexpected(
            Problems{{origin, "the " + std::string(kind) + "s must be a map of names and values"}});
    }
    const expr::Map& values = given.is(expr::Kind::map) ? given.map() : kNothing;
    Problems problems;
    for (const auto& [key, value] : values.entries()) {
        const std::string name = key.is(expr::Kind::text) ? key.text() : "";
        if (std::ranges::any_of(fields, [&](const Param& one) { return one.name == name; }))
            continue;
        problems.push_back({origin,
                            "unknown " + std::string(kind) + " " + in_quotes(name),
                            did_you_mean(name, names_of(fields))});
    }
    std::vector<expr::Map::Entry> entries;
    for (const Param& field : fields) {
        const expr::Value* const value = values.find(field.name);
        if (value == nullptr) {
            if (field.required) problems.push_back(problem(origin, kind, field.name, "is missing"));
            entries.emplace_back(expr::Value(field.name),
                                 field.default_value.value_or(expr::Value()));
            continue;
        }
        auto fitted = fit(field, *value);
        if (!fitted) problems.push_back(problem(origin, kind, field.name, fitted.error()));
        entries.emplace_back(expr::Value(field.name), std::move(fitted).value_or(expr::Value()));
    }
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return expr::Map::make(std::move(entries)).value_or(expr::Map());
}

std::expected<expr::Map, Problems> check_params(const Definition& definition,
                                                const expr::Value& given,
                                                Place origin) {
    return check_fields(definition.params, given, "param", origin);
}

std::expected<expr::Value, Problems> params_from_texts(
    const Definition& definition, const std::vector<std::pair<std::string, std::string>>& texts) {
    Problems problems;
    std::vector<expr::Map::Entry> entries;
    for (const auto& [name, text] : texts) {
        const bool twice = std::ranges::any_of(
            entries, [&](const expr::Map::Entry& entry) { return entry.first.text() == name; });
        if (twice) {
            problems.push_back(problem(kNoPlace, "param", name, "is given twice"));
            continue;
        }
        const auto param = std::ranges::find(definition.params, name, &Param::name);
        if (param == definition.params.end()) {
            entries.emplace_back(expr::Value(name), expr::Value(text));
            continue;
        }
        auto value = parse_as(*param, text);
        if (!value) problems.push_back(problem(kNoPlace, "param", name, value.error()));
        entries.emplace_back(expr::Value(name), std::move(value).value_or(expr::Value()));
    }
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return expr::Value(expr::Map::make(std::move(entries)).value_or(expr::Map()));
}

}  // namespace belay::flow
