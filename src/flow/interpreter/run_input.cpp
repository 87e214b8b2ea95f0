#include "flow/interpreter/run_input.hpp"

#include "expr/value_json.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/exceptions.hpp>

#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace belay::flow {

namespace {

using expr::Kind;
using expr::Map;
using expr::Value;

constexpr std::string_view kEnvelope = "$flow";
constexpr std::array<std::string_view, 3> kEntries{"steps", "on_fail", "items"};

[[noreturn]] void refuse(const std::string& why) { throw DecodeError(why); }

const Value& field(const Map& map, std::string_view name, Kind kind) {
    const Value* const value = map.find(name);
    if (value == nullptr || !value->is(kind)) {
        refuse("$flow." + std::string(name) + " must be of the type " +
               std::string(to_string(kind)));
    }
    return *value;
}

EntryPoint entry_of(const std::string& name) {
    for (std::size_t i = 0; i < kEntries.size(); ++i) {
        if (kEntries[i] == name) return static_cast<EntryPoint>(i);
    }
    refuse("$flow.entry is '" + name + "'; it must be steps, on_fail or items");
}

std::uint64_t count_in(const Map& map, std::string_view name) {
    const std::int64_t number = field(map, name, Kind::integer).integer();
    if (number < 0) refuse("$flow." + std::string(name) + " must not be negative");
    return static_cast<std::uint64_t>(number);
}

ItemsInput items_of(const Map& map) {
    ItemsInput items;
    items.list = field(map, "list", Kind::text).text();
    items.step = field(map, "step", Kind::text).text();
    items.from = count_in(map, "from");
    items.items = field(map, "items", Kind::list).list();
    items.keeps_results = field(map, "keeps_results", Kind::boolean).boolean();
    items.most_bytes = count_in(map, "most_bytes");
    items.steps = field(map, "steps", Kind::map);
    items.more = field(map, "more", Kind::map);
    items.run = field(map, "run", Kind::text).text();
    items.created = from_unix_ms(field(map, "created", Kind::integer).integer());
    const Value* const may_fail = map.find("may_fail");
    items.may_fail.reset();
    if (may_fail != nullptr && !may_fail->is(Kind::null)) {
        items.may_fail = count_in(map, "may_fail");
    }
    return items;
}

void put_items(Fields& fields, const ItemsInput& items) {
    fields.emplace_back("list", Value(items.list));
    fields.emplace_back("step", Value(items.step));
    fields.emplace_back("from", integer_of(items.from));
    fields.emplace_back("items", Value(items.items));
    fields.emplace_back("may_fail", items.may_fail ? integer_of(*items.may_fail) : Value());
    fields.emplace_back("keeps_results", Value(items.keeps_results));
    fields.emplace_back("most_bytes", integer_of(items.most_bytes));
    fields.emplace_back("steps", items.steps);
    fields.emplace_back("more", items.more);
    fields.emplace_back("run", Value(items.run));
    fields.emplace_back("created", Value(to_unix_ms(items.created)));
}

/// Command lines and other languages may send JSON as a text.
Value given_value(const Payload& payload) {
    if (payload.codec != PayloadCodec::text) return value_of(payload);
    const auto value = expr::parse_json(payload.bytes);
    if (!value) refuse(value.error().message());
    return *value;
}

}  // namespace

Payload encode_input(const RunInput& input) {
    constexpr Limits kNone = [] {
        Limits limits;
        limits.payload_bytes = std::numeric_limits<std::size_t>::max();
        return limits;
    }();
    const Value params = input.params.is(Kind::map) ? input.params : Value(Map());
    if (input.entry == EntryPoint::steps && !input.resume) {
        return payload_of(params, "the input", kNone);
    }
    Fields fields;
    const auto entry = static_cast<std::size_t>(input.entry);
    fields.emplace_back("entry", Value(std::string(kEntries[entry])));
    fields.emplace_back("params", params);
    if (input.failure) fields.emplace_back("failure", value_of(*input.failure));
    if (input.items) put_items(fields, *input.items);
    if (input.resume) fields.emplace_back("resume", Value(*input.resume));
    Fields envelope;
    envelope.emplace_back(std::string(kEnvelope), Value(map_of(std::move(fields))));
    return payload_of(Value(map_of(std::move(envelope))), "the input", kNone);
}

RunInput decode_input(const Payload& payload) {
    RunInput input;
    const Value value = given_value(payload);
    if (value.is(Kind::null)) return input;
    if (!value.is(Kind::map)) refuse("the input must be an object with a value for each parameter");
    const Value* const envelope = value.map().find(kEnvelope);
    if (envelope == nullptr) {
        input.params = value;
        return input;
    }
    if (!envelope->is(Kind::map) || value.map().size() != 1) {
        refuse("$flow must be an object, and the only member");
    }
    const Map& map = envelope->map();
    input.entry = entry_of(field(map, "entry", Kind::text).text());
    if (const Value* const params = map.find("params")) input.params = *params;
    if (const Value* const failure = map.find("failure")) input.failure = failure_from(*failure);
    if (input.entry == EntryPoint::items) input.items = items_of(map);
    if (map.find("resume") != nullptr) input.resume = field(map, "resume", Kind::text).text();
    return input;
}

}  // namespace belay::flow
