#include "yaml/scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace belay::yaml {

namespace {

bool is_one_of(std::string_view text, std::array<std::string_view, 3> words) {
    return std::ranges::find(words, text) != words.end();
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    return static_cast<std::size_t>(end - text.begin());
}

std::string_view without_sign(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return text;
}

/// True for digits with a point, an exponent, or both.
bool is_real(std::string_view text) {
    text = without_sign(text);
    const std::size_t whole = count_digits(text);
    text.remove_prefix(whole);
    std::size_t fraction = 0;
    const bool pointed = text.starts_with('.');
    if (pointed) {
        text.remove_prefix(1);
        fraction = count_digits(text);
        text.remove_prefix(fraction);
    }
    if (whole + fraction == 0) return false;
    if (text.starts_with('e') || text.starts_with('E')) {
        text = without_sign(text.substr(1));
        return !text.empty() && count_digits(text) == text.size();
    }
    return pointed && text.empty();
}

/// Returns none if the text is no integer; false if 64 bits cannot hold it.
std::optional<bool> read_integer(std::string_view text, std::int64_t& value) {
    int base = 10;
    std::string_view digits = text;
    if (text.starts_with("0x") || text.starts_with("0o")) {
        base = text[1] == 'x' ? 16 : 8;
        digits.remove_prefix(2);
        if (digits.starts_with('-')) return std::nullopt;
    } else {
        const std::string_view size = without_sign(text);
        if (size.empty() || count_digits(size) != size.size()) return std::nullopt;
        if (digits.starts_with('+')) digits.remove_prefix(1);
    }
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (read.ptr != digits.data() + digits.size() || read.ec == std::errc::invalid_argument)
        return std::nullopt;
    return read.ec == std::errc();
}

std::optional<double> read_special(std::string_view text) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
    if (is_one_of(without_sign(text), {".inf", ".Inf", ".INF"})) {
        return text.starts_with('-') ? -kInfinity : kInfinity;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> resolve(Value& scalar) {
    const std::string& text = scalar.text;
    const auto set_real = [&](double value) {
        scalar.kind = Kind::real;
        scalar.real = value;
    };
    if (is_one_of(text, {"true", "True", "TRUE"}) || is_one_of(text, {"false", "False", "FALSE"})) {
        scalar.kind = Kind::boolean;
        scalar.truth = text.front() == 't' || text.front() == 'T';
    } else if (const auto fits = read_integer(text, scalar.integer)) {
        scalar.kind = Kind::integer;
        if (!*fits) return "the number " + text + " does not fit into 64 bits: quote it to keep it";
    } else if (is_real(text)) {
        set_real(std::strtod(text.c_str(), nullptr));
    } else if (const auto special = read_special(text)) {
        set_real(*special);
    } else {
        scalar.kind = Kind::text;
    }
    return std::nullopt;
}

}  // namespace belay::yaml
