// Values of which some are large: too long for a store to keep them with their rows.
#pragma once

#include <belay/codec.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace belay::sim {

/// So long are those that are large.
inline constexpr std::size_t kLargeBytes = 5'000;

/// With blanks behind it, which no reader of the text minds.
[[nodiscard]] inline std::string padded_if(bool large, std::string text) {
    if (large) text.resize(std::max(text.size(), kLargeBytes), ' ');
    return text;
}

/// The same if `number` decides so. One number of many does, rare enough not to cost time.
[[nodiscard]] inline std::string padded_by(std::int64_t number, std::string text) {
    return padded_if(number % 16 == 5, std::move(text));
}

/// Programs count key-values up: as numbers, but under this key as texts.
inline constexpr const char* kTextKey = "v2";

/// The text for `count`, under that key. Large values and others follow each other.
[[nodiscard]] inline std::string counting_text(std::int64_t count) {
    return padded_if(count % 2 == 1, std::to_string(count));
}
/// The value of a key for `count`, and the count of a value.
[[nodiscard]] inline Payload counting_value(const std::string& key, std::int64_t count) {
    if (key == kTextKey) return Codec<std::string>::encode(counting_text(count));
    return Codec<std::int64_t>::encode(count);
}
[[nodiscard]] inline std::int64_t counted(const std::string& key, const Payload& value) {
    if (key == kTextKey) return std::stoll(Codec<std::string>::decode(value));
    return Codec<std::int64_t>::decode(value);
}

}  // namespace belay::sim
