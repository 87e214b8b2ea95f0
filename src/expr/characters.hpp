// Texts as sequences of characters (code points of Unicode).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::expr {

/// Appends a character in UTF-8. Returns false for surrogates and numbers beyond U+10FFFF.
[[nodiscard]] bool append_character(std::string& text, std::uint32_t number);

/// Returns the number of characters of valid UTF-8.
[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

/// Returns where the character with this index begins, in bytes; the size of the text for the index
/// behind the last one; none beyond that.
[[nodiscard]] std::optional<std::size_t> offset_of(std::string_view text,
                                                   std::size_t index) noexcept;

/// Returns each character as a text of its own.
[[nodiscard]] std::vector<std::string_view> characters_of(std::string_view text);

}  // namespace belay::expr
