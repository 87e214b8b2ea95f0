#include "expr/value_json.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/exceptions.hpp>
#include <belay/flow/failure.hpp>

namespace belay {

namespace {

const std::string& text_in(const expr::Map& map, std::string_view name) {
    const expr::Value* const value = map.find(name);
    if (value == nullptr || !value->is(expr::Kind::text)) {
        throw DecodeError("this is no failure: '" + std::string(name) + "' is no text");
    }
    return value->text();
}

}  // namespace

Payload Codec<FlowFailure>::encode(const FlowFailure& value) {
    flow::Fields fields;
    fields.emplace_back("step", expr::Value(value.step));
    fields.emplace_back("kind", expr::Value(value.kind));
    fields.emplace_back("message", expr::Value(value.message));
    fields.emplace_back("detail", expr::Value(value.detail));
    fields.emplace_back("type", expr::Value(value.type));
    fields.emplace_back("attempt", expr::Value(value.attempt));
    auto json = expr::to_json(expr::Value(flow::map_of(std::move(fields))));
    return Payload(PayloadCodec::json, std::move(json).or_throw());
}

FlowFailure Codec<FlowFailure>::decode(const Payload& payload) {
    const expr::Value value = flow::value_of(payload);
    if (!value.is(expr::Kind::map)) throw DecodeError("this is no failure: it is no object");
    const expr::Map& map = value.map();
    FlowFailure failure;
    failure.step = text_in(map, "step");
    failure.kind = text_in(map, "kind");
    failure.message = text_in(map, "message");
    failure.detail = text_in(map, "detail");
    failure.type = text_in(map, "type");
    const expr::Value* const attempt = map.find("attempt");
    if (attempt != nullptr && attempt->is(expr::Kind::integer)) {
        failure.attempt = attempt->integer();
    }
    return failure;
}

}  // namespace belay
