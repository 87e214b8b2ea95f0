#include "expr/type.hpp"

namespace belay::expr {

Type Type::object(Fields fields) {
    Type made(Kind::map);
    made.fields_ = std::make_shared<const Fields>(std::move(fields));
    return made;
}

Type Type::parameter() {
    Type made;
    made.parameter_ = true;
    return made;
}

std::string to_string(const Type& type) {
    if (!type.kind()) return "any";
    std::string name(to_string(*type.kind()));
    if (type.is(Kind::timestamp)) return "timestamp";
    if (type.is(Kind::duration)) return "duration";
    if (type.is(Kind::null)) return "null";
    if (type.is(Kind::optional)) name = "optional";
    if (!type.inner().is_any()) name += "(" + to_string(type.inner()) + ")";
    return name;
}

bool may_be(const Type& from, const Type& to) {
    if (!from.kind() || !to.kind()) return true;
    if (from.kind() != to.kind()) return false;
    return may_be(from.inner(), to.inner());
}

Type join(const Type& a, const Type& b) {
    if (!a.kind() || a.kind() != b.kind()) return {};
    const Type inner = join(a.inner(), b.inner());
    switch (*a.kind()) {
        case Kind::list: return Type::list(inner);
        case Kind::map: return Type::map(inner);
        case Kind::optional: return Type::optional(inner);
        default: return a;
    }
}

void bind_parameter(const Type& pattern, const Type& actual, std::optional<Type>& bound) {
    if (pattern.is_parameter()) {
        bound = bound ? join(*bound, actual) : actual;
    } else if (pattern.kind() && pattern.kind() == actual.kind() && !pattern.inner().is_any()) {
        bind_parameter(pattern.inner(), actual.inner(), bound);
    }
}

Type substitute(const Type& pattern, const std::optional<Type>& bound) {
    if (pattern.is_parameter()) return bound.value_or(Type());
    if (pattern.is(Kind::list)) return Type::list(substitute(pattern.inner(), bound));
    if (pattern.is(Kind::map) && pattern.fields() == nullptr) {
        return Type::map(substitute(pattern.inner(), bound));
    }
    if (pattern.is(Kind::optional)) return Type::optional(substitute(pattern.inner(), bound));
    return pattern;
}

}  // namespace belay::expr
