#include "expr/value.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace belay::expr {

std::string_view to_string(Kind kind) noexcept {
    switch (kind) {
        case Kind::null: return "null_type";
        case Kind::boolean: return "bool";
        case Kind::integer: return "int";
        case Kind::unsigned_integer: return "uint";
        case Kind::real: return "double";
        case Kind::text: return "string";
        case Kind::bytes: return "bytes";
        case Kind::list: return "list";
        case Kind::map: return "map";
        case Kind::timestamp: return "google.protobuf.Timestamp";
        case Kind::duration: return "google.protobuf.Duration";
        case Kind::optional: return "optional_type";
        case Kind::type: return "type";
    }
    return "?";
}

std::optional<Kind> type_named(std::string_view name) noexcept {
    for (const Kind kind : {Kind::null,
                            Kind::boolean,
                            Kind::integer,
                            Kind::unsigned_integer,
                            Kind::real,
                            Kind::text,
                            Kind::bytes,
                            Kind::list,
                            Kind::map,
                            Kind::optional,
                            Kind::type}) {
        if (to_string(kind) == name) return kind;
    }
    return std::nullopt;
}

Value::Value(Map value) : held_(std::make_shared<const Map>(std::move(value))) {}

Value Value::bytes(std::string value) {
    Value made;
    made.held_ = Bytes{std::make_shared<const std::string>(std::move(value))};
    return made;
}

Value Value::type(Kind kind) {
    Value made;
    made.held_ = TypeName{kind};
    return made;
}

Value Value::some(Value value) {
    Value made;
    made.held_ = Optional{std::make_shared<const Value>(std::move(value))};
    return made;
}

Value Value::none() {
    Value made;
    made.held_ = Optional{};
    return made;
}

// ---- Order and equality ------------------------------------------------------------------------

namespace {

bool is_number(const Value& value) noexcept {
    return value.is(Kind::integer) || value.is(Kind::unsigned_integer) || value.is(Kind::real);
}

std::partial_ordering compare_integers(const Value& a, const Value& b) {
    if (a.is(Kind::integer) && b.is(Kind::integer)) return a.integer() <=> b.integer();
    if (a.is(Kind::unsigned_integer) && b.is(Kind::unsigned_integer)) {
        return a.unsigned_integer() <=> b.unsigned_integer();
    }
    if (a.is(Kind::integer)) {
        if (a.integer() < 0) return std::partial_ordering::less;
        return static_cast<std::uint64_t>(a.integer()) <=> b.unsigned_integer();
    }
    return 0 <=> compare_integers(b, a);
}

/// Compares exactly, without rounding the integer to a double.
std::partial_ordering compare_with_real(const Value& integer, double real) {
    if (std::isnan(real)) return std::partial_ordering::unordered;
    constexpr double kBeyondSigned = 9223372036854775808.0;
    constexpr double kBeyondUnsigned = 18446744073709551616.0;
    if (real >= kBeyondUnsigned) return std::partial_ordering::less;
    if (real < -kBeyondSigned) return std::partial_ordering::greater;
    const double whole = std::trunc(real);
    const Value rounded = whole >= kBeyondSigned ? Value(static_cast<std::uint64_t>(whole))
                                                 : Value(static_cast<std::int64_t>(whole));
    const auto order = compare_integers(integer, rounded);
    if (order != 0) return order;
    return whole <=> real;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
    if (a.is(Kind::real) && b.is(Kind::real)) return a.real() <=> b.real();
    if (b.is(Kind::real)) return compare_with_real(a, b.real());
    if (a.is(Kind::real)) return 0 <=> compare_with_real(b, a.real());
    return compare_integers(a, b);
}

bool equal_lists(const List& a, const List& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

bool equal_maps(const Map& a, const Map& b) {
    return a.size() == b.size() && std::ranges::all_of(a.entries(), [&](const Map::Entry& entry) {
               const Value* other = b.find(entry.first);
               return other != nullptr && equal(entry.second, *other);
           });
}

bool equal_optionals(const Value* a, const Value* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return equal(*a, *b);
}

/// Keys of different kinds: booleans, then numbers, then texts.
int rank(const Value& key) noexcept {
    if (key.is(Kind::boolean)) return 0;
    return is_number(key) ? 1 : 2;
}

bool key_less(const Value& a, const Value& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return *compare(a, b) < 0;
}

}  // namespace

bool equal(const Value& a, const Value& b) {
    if (is_number(a) && is_number(b)) return compare_numbers(a, b) == 0;
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case Kind::null: return true;
        case Kind::list: return equal_lists(a.list(), b.list());
        case Kind::map: return equal_maps(a.map(), b.map());
        case Kind::optional: return equal_optionals(a.held(), b.held());
        case Kind::type: return a.type() == b.type();
        default: return *compare(a, b) == 0;
    }
}

std::optional<std::partial_ordering> compare(const Value& a, const Value& b) {
    if (is_number(a) && is_number(b)) return compare_numbers(a, b);
    if (a.kind() != b.kind()) return std::nullopt;
    switch (a.kind()) {
        case Kind::boolean: return a.boolean() <=> b.boolean();
        case Kind::text: return a.text() <=> b.text();
        case Kind::bytes: return a.bytes() <=> b.bytes();
        case Kind::timestamp: return a.timestamp() <=> b.timestamp();
        case Kind::duration: return a.duration() <=> b.duration();
        default: return std::nullopt;
    }
}

// ---- Maps --------------------------------------------------------------------------------------

bool can_be_key(Kind kind) noexcept {
    return kind == Kind::boolean || kind == Kind::integer || kind == Kind::unsigned_integer ||
           kind == Kind::text;
}

std::optional<Map> Map::make(std::vector<Entry> entries, Value* twice) {
    Map made;
    made.entries_ = std::move(entries);
    made.by_key_.resize(made.entries_.size());
    std::iota(made.by_key_.begin(), made.by_key_.end(), 0U);
    const auto key = [&](std::uint32_t i) -> const Value& { return made.entries_[i].first; };
    std::ranges::sort(made.by_key_, key_less, key);
    const auto same = std::ranges::adjacent_find(
        made.by_key_, [](const Value& a, const Value& b) { return !key_less(a, b); }, key);
    if (same == made.by_key_.end()) return made;
    if (twice != nullptr) *twice = key(*same);
    return std::nullopt;
}

const Value* Map::find(const Value& key) const {
    if (!can_be_key(key.kind()) && !key.is(Kind::real)) return nullptr;
    if (key.is(Kind::real) && std::isnan(key.real())) return nullptr;
    const auto at = std::ranges::lower_bound(
        by_key_, key, key_less, [&](std::uint32_t i) -> const Value& { return entries_[i].first; });
    if (at == by_key_.end() || key_less(key, entries_[*at].first)) return nullptr;
    return &entries_[*at].second;
}

const Value* Map::find(std::string_view key) const { return find(Value(std::string(key))); }

}  // namespace belay::expr
