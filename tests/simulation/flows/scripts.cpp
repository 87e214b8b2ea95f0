#include "simulation/flows/scripts.hpp"

#include "expr/value_json.hpp"
#include "simulation/world/rng.hpp"

#include <utility>
#include <vector>

namespace belay::sim {

namespace {

using expr::Value;

/// FNV-1a.
std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    for (const char one : text) {
        hash ^= static_cast<unsigned char>(one);
        hash *= 0x100000001b3ULL;
    }
    return hash;
}

}  // namespace

Scripted Scripts::end_of(std::string_view activity,
                         std::string_view key,
                         std::uint32_t attempt) const {
    Rng of_place(mixed(seed_, key));
    if (activity == kDoomedActivity) return Scripted::fails;
    if (activity == kFlakyActivity) {
        const std::uint64_t failures = 1 + of_place.below(2);
        return attempt <= failures ? Scripted::fails : Scripted::completes;
    }
    if (activity != kShakyActivity) return Scripted::completes;
    Rng of_attempt(of_place.next() + attempt);
    const std::size_t kind = of_attempt.below(100);
    if (kind < 12) return Scripted::fails_for_good;
    return kind < 50 ? Scripted::fails : Scripted::completes;
}

expr::Value Scripts::result_of(const expr::Value& input) const {
    const Value* const in = input.is(expr::Kind::map) ? input.map().find("in") : nullptr;
    const std::string json = json_of(in != nullptr ? *in : Value());
    Rng rng(mixed(mixed(seed_, text_in(input, "key")), json));
    expr::List list;
    const std::size_t count = rng.below(4);
    list.reserve(count);
    for (std::size_t i = 0; i < count; ++i) list.emplace_back(rng.between(0, 9));
    std::vector<expr::Map::Entry> fields;
    fields.emplace_back(Value("key"), Value(text_in(input, "key")));
    fields.emplace_back(Value("n"), Value(rng.between(0, 9)));
    fields.emplace_back(Value("list"), Value(std::move(list)));
    return Value(expr::Map::make(std::move(fields)).value_or(expr::Map()));
}

std::string Scripts::message_of(std::string_view key, std::uint32_t attempt) {
    std::string message("attempt ");
    message.append(std::to_string(attempt)).append(" at ").append(key);
    return message;
}

std::string json_of(const expr::Value& value) {
    const auto json = expr::to_json(value);
    return json ? *json : std::string("no JSON");
}

std::string text_in(const expr::Value& map, std::string_view name) {
    if (!map.is(expr::Kind::map)) return {};
    const Value* const value = map.map().find(name);
    return value != nullptr && value->is(expr::Kind::text) ? value->text() : std::string();
}

}  // namespace belay::sim
