// Functions on texts and bytes. Positions and lengths of texts count characters.
#include "base/utf8.hpp"
#include "expr/characters.hpp"
#include "expr/format.hpp"
#include "expr/function_types.hpp"
#include "expr/functions.hpp"
#include "expr/patterns.hpp"
#include "json/base64.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace belay::expr {

namespace {

Outcome size_of_text(Arguments a, Budget& budget) {
    if (!budget.work(1 + a[0].text().size() / 64)) return over_budget();
    return Value(static_cast<std::int64_t>(count_characters(a[0].text())));
}

Outcome size_of_bytes(Arguments a, Budget& /*budget*/) {
    return Value(static_cast<std::int64_t>(a[0].bytes().size()));
}

template <auto Test>
Outcome tested(Arguments a, Budget& budget) {
    if (!budget.work(1 + a[0].text().size() / 64)) return over_budget();
    return Value(Test(std::string_view(a[0].text()), std::string_view(a[1].text())));
}

Outcome matches(Arguments a, Budget& budget) {
    if (!budget.work(64 + a[0].text().size() / 16)) return over_budget();
    const auto found = matches_pattern(a[0].text(), a[1].text());
    return found ? Outcome(Value(*found)) : failed(found.error());
}

/// Replaces the letters of ASCII.
template <auto Change>
Outcome change_letters(Arguments a, Budget& budget) {
    if (!budget.text(a[0].text().size())) return over_budget();
    std::string text = a[0].text();
    std::ranges::transform(text, text.begin(), Change);
    return Value(std::move(text));
}

constexpr auto kLower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
};
constexpr auto kUpper = [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
};

bool is_space(std::string_view character) {
    constexpr std::string_view kAscii = " \t\n\v\f\r";
    if (character.size() == 1) return kAscii.contains(character);
    return character == "\u0085" || character == "\u00a0" || character == "\u1680" ||
           (character >= "\u2000" && character <= "\u200a") || character == "\u2028" ||
           character == "\u2029" || character == "\u202f" || character == "\u205f" ||
           character == "\u3000";
}

Outcome trim(Arguments a, Budget& budget) {
    if (!budget.text(a[0].text().size())) return over_budget();
    const auto characters = characters_of(a[0].text());
    const auto begin = std::ranges::find_if_not(characters, is_space);
    auto end = characters.end();
    while (end != begin && is_space(*std::prev(end))) --end;
    std::string text;
    for (auto at = begin; at != end; ++at) text += *at;
    return Value(std::move(text));
}

Outcome reverse_text(Arguments a, Budget& budget) {
    if (!budget.text(a[0].text().size())) return over_budget();
    auto characters = characters_of(a[0].text());
    std::string text;
    for (auto at = characters.rbegin(); at != characters.rend(); ++at) text += *at;
    return Value(std::move(text));
}

// ---- Positions ---------------------------------------------------------------------------------

Outcome out_of_range(std::int64_t index) {
    return failed("the position " + std::to_string(index) + " is out of range");
}

Outcome char_at(Arguments a, Budget& budget) {
    const std::string_view text = a[0].text();
    if (!budget.work(1 + text.size() / 64)) return over_budget();
    const std::int64_t index = a[1].integer();
    if (index < 0) return out_of_range(index);
    const auto begin = offset_of(text, static_cast<std::size_t>(index));
    if (!begin) return out_of_range(index);
    if (*begin == text.size()) return Value("");
    return Value(std::string(text.substr(*begin, base::utf8_sequence(text.substr(*begin)))));
}

Outcome substring(Arguments a, Budget& budget) {
    const std::string_view text = a[0].text();
    if (!budget.text(text.size())) return over_budget();
    const std::int64_t from = a[1].integer();
    if (from < 0) return out_of_range(from);
    const auto begin = offset_of(text, static_cast<std::size_t>(from));
    if (!begin) return out_of_range(from);
    if (a.size() == 2) return Value(std::string(text.substr(*begin)));
    const std::int64_t to = a[2].integer();
    if (to < from) return out_of_range(to);
    const auto end = offset_of(text, static_cast<std::size_t>(to));
    if (!end) return out_of_range(to);
    return Value(std::string(text.substr(*begin, *end - *begin)));
}

Value position(std::string_view text, std::size_t offset) {
    if (offset == std::string_view::npos) return Value(std::int64_t{-1});
    return Value(static_cast<std::int64_t>(count_characters(text.substr(0, offset))));
}

Outcome index_of(Arguments a, Budget& budget) {
    const std::string_view text = a[0].text();
    if (!budget.work(1 + text.size() / 16)) return over_budget();
    const std::int64_t from = a.size() == 3 ? a[2].integer() : 0;
    if (from < 0) return out_of_range(from);
    const auto begin = offset_of(text, static_cast<std::size_t>(from));
    if (!begin) return out_of_range(from);
    return position(text, text.find(a[1].text(), *begin));
}

Outcome last_index_of(Arguments a, Budget& budget) {
    const std::string_view text = a[0].text();
    if (!budget.work(1 + text.size() / 16)) return over_budget();
    std::size_t last = std::string_view::npos;
    if (a.size() == 3) {
        const std::int64_t from = a[2].integer();
        if (from < 0) return out_of_range(from);
        const auto offset = offset_of(text, static_cast<std::size_t>(from));
        if (!offset) return out_of_range(from);
        last = *offset;
    }
    return position(text, text.rfind(a[1].text(), last));
}

// ---- Parts -------------------------------------------------------------------------------------

/// Finds `part`, or the next character for an empty one. Returns npos at the end.
std::size_t next_cut(std::string_view text, std::string_view part, std::size_t from) {
    if (!part.empty()) return text.find(part, from);
    if (from >= text.size()) return std::string_view::npos;
    const std::size_t next = from + base::utf8_sequence(text.substr(from));
    return next < text.size() ? next : std::string_view::npos;
}

Outcome split(Arguments a, Budget& budget) {
    const std::string_view text = a[0].text();
    const std::string& separator = a[1].text();
    const std::int64_t most = a.size() == 3 ? a[2].integer() : -1;
    if (!budget.text(text.size())) return over_budget();
    List parts;
    if (most == 0 || (text.empty() && separator.empty())) return Value(std::move(parts));
    std::size_t begin = 0;
    while (most < 0 || parts.size() + 1 < static_cast<std::size_t>(most)) {
        const std::size_t cut = next_cut(text, separator, begin);
        if (cut == std::string_view::npos) break;
        if (!budget.elements(1)) return over_budget();
        parts.emplace_back(std::string(text.substr(begin, cut - begin)));
        begin = cut + separator.size();
    }
    parts.emplace_back(std::string(text.substr(begin)));
    return Value(std::move(parts));
}

Outcome replace_parts(Arguments a, Budget& budget) {
    const std::string_view text = a[0].text();
    const std::string& old = a[1].text();
    const std::string& fresh = a[2].text();
    std::int64_t left = a.size() == 4 ? a[3].integer() : -1;
    if (!budget.text(text.size())) return over_budget();
    std::string made;
    std::size_t begin = 0;
    if (old.empty() && left != 0) {
        made += fresh;
        --left;
    }
    while (left != 0) {
        const std::size_t cut = next_cut(text, old, begin);
        if (cut == std::string_view::npos) break;
        if (!budget.text(fresh.size())) return over_budget();
        made += text.substr(begin, cut - begin);
        made += fresh;
        begin = cut + old.size();
        --left;
    }
    made += text.substr(begin);
    if (old.empty() && left != 0 && !text.empty()) made += fresh;
    return Value(std::move(made));
}

Outcome join_parts(Arguments a, Budget& budget) {
    const std::string separator = a.size() == 2 ? a[1].text() : "";
    std::string made;
    for (const Value& part : a[0].list()) {
        if (!part.is(Kind::text)) return failed("join() takes a list of strings");
        if (!budget.text(part.text().size() + separator.size())) return over_budget();
        if (&part != &a[0].list().front()) made += separator;
        made += part.text();
    }
    return Value(std::move(made));
}

Outcome quote(Arguments a, Budget& budget) {
    constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view kLetters = "abfnrtv\\\"";
    if (!budget.text(2 + 2 * a[0].text().size())) return over_budget();
    std::string made = "\"";
    for (const char c : a[0].text()) {
        const std::size_t special = kSpecial.find(c);
        if (special != std::string_view::npos) made += '\\';
        made += special == std::string_view::npos ? c : kLetters[special];
    }
    return Value(made + "\"");
}

Outcome format_call(Arguments a, Budget& budget) {
    return format_text(a[0].text(), a[1].list(), budget);
}

// ---- Base64 ------------------------------------------------------------------------------------

Outcome encode(Arguments a, Budget& budget) {
    if (!budget.text(a[0].bytes().size() * 2)) return over_budget();
    return Value(json::base64(a[0].bytes()));
}

Outcome decode(Arguments a, Budget& budget) {
    if (!budget.text(a[0].text().size())) return over_budget();
    std::string padded = a[0].text();
    while (padded.size() % 4 != 0) padded += '=';
    auto bytes = json::decode_base64(padded);
    if (!bytes) return failed("the text is not base64");
    return Value::bytes(std::move(*bytes));
}

void add_tests(FunctionTable& table) {
    using View = std::string_view;
    table.method("contains",
                 {kText, kText},
                 kBool,
                 tested<[](View text, View part) { return text.contains(part); }>);
    table.method("startsWith",
                 {kText, kText},
                 kBool,
                 tested<[](View text, View part) { return text.starts_with(part); }>);
    table.method("endsWith",
                 {kText, kText},
                 kBool,
                 tested<[](View text, View part) { return text.ends_with(part); }>);
    table.method("matches", {kText, kText}, kBool, matches);
    table.function("matches", {kText, kText}, kBool, matches);
}

}  // namespace

void add_text_functions(FunctionTable& table) {
    add_tests(table);
    table.function("size", {kText}, kInt, size_of_text);
    table.method("size", {kText}, kInt, size_of_text);
    table.function("size", {kBytes}, kInt, size_of_bytes);
    table.method("size", {kBytes}, kInt, size_of_bytes);
    table.method("lowerAscii", {kText}, kText, change_letters<kLower>);
    table.method("upperAscii", {kText}, kText, change_letters<kUpper>);
    table.method("trim", {kText}, kText, trim);
    table.method("reverse", {kText}, kText, reverse_text);
    table.method("charAt", {kText, kInt}, kText, char_at);
    table.method("substring", {kText, kInt}, kText, substring);
    table.method("substring", {kText, kInt, kInt}, kText, substring);
    table.method("indexOf", {kText, kText}, kInt, index_of);
    table.method("indexOf", {kText, kText, kInt}, kInt, index_of);
    table.method("lastIndexOf", {kText, kText}, kInt, last_index_of);
    table.method("lastIndexOf", {kText, kText, kInt}, kInt, last_index_of);
    table.method("split", {kText, kText}, kTexts, split);
    table.method("split", {kText, kText, kInt}, kTexts, split);
    table.method("replace", {kText, kText, kText}, kText, replace_parts);
    table.method("replace", {kText, kText, kText, kInt}, kText, replace_parts);
    table.method("join", {kTexts}, kText, join_parts);
    table.method("join", {kTexts, kText}, kText, join_parts);
    table.function("strings.quote", {kText}, kText, quote);
    table.method("format", {kText, Type(Kind::list)}, kText, format_call);
    table.function("base64.encode", {kBytes}, kText, encode);
    table.function("base64.decode", {kText}, kBytes, decode);
}

}  // namespace belay::expr
