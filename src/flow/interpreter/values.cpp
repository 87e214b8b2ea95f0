#include "flow/interpreter/values.hpp"

#include "expr/value_json.hpp"
#include <belay/codec.hpp>
#include <belay/exceptions.hpp>

#include <array>
#include <charconv>
#include <cstdint>

namespace belay::flow {

using expr::Kind;
using expr::Map;
using expr::Value;

expr::Map map_of(Fields fields) {
    std::vector<Map::Entry> entries;
    entries.reserve(fields.size());
    for (auto& [name, value] : fields) entries.emplace_back(Value(name), std::move(value));
    return Map::make(std::move(entries)).value_or(Map());
}

expr::Map merged(const expr::Map& base, Fields more) {
    const Map added = map_of(std::move(more));
    std::vector<Map::Entry> entries = added.entries();
    for (const Map::Entry& entry : base.entries()) {
        if (added.find(entry.first) == nullptr) entries.push_back(entry);
    }
    return Map::make(std::move(entries)).value_or(Map());
}

namespace {

/// Returns the values of a container that C++ code has stored.
Value list_of(const Payload& payload) {
    expr::List list;
    for (const Payload& part : belay::detail::split_elements(payload, "a list")) {
        list.push_back(value_of(part));
    }
    return Value(std::move(list));
}

}  // namespace

expr::Value value_of(const Payload& payload) {
    switch (payload.codec) {
        case PayloadCodec::none: return {};
        case PayloadCodec::text: return Value(Codec<std::string>::decode(payload));
        case PayloadCodec::boolean: return Value(Codec<bool>::decode(payload));
        case PayloadCodec::integer: return Value(Codec<std::int64_t>::decode(payload));
        case PayloadCodec::real: return Value(Codec<double>::decode(payload));
        case PayloadCodec::bytes: return Value::bytes(payload.bytes);
        case PayloadCodec::arguments: return list_of(payload);
        default: break;
    }
    detail::expect_codec(payload, PayloadCodec::json, "JSON");
    auto value = expr::parse_json(payload.bytes);
    if (!value) throw DecodeError(value.error().message());
    return *std::move(value);
}

Payload payload_of(const expr::Value& value, std::string_view what, const Limits& limits) {
    auto json = expr::to_json(value);
    if (!json) {
        throw_failure(FailureKind::application,
                      std::string(what).append(": ").append(json.error().message()),
                      "expression");
    }
    if (json->size() > limits.payload_bytes) {
        throw_failure(FailureKind::limit,
                      std::string(what) + " is " + std::to_string(json->size()) +
                          " bytes of JSON; at most " + std::to_string(limits.payload_bytes) +
                          " are allowed (Limits::payload_bytes): pass a part of it",
                      "limit");
    }
    return Payload(PayloadCodec::json, *std::move(json));
}

std::string text_of(const expr::Value& value) {
    if (value.is(Kind::text)) return value.text();
    auto json = expr::to_json(value);
    if (!json) throw_failure(FailureKind::application, json.error().message(), "expression");
    return *std::move(json);
}

std::string place_name(std::string_view step, std::optional<std::uint64_t> item) {
    std::string name(step);
    if (item) name.append("[").append(std::to_string(*item)).append("]");
    return name;
}

namespace {

constexpr std::array kKinds{FailureKind::application,
                            FailureKind::timeout,
                            FailureKind::canceled,
                            FailureKind::nondeterminism,
                            FailureKind::poison,
                            FailureKind::limit,
                            FailureKind::infrastructure,
                            FailureKind::id_in_use};

/// Returns the number of the item in "dump[17]"; null if there is none.
Value item_in(std::string_view place) {
    const std::size_t open = place.find('[');
    if (open == std::string_view::npos) return {};
    std::int64_t item = 0;
    const char* const begin = place.data() + open + 1;
    const auto [end, problem] = std::from_chars(begin, place.data() + place.size(), item);
    return problem == std::errc() ? Value(item) : Value();
}

std::string text_in(const Map& map, std::string_view name) {
    const Value* const value = map.find(name);
    return value != nullptr && value->is(Kind::text) ? value->text() : std::string();
}

}  // namespace

expr::Value value_of(const Failure& failure) {
    const std::string_view place = failure.where;
    Fields fields;
    fields.emplace_back("step", Value(std::string(place.substr(0, place.find('[')))));
    fields.emplace_back("item", item_in(place));
    fields.emplace_back("kind", Value(std::string(to_string(failure.kind))));
    fields.emplace_back("message", Value(failure.message));
    fields.emplace_back("detail", Value(failure.detail));
    fields.emplace_back("type", Value(failure.type));
    fields.emplace_back("attempt", Value(std::int64_t{failure.attempt}));
    return Value(map_of(std::move(fields)));
}

Failure failure_from(const expr::Value& value) {
    Failure failure;
    if (!value.is(Kind::map)) return failure;
    const Map& map = value.map();
    const std::string kind = text_in(map, "kind");
    for (const FailureKind known : kKinds) {
        if (to_string(known) == kind) failure.kind = known;
    }
    const Value* const item = map.find("item");
    const Value* const attempt = map.find("attempt");
    std::optional<std::uint64_t> number;
    if (item != nullptr && item->is(Kind::integer)) {
        number = static_cast<std::uint64_t>(item->integer());
    }
    failure.message = text_in(map, "message");
    failure.where = place_name(text_in(map, "step"), number);
    failure.detail = text_in(map, "detail");
    failure.type = text_in(map, "type");
    if (attempt != nullptr && attempt->is(Kind::integer)) {
        failure.attempt = static_cast<std::uint32_t>(attempt->integer());
    }
    return failure;
}

std::string described(const Problems& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        if (!text.empty()) text += "; ";
        text += to_string(problem);
    }
    return text;
}

void throw_failure(FailureKind kind, std::string message, std::string type) {
    throw OperationFailed(Failure{
        .kind = kind, .message = std::move(message), .type = std::move(type), .retryable = false});
}

void throw_problem(const expr::Problem& problem) {
    throw_failure(problem.limit ? FailureKind::limit : FailureKind::application,
                  to_string(problem),
                  "expression");
}

}  // namespace belay::flow
