// Reads YAML 1.2, and JSON, which is a part of it.
#pragma once

#include "yaml/value.hpp"

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace belay::yaml {

/// The longest text, in bytes; also that of the texts that aliases stand for.
inline constexpr std::size_t kMostText = 4 * 1024 * 1024;
/// The deepest nesting of values.
inline constexpr int kDeepest = 64;
/// The largest number of values, those that aliases stand for included.
inline constexpr std::size_t kMostNodes = 200'000;

/// A mistake in a text.
struct Mistake {
    Place place;
    std::string message;
    std::string advice{};  ///< A sentence that tells what to write instead; empty: none.

    friend bool operator==(const Mistake&, const Mistake&) = default;
};

/// Reads one document, with the types of the core schema. Refuses keys that are there twice, keys
/// that are no text, unknown tags, several documents, and whatever is beyond the limits above.
[[nodiscard]] std::expected<Value, Mistake> read(std::string_view text);

/// Reads the same, but goes on after a key that is there twice. Keeps its first value, and adds a
/// mistake to `twice`.
[[nodiscard]] std::expected<Value, Mistake> read(std::string_view text,
                                                 std::vector<Mistake>& twice);

}  // namespace belay::yaml
