#include "yaml/places.hpp"

#include <yaml-cpp/mark.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace belay::yaml {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
/// The characters of JSON behind which a value or a key may begin.
constexpr std::string_view kBeforeValue = "{[,:";

bool is_within(std::uint32_t value, std::uint32_t first, std::uint32_t last) noexcept {
    return value >= first && value <= last;
}

/// Returns the number of `\uXXXX` at the beginning of a text.
std::optional<std::uint32_t> escaped_unit(std::string_view text) {
    if (!text.starts_with("\\u") || text.size() < 6) return std::nullopt;
    std::uint32_t unit = 0;
    const char* const end = text.data() + 6;
    const auto read = std::from_chars(text.data() + 2, end, unit, 16);
    return read.ptr == end ? std::optional(unit) : std::nullopt;
}

/// Returns the character of a surrogate pair at the beginning of a text.
std::optional<std::uint32_t> escaped_pair(std::string_view text) {
    const auto high = escaped_unit(text);
    if (!high || !is_within(*high, 0xD800, 0xDBFF)) return std::nullopt;
    const auto low = escaped_unit(text.substr(6));
    if (!low || !is_within(*low, 0xDC00, 0xDFFF)) return std::nullopt;
    return 0x10000U + ((*high - 0xD800U) << 10U) + (*low - 0xDC00U);
}

std::string long_escape(std::uint32_t character) {
    static constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text = "\\U";
    for (int shift = 28; shift >= 0; shift -= 4) {
        text += kDigits[(character >> static_cast<unsigned>(shift)) & 0xFU];
    }
    return text;
}

/// Returns the number of bytes of a scalar in quotes; none if the closing quote is missing.
std::optional<std::size_t> quoted_size(std::string_view text) {
    const char quote = text.front();
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (quote == '"' && text[at] == '\\') {
            ++at;
        } else if (text[at] == quote) {
            const bool doubled = quote == '\'' && text.substr(at + 1).starts_with(quote);
            if (!doubled) return at + 1;
            ++at;
        }
    }
    return std::nullopt;
}

/// Removes spaces and comments from the beginning.
std::string_view without_space(std::string_view text) {
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
        if (!text.starts_with('#')) return text;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

bool is_json(std::string_view text) {
    const std::string_view begin = without_space(text);
    return begin.starts_with('{') || begin.starts_with('[');
}

}  // namespace

std::optional<char> open_at_end(std::string_view text) {
    if (!is_json(text)) return std::nullopt;
    std::string open;
    char quote = '\0';
    char before = '{';  // The last character that is no space.
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
            if (c == '\\') ++at;
        } else if ((c == '"' || c == '\'') && kBeforeValue.contains(before)) {
            quote = c;
        } else if (c == '{' || c == '[') {
            open += c;
        } else if ((c == '}' || c == ']') && !open.empty()) {
            open.pop_back();
        }
        if (!kSpace.contains(c)) before = c;
    }
    if (quote != '\0') return quote;
    return open.empty() ? std::nullopt : std::optional(open.back());
}

std::string join_surrogates(std::string_view text, std::vector<Shift>& shifts) {
    if (!is_json(text) || !text.contains("\\u")) return std::string(text);
    std::string made;
    made.reserve(text.size());
    char before = '{';  // The last character that is no space.
    bool quoted = false;
    std::size_t line = 0;
    std::size_t line_begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const auto pair = quoted ? escaped_pair(text.substr(at)) : std::nullopt;
        if (pair) {
            made += long_escape(*pair);
            shifts.push_back({line, made.size() - line_begin});
            at += 12;
            continue;
        }
        const std::size_t size =
            quoted && c == '\\' ? std::min<std::size_t>(2, text.size() - at) : 1;
        if (c == '"' && (quoted || kBeforeValue.contains(before))) quoted = !quoted;
        made += text.substr(at, size);
        at += size;
        if (made.ends_with('\n')) {
            ++line;
            line_begin = made.size();
        }
        if (!kSpace.contains(c)) before = c;
    }
    return made;
}

Places::Places(std::string_view text, std::vector<Shift> shifts)
    : text_(text), shifts_(std::move(shifts)) {
    lines_.push_back(0);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\n') lines_.push_back(at + 1);
    }
}

Place Places::at(std::size_t line, std::size_t column) const {
    if (line >= lines_.size()) line = lines_.size() - 1;
    const std::string_view rest = text_.substr(lines_[line]).substr(0, column);
    std::uint32_t characters = 0;
    for (const char c : rest) {
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++characters;
    }
    for (auto shift = std::ranges::lower_bound(shifts_, line, {}, &Shift::line);
         shift != shifts_.end() && shift->line == line && shift->column <= column;
         ++shift) {
        characters += 2;
    }
    return {static_cast<std::uint32_t>(line) + 1, characters + 1};
}

Place Places::of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {};
    return at(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
}

Place Places::of_byte(std::size_t byte) const {
    const auto behind = std::ranges::upper_bound(lines_, byte);
    const auto line = static_cast<std::size_t>(behind - lines_.begin()) - 1;
    return at(line, byte - lines_[line]);
}

std::string_view Places::rest(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(mark.line);
    if (mark.is_null() || line >= lines_.size()) return {};
    const std::size_t byte = lines_[line] + static_cast<std::size_t>(mark.column);
    return text_.substr(std::min(byte, text_.size()));
}

bool Places::stands_at(const YAML::Mark& mark, std::string_view scalar) const {
    return !mark.is_null() && rest(mark).starts_with(scalar);
}

bool Places::is_closed(const YAML::Mark& mark) const {
    std::string_view text = rest(mark);
    // An anchor and a tag stand before the quote.
    while (text.starts_with('&') || text.starts_with('!')) {
        text.remove_prefix(std::min(text.find_first_of(kSpace), text.size()));
        text = without_space(text);
    }
    const bool quoted = text.starts_with('"') || text.starts_with('\'');
    return !quoted || quoted_size(text);
}

}  // namespace belay::yaml
