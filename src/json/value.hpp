// Reading JSON.
#pragma once

#include <belay/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay::json {

/// True if `text` is one JSON value (RFC 8259), nested no deeper than a reader can bear.
[[nodiscard]] bool is_json(std::string_view text);

/// True if `text` is a number as JSON writes it.
[[nodiscard]] bool is_json_number(std::string_view text);

/// Returns JSON without line breaks and control characters. `json` must be JSON. Line breaks
/// between two values become spaces, control characters in a string become escapes.
[[nodiscard]] std::string one_line(std::string_view json);

enum class Kind : std::uint8_t { null = 1, boolean, number, text, array, object };

/// Returns "a number" or "an object", for errors.
[[nodiscard]] std::string_view to_string(Kind kind) noexcept;

/// A value with all values in it. Numbers are kept as they are written: the reader decides how
/// large they may be.
struct Value {
    Kind kind = Kind::null;
    bool truth = false;                ///< boolean
    std::string text{};                ///< text, without escapes; number, as it is written
    std::vector<Value> items{};        ///< array, object
    std::vector<std::string> names{};  ///< object: of the items
};

/// Returns `invalid_argument`, with the line and the column, if the text is not JSON, if an object
/// has a name twice, or for half of a surrogate pair.
[[nodiscard]] Result<Value> parse(std::string_view text);

}  // namespace belay::json
