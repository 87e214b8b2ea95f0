// Functions on numbers: math.least(), math.ceil() and the like.
#include "expr/function_types.hpp"
#include "expr/functions.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace belay::expr {

namespace {

bool has_size(const Value& value) {
    return value.is(Kind::integer) || value.is(Kind::unsigned_integer) || value.is(Kind::real);
}

template <bool Greatest, class Values>
Outcome extreme(const Values& values, Budget& budget) {
    const Value* found = nullptr;
    for (const Value& value : values) {
        if (!budget.work(1)) return over_budget();
        if (!has_size(value)) return failed("the arguments must be numbers");
        if (found == nullptr) {
            found = &value;
            continue;
        }
        const auto order = *compare(value, *found);
        if (Greatest ? order > 0 : order < 0) found = &value;
    }
    if (found == nullptr) return failed("the list is empty");
    return *found;
}

template <bool Greatest>
Outcome extreme_argument(Arguments a, Budget& budget) {
    return extreme<Greatest>(a, budget);
}

template <bool Greatest>
Outcome extreme_item(Arguments a, Budget& budget) {
    return extreme<Greatest>(a[0].list(), budget);
}

template <bool Greatest>
void add_extremes(FunctionTable& table, std::string_view name) {
    const Type any;
    const Type item = Type::parameter();
    for (const Type& type : {kInt, kUint, kReal}) {
        table.function(name, {type}, type, extreme_argument<Greatest>);
        table.function(name, {type, type}, type, extreme_argument<Greatest>);
    }
    table.function(name, {Type::list(item)}, item, extreme_item<Greatest>);
    table.function(name, {any, any}, any, extreme_argument<Greatest>);
    table.function(name, {any, any, any}, any, extreme_argument<Greatest>);
    table.function(name, {any, any, any, any}, any, extreme_argument<Greatest>);
}

template <auto Function>
Outcome on_real(Arguments a, Budget& /*budget*/) {
    return Value(Function(a[0].real()));
}

template <auto Function>
void add_rounding(FunctionTable& table, std::string_view name) {
    table.function(name, {kReal}, kReal, on_real<Function>);
}

Outcome absolute(Arguments a, Budget& /*budget*/) {
    if (a[0].integer() == std::numeric_limits<std::int64_t>::min()) {
        return failed("integer overflow");
    }
    return Value(a[0].integer() < 0 ? -a[0].integer() : a[0].integer());
}

Outcome itself(Arguments a, Budget& /*budget*/) { return a[0]; }

Outcome sign(Arguments a, Budget& /*budget*/) {
    return Value(std::int64_t{a[0].integer() > 0} - std::int64_t{a[0].integer() < 0});
}

}  // namespace

void add_math_functions(FunctionTable& table) {
    add_extremes<true>(table, "math.greatest");
    add_extremes<false>(table, "math.least");
    add_rounding<[](double x) { return std::ceil(x); }>(table, "math.ceil");
    add_rounding<[](double x) { return std::floor(x); }>(table, "math.floor");
    add_rounding<[](double x) { return std::round(x); }>(table, "math.round");
    add_rounding<[](double x) { return std::trunc(x); }>(table, "math.trunc");
    add_rounding<[](double x) { return std::fabs(x); }>(table, "math.abs");
    table.function("math.abs", {kInt}, kInt, absolute);
    table.function("math.abs", {kUint}, kUint, itself);
    table.function("math.sign", {kInt}, kInt, sign);
    table.function("math.isNaN", {kReal}, kBool, [](Arguments a, Budget&) -> Outcome {
        return Value(std::isnan(a[0].real()));
    });
    table.function("math.isInf", {kReal}, kBool, [](Arguments a, Budget&) -> Outcome {
        return Value(std::isinf(a[0].real()));
    });
    table.function("math.isFinite", {kReal}, kBool, [](Arguments a, Budget&) -> Outcome {
        return Value(std::isfinite(a[0].real()));
    });
}

}  // namespace belay::expr
