#include "expr/format.hpp"

#include "expr/times.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

namespace belay::expr {

namespace {

constexpr int kMostDigits = 100;

/// Writes a value as %s does.
class Shower {
public:
    explicit Shower(Budget& budget) : budget_(budget) {}

    /// Returns false when the budget is used up.
    bool show(const Value& value) {
        switch (value.kind()) {
            case Kind::null: return add("null");
            case Kind::boolean: return add(value.boolean() ? "true" : "false");
            case Kind::integer: return add(std::to_string(value.integer()));
            case Kind::unsigned_integer: return add(std::to_string(value.unsigned_integer()));
            case Kind::real: return add(number(value.real()));
            case Kind::text: return add(value.text());
            case Kind::bytes: return add(value.bytes());
            case Kind::timestamp: return add(to_text(value.timestamp()));
            case Kind::duration: return add(to_text(value.duration()));
            case Kind::type: return add(to_string(value.type()));
            case Kind::list: return list(value.list());
            case Kind::map: return map(value.map());
            case Kind::optional: return value.held() == nullptr ? add("none") : show(*value.held());
        }
        return false;
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    bool add(std::string_view text) {
        text_ += text;
        return budget_.text(text.size());
    }

    static std::string number(double value) {
        if (std::isnan(value)) return "NaN";
        if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
        std::array<char, 32> digits{};
        const auto [end, error] =
            std::to_chars(digits.data(), digits.data() + digits.size(), value);
        return {digits.data(), end};
    }

    bool list(const List& items) {
        bool first = true;
        if (!add("[")) return false;
        for (const Value& item : items) {
            if (!first && !add(", ")) return false;
            if (!show(item)) return false;
            first = false;
        }
        return add("]");
    }

    bool map(const Map& map) {
        bool first = true;
        if (!add("{")) return false;
        for (const auto& [key, value] : map.entries()) {
            if (!first && !add(", ")) return false;
            if (!show(key) || !add(": ") || !show(value)) return false;
            first = false;
        }
        return add("}");
    }

    Budget& budget_;
    std::string text_;
};

std::string in_base(const Value& value, int base, bool large) {
    const bool minus = value.is(Kind::integer) && value.integer() < 0;
    std::uint64_t size = value.is(Kind::integer) ? static_cast<std::uint64_t>(value.integer())
                                                 : value.unsigned_integer();
    if (minus) size = 0 - size;
    std::array<char, 65> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), size, base);
    std::string text(digits.data(), end);
    if (large) {
        for (char& c : text) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return (minus ? "-" : "") + text;
}

std::string bytes_in_hex(std::string_view bytes, bool large) {
    const std::string_view digits = large ? "0123456789ABCDEF" : "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4U];
        text += digits[static_cast<unsigned char>(c) & 15U];
    }
    return text;
}

std::string with_digits(double value, int digits, char clause) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    std::array<char, 512> text{};
    const char* const pattern = clause == 'f' ? "%.*f" : "%.*e";
    std::snprintf(text.data(), text.size(), pattern, digits, value);
    return text.data();
}

std::optional<double> as_real(const Value& value) {
    if (value.is(Kind::real)) return value.real();
    if (value.is(Kind::integer)) return static_cast<double>(value.integer());
    if (value.is(Kind::unsigned_integer)) return static_cast<double>(value.unsigned_integer());
    return std::nullopt;
}

/// Writes one value for a clause; none if the clause does not take such a value.
std::optional<std::string> write_clause(char clause, int digits, const Value& value) {
    const bool integer = value.is(Kind::integer) || value.is(Kind::unsigned_integer);
    switch (clause) {
        case 'd': return integer ? std::optional(in_base(value, 10, false)) : std::nullopt;
        case 'o': return integer ? std::optional(in_base(value, 8, false)) : std::nullopt;
        case 'b':
            if (value.is(Kind::boolean)) return value.boolean() ? "1" : "0";
            return integer ? std::optional(in_base(value, 2, false)) : std::nullopt;
        case 'x':
        case 'X':
            if (value.is(Kind::text)) return bytes_in_hex(value.text(), clause == 'X');
            if (value.is(Kind::bytes)) return bytes_in_hex(value.bytes(), clause == 'X');
            return integer ? std::optional(in_base(value, 16, clause == 'X')) : std::nullopt;
        case 'f':
        case 'e': {
            const auto number = as_real(value);
            return number ? std::optional(with_digits(*number, digits, clause)) : std::nullopt;
        }
        default: return std::nullopt;
    }
}

/// Walks over a pattern.
class Formatter {
public:
    Formatter(std::string_view pattern, const List& values, Budget& budget)
        : rest_(pattern), values_(values), budget_(budget) {}

    Outcome run() {
        while (!rest_.empty()) {
            const std::size_t percent = rest_.find('%');
            text_ += rest_.substr(0, percent);
            if (percent == std::string_view::npos) break;
            rest_.remove_prefix(percent + 1);
            if (auto failure = clause()) return std::unexpected(*failure);
            if (!budget_.text(text_.size() - charged_)) return over_budget();
            charged_ = text_.size();
        }
        return Value(std::move(text_));
    }

private:
    std::optional<Failure> clause() {
        if (rest_.starts_with('%')) {
            text_ += '%';
            rest_.remove_prefix(1);
            return std::nullopt;
        }
        const auto digits = precision();
        if (!digits || rest_.empty()) return Failure{"format(): a clause is not complete"};
        const char letter = rest_.front();
        rest_.remove_prefix(1);
        if (!std::string_view("sdfexXob").contains(letter)) {
            return Failure{std::string("format(): unknown clause %") + letter};
        }
        if (next_ >= values_.size()) return Failure{"format(): there are too few values"};
        return write(letter, *digits, values_[next_++]);
    }

    /// Reads ".2"; six digits without it.
    std::optional<int> precision() {
        if (!rest_.starts_with('.')) return 6;
        rest_.remove_prefix(1);
        int digits = 0;
        const auto [end, error] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), digits);
        if (error != std::errc() || digits > kMostDigits || digits < 0) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return digits;
    }

    std::optional<Failure> write(char letter, int digits, const Value& value) {
        if (letter == 's') {
            Shower shower(budget_);
            if (!shower.show(value)) return over_budget().error();
            text_ += shower.take();
            return std::nullopt;
        }
        auto text = write_clause(letter, digits, value);
        if (!text) {
            return Failure{std::string("format(): %") + letter + " does not take " +
                           to_string(Type(value.kind()))};
        }
        text_ += *text;
        return std::nullopt;
    }

    std::string_view rest_;
    const List& values_;
    Budget& budget_;
    std::size_t next_ = 0;
    std::size_t charged_ = 0;
    std::string text_;
};

}  // namespace

Outcome format_text(const std::string& pattern, const List& values, Budget& budget) {
    return Formatter(pattern, values, budget).run();
}

}  // namespace belay::expr
