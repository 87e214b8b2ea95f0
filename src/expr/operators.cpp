// Arithmetic, comparison and membership.
#include "expr/function_types.hpp"
#include "expr/functions.hpp"
#include "expr/times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

namespace belay::expr {

namespace {

template <class Number>
Number get(const Value& value) {
    if constexpr (std::is_same_v<Number, std::int64_t>) return value.integer();
    if constexpr (std::is_same_v<Number, std::uint64_t>) return value.unsigned_integer();
    if constexpr (std::is_same_v<Number, double>) return value.real();
}

/// Adds, subtracts or multiplies integers, with a check for overflow.
template <class Number, auto Operation>
Outcome checked(Arguments a, Budget& /*budget*/) {
    Number result = 0;
    if (Operation(get<Number>(a[0]), get<Number>(a[1]), &result)) return failed("integer overflow");
    return Value(result);
}

constexpr auto kAdd = [](auto a, auto b, auto* r) { return __builtin_add_overflow(a, b, r); };
constexpr auto kSubtract = [](auto a, auto b, auto* r) { return __builtin_sub_overflow(a, b, r); };
constexpr auto kMultiply = [](auto a, auto b, auto* r) { return __builtin_mul_overflow(a, b, r); };

template <class Operation>
Outcome on_reals(Arguments a, Budget& /*budget*/) {
    return Value(Operation()(a[0].real(), a[1].real()));
}

/// Divides integers, or takes the rest of a division.
template <class Number, class Operation>
Outcome divided(Arguments a, Budget& /*budget*/) {
    const auto x = get<Number>(a[0]);
    const auto y = get<Number>(a[1]);
    if (y == 0) return failed("division by zero");
    if constexpr (std::is_signed_v<Number>) {
        if (x == std::numeric_limits<Number>::min() && y == -1) return failed("integer overflow");
    }
    return Value(Operation()(x, y));
}

template <class Number>
void add_integers(FunctionTable& table, const Type& type) {
    table.function("_+_", {type, type}, type, checked<Number, kAdd>);
    table.function("_-_", {type, type}, type, checked<Number, kSubtract>);
    table.function("_*_", {type, type}, type, checked<Number, kMultiply>);
    table.function("_/_", {type, type}, type, divided<Number, std::divides<>>);
    table.function("_%_", {type, type}, type, divided<Number, std::modulus<>>);
}

void add_arithmetic(FunctionTable& table) {
    add_integers<std::int64_t>(table, kInt);
    add_integers<std::uint64_t>(table, kUint);
    table.function("_+_", {kReal, kReal}, kReal, on_reals<std::plus<>>);
    table.function("_-_", {kReal, kReal}, kReal, on_reals<std::minus<>>);
    table.function("_*_", {kReal, kReal}, kReal, on_reals<std::multiplies<>>);
    table.function("_/_", {kReal, kReal}, kReal, on_reals<std::divides<>>);
    table.function("-_", {kInt}, kInt, [](Arguments a, Budget&) -> Outcome {
        if (a[0].integer() == std::numeric_limits<std::int64_t>::min()) {
            return failed("integer overflow");
        }
        return Value(-a[0].integer());
    });
    table.function(
        "-_", {kReal}, kReal, [](Arguments a, Budget&) -> Outcome { return Value(-a[0].real()); });
    table.function("!_", {kBool}, kBool, [](Arguments a, Budget&) -> Outcome {
        return Value(!a[0].boolean());
    });
}

Outcome join_texts(Arguments a, Budget& budget) {
    if (!budget.text(a[0].text().size() + a[1].text().size())) return over_budget();
    return Value(a[0].text() + a[1].text());
}

Outcome join_bytes(Arguments a, Budget& budget) {
    if (!budget.text(a[0].bytes().size() + a[1].bytes().size())) return over_budget();
    return Value::bytes(a[0].bytes() + a[1].bytes());
}

Outcome join_lists(Arguments a, Budget& budget) {
    const List& first = a[0].list();
    const List& second = a[1].list();
    if (!budget.elements(first.size() + second.size())) return over_budget();
    List joined(first);
    joined.insert(joined.end(), second.begin(), second.end());
    return Value(std::move(joined));
}

void add_concatenation(FunctionTable& table) {
    const Type list = Type::list(Type::parameter());
    table.function("_+_", {kText, kText}, kText, join_texts);
    table.function("_+_", {kBytes, kBytes}, kBytes, join_bytes);
    table.function("_+_", {list, list}, list, join_lists);
}

template <class Result, class Sum>
Outcome unless_out_of_range(const Sum& sum) {
    if (!sum)
        return failed(std::is_same_v<Result, Instant> ? "the time is out of range"
                                                      : "the duration is out of range");
    return Value(Result(*sum));
}

void add_times(FunctionTable& table) {
    table.function("_+_", {kTime, kSpan}, kTime, [](Arguments a, Budget&) {
        return unless_out_of_range<Instant>(add(a[0].timestamp(), a[1].duration()));
    });
    table.function("_+_", {kSpan, kTime}, kTime, [](Arguments a, Budget&) {
        return unless_out_of_range<Instant>(add(a[1].timestamp(), a[0].duration()));
    });
    table.function("_-_", {kTime, kSpan}, kTime, [](Arguments a, Budget&) {
        return unless_out_of_range<Instant>(add(a[0].timestamp(), negated(a[1].duration())));
    });
    table.function("_-_", {kTime, kTime}, kSpan, [](Arguments a, Budget&) {
        return unless_out_of_range<Span>(between(a[1].timestamp(), a[0].timestamp()));
    });
    table.function("_+_", {kSpan, kSpan}, kSpan, [](Arguments a, Budget&) {
        return unless_out_of_range<Span>(add(a[0].duration(), a[1].duration()));
    });
    table.function("_-_", {kSpan, kSpan}, kSpan, [](Arguments a, Budget&) {
        return unless_out_of_range<Span>(add(a[0].duration(), negated(a[1].duration())));
    });
    table.function("-_", {kSpan}, kSpan, [](Arguments a, Budget&) -> Outcome {
        return Value(negated(a[0].duration()));
    });
}

// ---- Comparison --------------------------------------------------------------------------------

/// A bound of the work that comparing two values takes.
std::uint64_t weight(const Value& value, int depth = 0) {
    switch (value.kind()) {
        case Kind::text: return 1 + value.text().size() / 64;
        case Kind::bytes: return 1 + value.bytes().size() / 64;
        case Kind::list: {
            std::uint64_t sum = 1;
            for (const Value& item : value.list()) sum += depth > 8 ? 16 : weight(item, depth + 1);
            return sum;
        }
        case Kind::map: {
            std::uint64_t sum = 1;
            for (const auto& [key, item] : value.map().entries())
                sum += 4 + weight(item, depth + 1);
            return sum;
        }
        default: return 1;
    }
}

template <bool Expected>
Outcome compare_equal(Arguments a, Budget& budget) {
    if (!budget.work(weight(a[0]))) return over_budget();
    return Value(equal(a[0], a[1]) == Expected);
}

constexpr auto kLess = [](std::partial_ordering order) { return order < 0; };
constexpr auto kAtMost = [](std::partial_ordering order) { return order <= 0; };
constexpr auto kMore = [](std::partial_ordering order) { return order > 0; };
constexpr auto kAtLeast = [](std::partial_ordering order) { return order >= 0; };

template <auto Accept>
Outcome ordered(Arguments a, Budget& budget) {
    if (!budget.work(weight(a[0]))) return over_budget();
    return Value(Accept(*compare(a[0], a[1])));
}

template <auto Accept>
void add_order(FunctionTable& table, std::string_view name) {
    for (const Type& type : {kBool, kText, kBytes, kTime, kSpan}) {
        table.function(name, {type, type}, kBool, ordered<Accept>);
    }
    for (const Type& a : {kInt, kUint, kReal}) {
        for (const Type& b : {kInt, kUint, kReal}) {
            table.function(name, {a, b}, kBool, ordered<Accept>);
        }
    }
}

Outcome is_in_list(Arguments a, Budget& budget) {
    for (const Value& item : a[1].list()) {
        if (!budget.work(weight(a[0]))) return over_budget();
        if (equal(a[0], item)) return Value(true);
    }
    return Value(false);
}

Outcome is_in_map(Arguments a, Budget& budget) {
    if (!budget.work(weight(a[0]))) return over_budget();
    return Value(a[1].map().find(a[0]) != nullptr);
}

void add_comparison(FunctionTable& table) {
    const Type any;
    table.function("_==_", {any, any}, kBool, compare_equal<true>);
    table.function("_!=_", {any, any}, kBool, compare_equal<false>);
    add_order<kLess>(table, "_<_");
    add_order<kAtMost>(table, "_<=_");
    add_order<kMore>(table, "_>_");
    add_order<kAtLeast>(table, "_>=_");
    table.function("_in_", {any, Type(Kind::list)}, kBool, is_in_list);
    table.function("_in_", {any, Type(Kind::map)}, kBool, is_in_map);
}

}  // namespace

void add_operators(FunctionTable& table) {
    add_arithmetic(table);
    add_concatenation(table);
    add_times(table);
    add_comparison(table);
}

}  // namespace belay::expr
