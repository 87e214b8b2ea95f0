// Functions on optionals.
#include "expr/function_types.hpp"
#include "expr/functions.hpp"

namespace belay::expr {

namespace {

bool is_zero(const Value& value) {
    switch (value.kind()) {
        case Kind::null: return true;
        case Kind::boolean: return !value.boolean();
        case Kind::integer: return value.integer() == 0;
        case Kind::unsigned_integer: return value.unsigned_integer() == 0;
        case Kind::real: return value.real() == 0;
        case Kind::text: return value.text().empty();
        case Kind::bytes: return value.bytes().empty();
        case Kind::list: return value.list().empty();
        case Kind::map: return value.map().size() == 0;
        case Kind::duration: return value.duration() == Span();
        default: return false;
    }
}

}  // namespace

void add_optional_functions(FunctionTable& table) {
    const Type any;
    const Type item = Type::parameter();
    const Type optional = Type::optional(item);
    table.function("optional.none", {}, Type(Kind::optional), [](Arguments, Budget&) -> Outcome {
        return Value::none();
    });
    table.function("optional.of", {item}, optional, [](Arguments a, Budget&) -> Outcome {
        return Value::some(a[0]);
    });
    table.function(
        "optional.ofNonZeroValue", {item}, optional, [](Arguments a, Budget&) -> Outcome {
            return is_zero(a[0]) ? Value::none() : Value::some(a[0]);
        });
    table.method("hasValue", {optional}, Type(Kind::boolean), [](Arguments a, Budget&) -> Outcome {
        return Value(a[0].held() != nullptr);
    });
    table.method("value", {optional}, item, [](Arguments a, Budget&) -> Outcome {
        if (a[0].held() == nullptr) return failed("the optional holds no value");
        return *a[0].held();
    });
    table.method("or", {optional, optional}, optional, [](Arguments a, Budget&) -> Outcome {
        return a[0].held() != nullptr ? a[0] : a[1];
    });
    table.method("orValue", {optional, item}, item, [](Arguments a, Budget&) -> Outcome {
        return a[0].held() != nullptr ? *a[0].held() : a[1];
    });
}

}  // namespace belay::expr
