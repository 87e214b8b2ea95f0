// The codecs of payloads, by name.
#pragma once

#include <belay/payload.hpp>

#include <optional>
#include <string_view>

namespace belay::model {

/// "text", "integer"; empty for a codec of users and for one that is not known here.
[[nodiscard]] std::string_view codec_name(PayloadCodec codec) noexcept;
[[nodiscard]] std::optional<PayloadCodec> find_codec(std::string_view name) noexcept;

}  // namespace belay::model
