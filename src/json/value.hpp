// JSON, read.
#pragma once

#include <belay/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay::json {

/// Whether `text` is one JSON value (RFC 8259), nested at most so deep that a reader can bear it.
[[nodiscard]] bool is_json(std::string_view text);

/// Whether `text` is a number as JSON writes it.
[[nodiscard]] bool is_json_number(std::string_view text);

enum class Kind : std::uint8_t { null = 1, boolean, number, text, array, object };

/// "a number", "an object": for errors.
[[nodiscard]] std::string_view to_string(Kind kind) noexcept;

/// A value with all that is in it. Numbers are kept as they are written: how large they may be is
/// for the reader to say.
struct Value {
    Kind kind = Kind::null;
    bool truth = false;                ///< boolean
    std::string text{};                ///< text, without escapes; number, as it is written
    std::vector<Value> items{};        ///< array, object
    std::vector<std::string> names{};  ///< object: of the items
};

/// `invalid_argument` with the line and the column for what is not JSON, for a name that an object
/// has twice, and for half of a surrogate pair.
[[nodiscard]] Result<Value> parse(std::string_view text);

}  // namespace belay::json
