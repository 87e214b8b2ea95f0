#include "flow/definition/types.hpp"

#include <optional>

namespace belay::flow {

using expr::Kind;
using expr::Type;

namespace {

Type type_of(ParamType type, ParamType of) {
    switch (type) {
        case ParamType::string: return Type(Kind::text);
        case ParamType::integer: return Type(Kind::integer);
        case ParamType::number: return Type(Kind::real);
        case ParamType::boolean: return Type(Kind::boolean);
        case ParamType::list: return Type::list(type_of(of, ParamType::any));
        case ParamType::map: return Type::map(type_of(of, ParamType::any));
        case ParamType::any: return {};
    }
    return {};
}

Type joined(const std::optional<Type>& so_far, const Type& one) {
    return so_far ? join(*so_far, one) : one;
}

}  // namespace

Type type_of(const expr::Value& value) {
    if (value.is(Kind::list)) {
        std::optional<Type> element;
        for (const expr::Value& item : value.list()) element = joined(element, type_of(item));
        return Type::list(element.value_or(Type()));
    }
    if (value.is(Kind::map)) {
        Type::Fields fields;
        for (const auto& [key, item] : value.map().entries()) {
            if (key.is(Kind::text)) fields.insert_or_assign(key.text(), type_of(item));
        }
        return Type::object(std::move(fields));
    }
    return Type(value.kind());
}

Type type_of(const Param& param) {
    if (!param.required && !param.default_value) return {};
    return type_of(param.type, param.of);
}

Type type_of(const Form& form, const Type::Fields& names, std::vector<expr::Problem>& problems) {
    if (const expr::Value* const value = form.constant()) return type_of(*value);
    if (const expr::Template* const text = form.text()) return text->check(names, problems);
    if (const Form::Items* const items = form.items()) {
        std::optional<Type> element;
        for (const Form& item : *items) element = joined(element, type_of(item, names, problems));
        return Type::list(element.value_or(Type()));
    }
    Type::Fields fields;
    for (const auto& [name, field] : *form.fields()) {
        fields.insert_or_assign(name, type_of(field, names, problems));
    }
    return Type::object(std::move(fields));
}

Type run_type() {
    return Type::object({{"id", Type(Kind::text)},
                         {"flow", Type(Kind::text)},
                         {"started_by", Type(Kind::text)},
                         {"created", Type(Kind::timestamp)},
                         {"attempt_of", Type()},
                         {"headers", Type::map(Type(Kind::text))}});
}

Type step_type() { return Type::object({{"id", Type(Kind::text)}, {"key", Type(Kind::text)}}); }

Type failure_type() {
    return Type::object({{"step", Type(Kind::text)},
                         {"item", Type()},
                         {"message", Type(Kind::text)},
                         {"kind", Type(Kind::text)},
                         {"type", Type(Kind::text)},
                         {"detail", Type(Kind::text)},
                         {"attempt", Type(Kind::integer)}});
}

Type outcome_type() {
    return Type::object({{"status", Type(Kind::text)},
                         {"failure", failure_type()},
                         {"reason", Type(Kind::text)},
                         {"output", Type()}});
}

Type http_output_type() {
    return Type::object({{"status", Type(Kind::integer)},
                         {"headers", Type::map(Type(Kind::text))},
                         {"body", Type()}});
}

}  // namespace belay::flow
