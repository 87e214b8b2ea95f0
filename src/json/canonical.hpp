// The canonical form of JSON (RFC 8785), by which two texts are compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belay::json {

/// Returns the canonical form of a JSON text: no spaces, names in the order of their UTF-16 code
/// units, strings with the fewest escapes, numbers as ECMAScript prints them. Returns none for a
/// text that `parse` refuses.
///
/// Two departures from RFC 8785, which reads every number as a double, so that numbers that differ
/// are never made equal. A whole number without a fraction or exponent that no double is printed
/// as, such as 9007199254740993, stays as it is written. So does a number beyond the range of a
/// double.
[[nodiscard]] std::optional<std::string> canonical(std::string_view json);

}  // namespace belay::json
