// One execution of a prepared statement.
#pragma once

#include "store/sqlite/failure.hpp"
#include "store/sqlite/sql.hpp"
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

/// Returns an unsigned number as SQLite keeps it: the signed number with the same bits.
[[nodiscard]] constexpr std::int64_t stored(std::uint64_t value) noexcept {
    return std::bit_cast<std::int64_t>(value);
}

/// The common part of queries. Binds, steps, and resets the statement when it goes out of scope.
/// Bound values must stay alive until then: nothing is copied. All parameters are bound each time,
/// so none is left over from the last use.
class AnyQuery {
public:
    AnyQuery(sqlite3_stmt* statement, const char* name) : statement_(statement), name_(name) {}
    ~AnyQuery() { sqlite3_reset(statement_); }
    AnyQuery(const AnyQuery&) = delete;
    AnyQuery& operator=(const AnyQuery&) = delete;

    /// Returns true if there is a row.
    bool step();
    /// Runs a statement without rows. Returns the number of changed rows.
    int run();

protected:
    /// False for temporaries that own the bound bytes.
    template <class Value>
    static constexpr bool kOutlivesTheCall =
        std::is_lvalue_reference_v<Value> ||
        !(std::is_same_v<std::remove_cv_t<Value>, std::string> ||
          std::is_same_v<std::remove_cv_t<Value>, std::optional<std::string>> ||
          std::is_same_v<std::remove_cv_t<Value>, Payload>);

    [[nodiscard]] sqlite3_stmt* statement() const noexcept { return statement_; }
    /// Returns the parameter after the last bound one.
    [[nodiscard]] int next() const noexcept { return bound_ + 1; }

    void put(int parameter, std::nullptr_t) {
        check(parameter, sqlite3_bind_null(statement_, parameter));
    }
    void put(int parameter, std::integral auto value) {
        check(parameter,
              sqlite3_bind_int64(statement_, parameter, static_cast<std::int64_t>(value)));
    }
    void put(int parameter, double value) {
        check(parameter, sqlite3_bind_double(statement_, parameter, value));
    }
    template <class Enum>
        requires std::is_enum_v<Enum>
    void put(int parameter, Enum value) {
        put(parameter, static_cast<std::underlying_type_t<Enum>>(value));
    }
    void put(int parameter, Timestamp at) { put(parameter, to_unix_ms(at)); }
    void put(int parameter, Millis duration) { put(parameter, duration.count()); }
    void put(int parameter, RunKey key) { put(parameter, key.value); }
    void put(int parameter, Shard shard) { put(parameter, shard.value); }
    void put(int parameter, std::string_view text);
    void put(int parameter, Blob blob);
    template <class T>
    void put(int parameter, const std::optional<T>& value) {
        if (value) {
            put(parameter, *value);
        } else {
            put(parameter, nullptr);
        }
    }

private:
    void check(int parameter, int code) {
        if (code != SQLITE_OK) [[unlikely]]
            throw_failure(code);
        ++bound_;
        sum_ += parameter;
    }
    [[noreturn]] void throw_failure(int code) const;

    sqlite3_stmt* statement_;
    const char* name_;
    // The number of bound parameters and the sum of their numbers. Together they show a parameter
    // that was bound twice in place of another.
    int bound_ = 0;
    int sum_ = 0;
};

/// One execution of a statement whose rows have the columns of `Row` and whose parameters are
/// `Parameters`: see cmake/BelayEmbedSql.cmake. Columns are read by their names alone. Columns of
/// another statement do not compile.
template <class Row = NoColumns, class Parameters = Numbered>
class Query : public AnyQuery {
public:
    using AnyQuery::AnyQuery;

    /// Binds the next parameters in order.
    template <class... Values>
        requires std::same_as<Parameters, Numbered>
    Query& bind(Values&&... values) {
        static_assert((kOutlivesTheCall<Values> && ...),
                      "what is bound is read when the statement runs: give it a name");
        (bind_next(values), ...);
        return *this;
    }

    /// Binds the parameter of that name, in any order.
    template <class Value>
        requires(!std::same_as<Parameters, Numbered>)
    Query& set(Parameters parameter, Value&& value) {
        static_assert(kOutlivesTheCall<Value>,
                      "what is bound is read when the statement runs: give it a name");
        put(static_cast<int>(parameter), value);
        return *this;
    }
    Query& set_null(std::same_as<Parameters> auto... parameters)
        requires(!std::same_as<Parameters, Numbered>)
    {
        (put(static_cast<int>(parameters), nullptr), ...);
        return *this;
    }

    // ---- Columns of the current row ----

    [[nodiscard]] bool null(Row column) const {
        return sqlite3_column_type(statement(), static_cast<int>(column)) == SQLITE_NULL;
    }
    [[nodiscard]] std::int64_t integer(Row column) const {
        return sqlite3_column_int64(statement(), static_cast<int>(column));
    }
    [[nodiscard]] std::uint64_t number(Row column) const {
        return std::bit_cast<std::uint64_t>(integer(column));
    }
    [[nodiscard]] std::uint32_t small(Row column) const {
        return static_cast<std::uint32_t>(integer(column));
    }
    [[nodiscard]] bool flag(Row column) const { return integer(column) != 0; }
    [[nodiscard]] double real(Row column) const {
        return sqlite3_column_double(statement(), static_cast<int>(column));
    }
    [[nodiscard]] Timestamp time(Row column) const { return from_unix_ms(integer(column)); }
    [[nodiscard]] Millis duration(Row column) const { return Millis(integer(column)); }
    [[nodiscard]] Shard shard(Row column) const {
        return Shard{static_cast<std::uint16_t>(integer(column))};
    }
    [[nodiscard]] RunKey run_key(Row column) const { return RunKey{number(column)}; }
    [[nodiscard]] RunRef run_ref(Row key, Row shard_of_it) const {
        return RunRef{shard(shard_of_it), run_key(key)};
    }
    template <class Enum>
    [[nodiscard]] Enum as(Row column) const {
        return static_cast<Enum>(integer(column));
    }
    /// Valid until the next step.
    [[nodiscard]] std::string_view view(Row column) const {
        const void* data = sqlite3_column_blob(statement(), static_cast<int>(column));
        const int size = sqlite3_column_bytes(statement(), static_cast<int>(column));
        return {static_cast<const char*>(data),
                static_cast<std::size_t>(data == nullptr ? 0 : size)};
    }
    [[nodiscard]] std::string text(Row column) const { return std::string(view(column)); }
    [[nodiscard]] Payload payload(Row codec, Row flags, Row bytes) const {
        Payload value(as<PayloadCodec>(codec), text(bytes));
        value.flags = static_cast<std::uint16_t>(integer(flags));
        return value;
    }

    [[nodiscard]] std::optional<std::uint32_t> maybe_small(Row column) const {
        return null(column) ? std::nullopt : std::optional(small(column));
    }
    [[nodiscard]] std::optional<Timestamp> maybe_time(Row column) const {
        return null(column) ? std::nullopt : std::optional(time(column));
    }
    [[nodiscard]] std::optional<Millis> maybe_duration(Row column) const {
        return null(column) ? std::nullopt : std::optional(duration(column));
    }
    [[nodiscard]] std::optional<std::string> maybe_text(Row column) const {
        return null(column) ? std::nullopt : std::optional(text(column));
    }

private:
    template <class Value>
    void bind_next(const Value& value) {
        put(next(), value);
    }
    /// Binds three parameters.
    void bind_next(const Payload& payload) {
        put(next(), payload.codec);
        put(next(), payload.flags);
        put(next(), Blob{payload.bytes});
    }
};

}  // namespace belay::sqlite
