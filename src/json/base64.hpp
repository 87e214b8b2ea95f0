// Bytes as text (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belay::json {

[[nodiscard]] std::string base64(std::string_view bytes);
/// None: it is not what `base64` writes.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace belay::json
