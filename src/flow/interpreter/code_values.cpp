#include "flow/interpreter/code_values.hpp"

#include "flow/interpreter/values.hpp"
#include <belay/codec.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace belay::flow {

namespace {

using expr::Kind;
using expr::Value;

[[noreturn]] void refuse(std::string_view what, const CodeType& type, const Value& value) {
    throw_failure(FailureKind::application,
                  std::string(what) + " must be of the type " + to_string(type) + ", not " +
                      std::string(to_string(value.kind())),
                  "expression");
}

/// Writes values without a look at their size, which is checked once for the whole.
class CodeWriter {
public:
    CodeWriter(std::string_view what, const Limits& limits) : what_(what), limits_(limits) {}

    [[nodiscard]] Payload write(const Value& value, const CodeType& type) const {
        switch (type.kind()) {
            case CodeType::Kind::json: return payload_of(value, what_, limits_);
            case CodeType::Kind::string:
                if (value.is(Kind::text)) return Payload::text(value.text());
                break;
            case CodeType::Kind::integer: return integer(value, type);
            case CodeType::Kind::number: return number(value, type);
            case CodeType::Kind::boolean:
                if (value.is(Kind::boolean)) return Codec<bool>::encode(value.boolean());
                break;
            case CodeType::Kind::list: return list(value, type);
            case CodeType::Kind::optional:
                if (value.is(Kind::null)) return belay::detail::join_payloads({});
                return belay::detail::join_payloads({write(value, type.of())});
        }
        refuse(what_, type, value);
    }

private:
    [[nodiscard]] Payload integer(const Value& value, const CodeType& type) const {
        if (value.is(Kind::integer)) return Codec<std::int64_t>::encode(value.integer());
        if (value.is(Kind::unsigned_integer)) {
            return Codec<std::uint64_t>::encode(value.unsigned_integer());
        }
        refuse(what_, type, value);
    }
    [[nodiscard]] Payload number(const Value& value, const CodeType& type) const {
        if (value.is(Kind::real)) return Codec<double>::encode(value.real());
        if (value.is(Kind::integer)) {
            return Codec<double>::encode(static_cast<double>(value.integer()));
        }
        if (value.is(Kind::unsigned_integer)) {
            return Codec<double>::encode(static_cast<double>(value.unsigned_integer()));
        }
        refuse(what_, type, value);
    }
    [[nodiscard]] Payload list(const Value& value, const CodeType& type) const {
        if (!value.is(Kind::list)) refuse(what_, type, value);
        std::vector<Payload> parts;
        parts.reserve(value.list().size());
        for (const Value& element : value.list()) parts.push_back(write(element, type.of()));
        return belay::detail::join_payloads(parts);
    }

    std::string_view what_;
    const Limits& limits_;
};

CodeType natural_type(const Value& value) {
    switch (value.kind()) {
        case Kind::text: return CodeType(CodeType::Kind::string);
        case Kind::integer:
        case Kind::unsigned_integer: return CodeType(CodeType::Kind::integer);
        case Kind::real: return CodeType(CodeType::Kind::number);
        case Kind::boolean: return CodeType(CodeType::Kind::boolean);
        default: return {};
    }
}

void refuse_large(std::string_view what, const Payload& payload, const Limits& limits) {
    if (payload.bytes.size() <= limits.payload_bytes) return;
    throw_failure(FailureKind::limit,
                  std::string(what) + " is " + std::to_string(payload.bytes.size()) +
                      " bytes; at most " + std::to_string(limits.payload_bytes) +
                      " are allowed (Limits::payload_bytes): pass a part of it",
                  "limit");
}

}  // namespace

Payload code_value_of(const expr::Value& value,
                      const CodeType& type,
                      std::string_view what,
                      const Limits& limits) {
    Payload payload = CodeWriter(what, limits).write(value, type);
    refuse_large(what, payload, limits);
    return payload;
}

Payload arguments_of(const std::vector<expr::Value>& values,
                     const std::vector<CodeType>& types,
                     const Limits& limits) {
    std::vector<Payload> parts;
    parts.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string what = "argument " + std::to_string(i + 1);
        const CodeType type = types.empty() ? natural_type(values[i]) : types[i];
        parts.push_back(CodeWriter(what, limits).write(values[i], type));
    }
    if (parts.empty()) return {};
    Payload payload =
        parts.size() == 1 ? std::move(parts.front()) : belay::detail::join_payloads(parts);
    refuse_large("`args`", payload, limits);
    return payload;
}

expr::Value value_of(const Payload& payload, const CodeType& type) {
    const bool is_list = type.kind() == CodeType::Kind::list;
    if (!is_list && type.kind() != CodeType::Kind::optional) return value_of(payload);
    const std::vector<Payload> parts = belay::detail::split_elements(payload, "a list");
    if (!is_list) return parts.empty() ? Value() : value_of(parts.front(), type.of());
    expr::List list;
    list.reserve(parts.size());
    for (const Payload& part : parts) list.push_back(value_of(part, type.of()));
    return Value(std::move(list));
}

}  // namespace belay::flow
