// Conversions between types, and type().
#include "base/utf8.hpp"
#include "expr/function_types.hpp"
#include "expr/functions.hpp"
#include "expr/times.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace belay::expr {

namespace {

Outcome unchanged(Arguments a, Budget& /*budget*/) { return a[0]; }

template <class Number>
Outcome parse_integer(Arguments a, Budget& /*budget*/) {
    const std::string& text = a[0].text();
    const bool plus = text.starts_with('+') && !text.starts_with("+-");
    Number value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + (plus ? 1 : 0), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return failed("\"" + base::printable(text, 40) + "\" is not an integer");
    }
    return Value(value);
}

Outcome parse_real(Arguments a, Budget& /*budget*/) {
    const std::string& text = a[0].text();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return failed("\"" + base::printable(text, 40) + "\" is not a number");
    }
    return Value(value);
}

Outcome int_of_real(Arguments a, Budget& /*budget*/) {
    const double value = a[0].real();
    if (!(value > -9223372036854775808.0 && value < 9223372036854775808.0)) {
        return failed("the number is out of the range of int");
    }
    return Value(static_cast<std::int64_t>(value));
}

Outcome uint_of_real(Arguments a, Budget& /*budget*/) {
    const double value = a[0].real();
    if (!(value > -1.0 && value < 18446744073709551616.0)) {
        return failed("the number is out of the range of uint");
    }
    return Value(static_cast<std::uint64_t>(value));
}

Outcome int_of_uint(Arguments a, Budget& /*budget*/) {
    if (a[0].unsigned_integer() > static_cast<std::uint64_t>(INT64_MAX)) {
        return failed("the number is out of the range of int");
    }
    return Value(static_cast<std::int64_t>(a[0].unsigned_integer()));
}

Outcome uint_of_int(Arguments a, Budget& /*budget*/) {
    if (a[0].integer() < 0) return failed("the number is out of the range of uint");
    return Value(static_cast<std::uint64_t>(a[0].integer()));
}

Outcome parse_boolean(Arguments a, Budget& /*budget*/) {
    const std::string& text = a[0].text();
    for (const char* yes : {"true", "True", "TRUE", "t", "1"}) {
        if (text == yes) return Value(true);
    }
    for (const char* no : {"false", "False", "FALSE", "f", "0"}) {
        if (text == no) return Value(false);
    }
    return failed("\"" + base::printable(text, 40) + "\" is not a bool");
}

std::string text_of_real(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end};
}

Outcome text_of_bytes(Arguments a, Budget& budget) {
    const std::string& bytes = a[0].bytes();
    if (!budget.text(bytes.size())) return over_budget();
    for (std::string_view rest = bytes; !rest.empty();) {
        const std::size_t size = base::utf8_sequence(rest);
        if (size == 0) return failed("the bytes are not valid UTF-8");
        rest.remove_prefix(size);
    }
    return Value(bytes);
}

void add_to_integers(FunctionTable& table) {
    table.function("int", {kInt}, kInt, unchanged);
    table.function("int", {kUint}, kInt, int_of_uint);
    table.function("int", {kReal}, kInt, int_of_real);
    table.function("int", {kText}, kInt, parse_integer<std::int64_t>);
    table.function("int", {kTime}, kInt, [](Arguments a, Budget&) -> Outcome {
        return Value(a[0].timestamp().seconds);
    });
    table.function("int", {kSpan}, kInt, [](Arguments a, Budget&) -> Outcome {
        return Value(a[0].duration().seconds);
    });
    table.function("uint", {kUint}, kUint, unchanged);
    table.function("uint", {kInt}, kUint, uint_of_int);
    table.function("uint", {kReal}, kUint, uint_of_real);
    table.function("uint", {kText}, kUint, parse_integer<std::uint64_t>);
}

void add_to_texts(FunctionTable& table) {
    table.function("string", {kText}, kText, unchanged);
    table.function("string", {kBytes}, kText, text_of_bytes);
    table.function("string", {kInt}, kText, [](Arguments a, Budget&) -> Outcome {
        return Value(std::to_string(a[0].integer()));
    });
    table.function("string", {kUint}, kText, [](Arguments a, Budget&) -> Outcome {
        return Value(std::to_string(a[0].unsigned_integer()));
    });
    table.function("string", {kReal}, kText, [](Arguments a, Budget&) -> Outcome {
        return Value(text_of_real(a[0].real()));
    });
    table.function("string", {kBool}, kText, [](Arguments a, Budget&) -> Outcome {
        return Value(a[0].boolean() ? "true" : "false");
    });
    table.function("string", {kTime}, kText, [](Arguments a, Budget&) -> Outcome {
        return Value(to_text(a[0].timestamp()));
    });
    table.function("string", {kSpan}, kText, [](Arguments a, Budget&) -> Outcome {
        return Value(to_text(a[0].duration()));
    });
    table.function("bytes", {kBytes}, kBytes, unchanged);
    table.function("bytes", {kText}, kBytes, [](Arguments a, Budget& budget) -> Outcome {
        if (!budget.text(a[0].text().size())) return over_budget();
        return Value::bytes(a[0].text());
    });
}

void add_to_numbers_and_booleans(FunctionTable& table) {
    table.function("double", {kReal}, kReal, unchanged);
    table.function("double", {kText}, kReal, parse_real);
    table.function("double", {kInt}, kReal, [](Arguments a, Budget&) -> Outcome {
        return Value(static_cast<double>(a[0].integer()));
    });
    table.function("double", {kUint}, kReal, [](Arguments a, Budget&) -> Outcome {
        return Value(static_cast<double>(a[0].unsigned_integer()));
    });
    table.function("bool", {kBool}, kBool, unchanged);
    table.function("bool", {kText}, kBool, parse_boolean);
}

void add_to_times(FunctionTable& table) {
    table.function("timestamp", {kTime}, kTime, unchanged);
    table.function("timestamp", {kInt}, kTime, [](Arguments a, Budget&) -> Outcome {
        const std::int64_t seconds = a[0].integer();
        const bool sane = seconds > -1'000'000'000'000 && seconds < 1'000'000'000'000;
        const auto time = sane ? add(Instant{seconds, 0}, Span()) : std::nullopt;
        return time ? Outcome(Value(*time)) : failed("the time is out of range");
    });
    table.function("timestamp", {kText}, kTime, [](Arguments a, Budget&) -> Outcome {
        if (const auto time = parse_time(a[0].text())) return Value(*time);
        return failed("\"" + base::printable(a[0].text(), 40) +
                      "\" is not a time: write one like 2026-11-19T05:46:00Z");
    });
    table.function("duration", {kSpan}, kSpan, unchanged);
    table.function("duration", {kText}, kSpan, [](Arguments a, Budget&) -> Outcome {
        if (const auto span = parse_span(a[0].text())) return Value(*span);
        return failed("\"" + base::printable(a[0].text(), 40) +
                      "\" is not a duration: write one like 1h30m or 1.5s");
    });
}

}  // namespace

void add_conversions(FunctionTable& table) {
    add_to_integers(table);
    add_to_texts(table);
    add_to_numbers_and_booleans(table);
    add_to_times(table);
    table.function("dyn", {Type()}, Type(), unchanged);
    table.function("type", {Type()}, Type(Kind::type), [](Arguments a, Budget&) -> Outcome {
        return Value::type(a[0].kind());
    });
}

}  // namespace belay::expr
