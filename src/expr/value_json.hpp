// Values and JSON.
#pragma once

#include "expr/value.hpp"
#include "json/value.hpp"
#include <belay/error.hpp>

#include <string>
#include <string_view>

namespace belay::expr {

/// Returns the value of a JSON value. A number without fraction and exponent is an int; a uint if
/// it is too large for one; else a double.
[[nodiscard]] Value from_json(const json::Value& json);
/// Returns `invalid_argument`, with the line and the column, if the text is not JSON.
[[nodiscard]] Result<Value> parse_json(std::string_view text);

/// Writes a value as JSON on one line. Bytes are written as base64, times and durations as text, an
/// optional as its value or null. Returns `invalid_argument` for a number that JSON cannot hold.
[[nodiscard]] Result<std::string> to_json(const Value& value);

}  // namespace belay::expr
