// The codecs of payloads, by name.
#pragma once

#include <belay/payload.hpp>

#include <optional>
#include <string_view>

namespace belay::model {

/// Returns a name like "text" or "integer". Empty for a codec of users and for an unknown one.
[[nodiscard]] std::string_view codec_name(PayloadCodec codec) noexcept;
[[nodiscard]] std::optional<PayloadCodec> find_codec(std::string_view name) noexcept;

}  // namespace belay::model
