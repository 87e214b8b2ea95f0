// Bytes as text (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belay::json {

[[nodiscard]] std::string base64(std::string_view bytes);
/// Returns none for text that `base64` does not write.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace belay::json
