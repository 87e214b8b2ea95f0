// One execution of a prepared statement.
#pragma once

#include "store/sqlite/failure.hpp"
#include <belay/ids.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <sqlite3.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace belay::sqlite {

/// Bytes that are stored as a blob; a string is stored as text.
struct Blob {
    std::string_view bytes;
};

/// A number without a sign as SQLite keeps it: the signed one of the same bits.
[[nodiscard]] constexpr std::int64_t stored(std::uint64_t value) noexcept {
    return std::bit_cast<std::int64_t>(value);
}

/// Binds, steps, reads, and resets the statement when it goes out of scope. What is bound must
/// stay alive until then: nothing is copied. All parameters are bound each time, so that none is
/// left over from the last.
class Query {
public:
    explicit Query(sqlite3_stmt* statement, const char* name)
        : statement_(statement), name_(name) {}
    ~Query() { sqlite3_reset(statement_); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    /// Binds the next parameters in order.
    template <class... Values>
    Query& bind(Values&&... values) {
        static_assert((kOutlivesTheCall<Values> && ...),
                      "what is bound is read when the statement runs: give it a name");
        (bind_one(values), ...);
        return *this;
    }

    /// True when there is a row.
    bool step();
    /// For statements without rows. Returns how many rows were changed.
    int run();

    // Columns of the current row, from 0.
    [[nodiscard]] bool null(int column) const {
        return sqlite3_column_type(statement_, column) == SQLITE_NULL;
    }
    [[nodiscard]] std::int64_t integer(int column) const {
        return sqlite3_column_int64(statement_, column);
    }
    [[nodiscard]] std::uint64_t number(int column) const {
        return std::bit_cast<std::uint64_t>(integer(column));
    }
    [[nodiscard]] std::uint32_t small(int column) const {
        return static_cast<std::uint32_t>(integer(column));
    }
    [[nodiscard]] bool flag(int column) const { return integer(column) != 0; }
    [[nodiscard]] double real(int column) const {
        return sqlite3_column_double(statement_, column);
    }
    [[nodiscard]] Timestamp time(int column) const { return from_unix_ms(integer(column)); }
    [[nodiscard]] std::optional<Timestamp> maybe_time(int column) const {
        if (null(column)) return std::nullopt;
        return time(column);
    }
    [[nodiscard]] Shard shard(int column) const {
        return Shard{static_cast<std::uint16_t>(integer(column))};
    }
    template <class Enum>
    [[nodiscard]] Enum as(int column) const {
        return static_cast<Enum>(integer(column));
    }
    /// Valid until the next step.
    [[nodiscard]] std::string_view view(int column) const {
        const void* data = sqlite3_column_blob(statement_, column);
        const int size = sqlite3_column_bytes(statement_, column);
        return {static_cast<const char*>(data),
                static_cast<std::size_t>(data == nullptr ? 0 : size)};
    }
    [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
    /// Codec, flags and bytes, in three columns.
    [[nodiscard]] Payload payload(int column) const {
        Payload value(as<PayloadCodec>(column), text(column + 2));
        value.flags = static_cast<std::uint16_t>(integer(column + 1));
        return value;
    }

private:
    /// False for temporaries that own the bytes that are bound.
    template <class Value>
    static constexpr bool kOutlivesTheCall =
        std::is_lvalue_reference_v<Value> ||
        !(std::is_same_v<std::remove_cv_t<Value>, std::string> ||
          std::is_same_v<std::remove_cv_t<Value>, std::optional<std::string>> ||
          std::is_same_v<std::remove_cv_t<Value>, Payload>);

    void bind_one(std::nullptr_t) { check(sqlite3_bind_null(statement_, ++bound_)); }
    void bind_one(std::integral auto value) {
        check(sqlite3_bind_int64(statement_, ++bound_, static_cast<std::int64_t>(value)));
    }
    void bind_one(double value) { check(sqlite3_bind_double(statement_, ++bound_, value)); }
    template <class Enum>
        requires std::is_enum_v<Enum>
    void bind_one(Enum value) {
        bind_one(static_cast<std::underlying_type_t<Enum>>(value));
    }
    void bind_one(Timestamp at) { bind_one(to_unix_ms(at)); }
    void bind_one(RunKey key) { bind_one(key.value); }
    void bind_one(Shard shard) { bind_one(shard.value); }
    void bind_one(std::string_view text);
    void bind_one(Blob blob);
    /// Three parameters.
    void bind_one(const Payload& payload) {
        bind(payload.codec, payload.flags, Blob{payload.bytes});
    }
    template <class T>
    void bind_one(const std::optional<T>& value) {
        if (value) {
            bind_one(*value);
        } else {
            bind_one(nullptr);
        }
    }

    void check(int code) const {
        if (code != SQLITE_OK) [[unlikely]]
            throw_failure(code);
    }
    [[noreturn]] void throw_failure(int code) const;

    sqlite3_stmt* statement_;
    const char* name_;
    int bound_ = 0;
};

}  // namespace belay::sqlite
