// Values of expressions. Copies are cheap: texts, lists and maps are shared and never change.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace belay::expr {

enum class Kind : std::uint8_t {
    null,
    boolean,
    integer,
    unsigned_integer,
    real,
    text,
    bytes,
    list,
    map,
    timestamp,
    duration,
    optional,
    type,
};

/// Returns the name of a kind as expressions write it: "int", "string",
/// "google.protobuf.Timestamp".
[[nodiscard]] std::string_view to_string(Kind kind) noexcept;

/// Returns the kind whose name is `int`, `string` and so on. Such a name is a value of kind type.
/// Names with dots are not found.
[[nodiscard]] std::optional<Kind> type_named(std::string_view name) noexcept;

/// A point in time, in seconds and nanoseconds since 1970 in UTC. `nanos` is never negative.
struct Instant {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;

    friend auto operator<=>(const Instant&, const Instant&) = default;
};

/// A length of time, which may be negative. `nanos` is never negative.
struct Span {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;

    friend auto operator<=>(const Span&, const Span&) = default;
};

class Value;
class Map;
using List = std::vector<Value>;

class Value {
public:
    /// Null.
    Value() = default;
    explicit Value(bool value) : held_(value) {}
    explicit Value(std::int64_t value) : held_(value) {}
    explicit Value(std::uint64_t value) : held_(value) {}
    explicit Value(double value) : held_(value) {}
    explicit Value(std::string value)
        : held_(Text{std::make_shared<const std::string>(std::move(value))}) {}
    explicit Value(const char* value) : Value(std::string(value)) {}
    explicit Value(List value) : held_(std::make_shared<const List>(std::move(value))) {}
    explicit Value(Map value);
    explicit Value(Instant value) : held_(value) {}
    explicit Value(Span value) : held_(value) {}
    [[nodiscard]] static Value bytes(std::string value);
    [[nodiscard]] static Value type(Kind kind);
    /// An optional that holds `value`.
    [[nodiscard]] static Value some(Value value);
    /// An optional that holds nothing.
    [[nodiscard]] static Value none();

    [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(held_.index()); }
    [[nodiscard]] bool is(Kind kind) const noexcept { return this->kind() == kind; }

    // Each of these may only be called for its kind.
    [[nodiscard]] bool boolean() const { return std::get<bool>(held_); }
    [[nodiscard]] std::int64_t integer() const { return std::get<std::int64_t>(held_); }
    [[nodiscard]] std::uint64_t unsigned_integer() const { return std::get<std::uint64_t>(held_); }
    [[nodiscard]] double real() const { return std::get<double>(held_); }
    [[nodiscard]] const std::string& text() const { return *std::get<Text>(held_).text; }
    [[nodiscard]] const std::string& bytes() const { return *std::get<Bytes>(held_).bytes; }
    [[nodiscard]] const List& list() const { return *std::get<SharedList>(held_); }
    [[nodiscard]] const Map& map() const { return *std::get<SharedMap>(held_); }
    [[nodiscard]] Instant timestamp() const { return std::get<Instant>(held_); }
    [[nodiscard]] Span duration() const { return std::get<Span>(held_); }
    /// Returns the value of an optional, or nullptr if it holds nothing.
    [[nodiscard]] const Value* held() const { return std::get<Optional>(held_).value.get(); }
    [[nodiscard]] Kind type() const { return std::get<TypeName>(held_).kind; }

private:
    struct Text {
        std::shared_ptr<const std::string> text;
    };
    struct Bytes {
        std::shared_ptr<const std::string> bytes;
    };
    struct Optional {
        std::shared_ptr<const Value> value;
    };
    struct TypeName {
        Kind kind;
    };
    using SharedList = std::shared_ptr<const List>;
    using SharedMap = std::shared_ptr<const Map>;

    // In the order of Kind.
    std::variant<std::monostate,
                 bool,
                 std::int64_t,
                 std::uint64_t,
                 double,
                 Text,
                 Bytes,
                 SharedList,
                 SharedMap,
                 Instant,
                 Span,
                 Optional,
                 TypeName>
        held_;
};

/// Entries in the order in which they were given, found by key in logarithmic time. A key is a
/// boolean, an integer or a text; 1 and 1u are the same key.
class Map {
public:
    using Entry = std::pair<Value, Value>;

    Map() = default;
    /// Returns none if a key is there twice, and tells which one in `twice`.
    [[nodiscard]] static std::optional<Map> make(std::vector<Entry> entries,
                                                 Value* twice = nullptr);

    [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    /// Returns the value of a key, or nullptr. A real number finds the integer that is equal to it.
    [[nodiscard]] const Value* find(const Value& key) const;
    [[nodiscard]] const Value* find(std::string_view key) const;

private:
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> by_key_;  ///< Positions of entries_, in the order of keys.
};

/// True if values of this kind can be keys of a map.
[[nodiscard]] bool can_be_key(Kind kind) noexcept;

/// True if both are equal. Numbers are compared by their value, whatever their kinds. Values of
/// other different kinds are not equal.
[[nodiscard]] bool equal(const Value& a, const Value& b);

/// Returns the order of two values, or none if values of these kinds have no order.
[[nodiscard]] std::optional<std::partial_ordering> compare(const Value& a, const Value& b);

}  // namespace belay::expr
