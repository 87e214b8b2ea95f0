#include "json/canonical.hpp"

#include "json/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <vector>

namespace belay::json {

namespace {

// ---- Numbers -----------------------------------------------------------------------------------

/// The value 0.DIGITS x 10^point. No zeros at either end of the digits.
struct Decimal {
    std::string digits;
    int point = 0;
    bool operator==(const Decimal&) const = default;
};

/// Returns the decimal of the digits of a whole number.
Decimal whole(std::string_view digits) {
    Decimal decimal{std::string(digits), static_cast<int>(digits.size())};
    while (decimal.digits.ends_with('0')) decimal.digits.pop_back();
    return decimal;
}

/// Returns the shortest decimal that is read as this positive double.
Decimal shortest(double value) {
    std::array<char, 32> text{};
    const char* const end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
            .ptr;
    const std::string_view written(text.data(), static_cast<std::size_t>(end - text.data()));
    const std::size_t e = written.find('e');
    Decimal decimal;
    for (const char c : written.substr(0, e)) {
        if (c != '.') decimal.digits += c;
    }
    std::string_view exponent = written.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.point);
    ++decimal.point;
    return decimal;
}

/// Prints as ECMAScript does (Number::toString).
std::string printed(const Decimal& decimal) {
    constexpr int kMostDigits = 21;
    constexpr int kLeastPoint = -5;
    const auto& [digits, point] = decimal;
    const int count = static_cast<int>(digits.size());
    if (point >= count && point <= kMostDigits) {
        return digits + std::string(static_cast<std::size_t>(point - count), '0');
    }
    if (point > 0 && point <= kMostDigits) {
        const auto whole_digits = static_cast<std::size_t>(point);
        return digits.substr(0, whole_digits) + '.' + digits.substr(whole_digits);
    }
    if (point <= 0 && point >= kLeastPoint) {
        return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    }
    const int exponent = point - 1;
    std::string text = digits.substr(0, 1);
    if (count > 1) text += '.' + digits.substr(1);
    return text + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
}

/// Returns a number without its sign. `text` is a positive number as JSON writes it.
std::string canonical_size(std::string_view text) {
    constexpr std::size_t kAlwaysExact = 15;  // Digits that a double holds.
    const bool is_whole = text.find_first_of(".eE") == std::string_view::npos;
    if (is_whole && text.size() <= kAlwaysExact) return std::string(text);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc()) return std::string(text);
    if (value == 0) return "0";
    const Decimal decimal = shortest(value);
    if (is_whole && decimal != whole(text)) return std::string(text);
    return printed(decimal);
}

std::string canonical_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    std::string size = canonical_size(text);
    return negative && size != "0" ? '-' + size : size;
}

// ---- Strings -----------------------------------------------------------------------------------

/// Returns a rank by which first bytes of UTF-8 sequences are in the order of UTF-16: code points
/// beyond the first 65,536 are written there as surrogates, which come before U+E000.
unsigned rank(char byte) {
    constexpr unsigned kBehindSurrogates = 0xEE;
    constexpr unsigned kFourBytes = 0xF0;
    const unsigned value = static_cast<unsigned char>(byte);
    if (value >= kFourBytes) return value - kFourBytes + kBehindSurrogates;
    return value >= kBehindSurrogates ? value + kFourBytes : value;
}

bool before_in_utf16(std::string_view a, std::string_view b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return rank(x) < rank(y); });
}

void append_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    std::array<char, 8> escape{};
                    std::snprintf(
                        escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
                    out += escape.data();
                } else {
                    out += c;
                }
        }
    }
    out += '"';
}

// ---- Values ------------------------------------------------------------------------------------

/// The depth is that of a parsed text, which the parser bounds.
void append(std::string& out, const Value& value) {
    switch (value.kind) {
        case Kind::null: out += "null"; return;
        case Kind::boolean: out += value.truth ? "true" : "false"; return;
        case Kind::number: out += canonical_number(value.text); return;
        case Kind::text: append_string(out, value.text); return;
        case Kind::array: {
            out += '[';
            for (const Value& item : value.items) {
                if (&item != &value.items.front()) out += ',';
                append(out, item);
            }
            out += ']';
            return;
        }
        case Kind::object: break;
    }
    std::vector<std::size_t> order(value.names.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return before_in_utf16(value.names[a], value.names[b]);
    });
    out += '{';
    for (const std::size_t i : order) {
        if (i != order.front()) out += ',';
        append_string(out, value.names[i]);
        out += ':';
        append(out, value.items[i]);
    }
    out += '}';
}

}  // namespace

std::optional<std::string> canonical(std::string_view json) {
    const Result<Value> value = parse(json);
    if (!value) return std::nullopt;
    std::string text;
    text.reserve(json.size());
    append(text, *value);
    return text;
}

}  // namespace belay::json
