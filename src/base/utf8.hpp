// Text from outside: what is valid, and how to show what may not be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::base {

/// The length of the UTF-8 sequence at the start of `text`, which is not empty, or 0 if there is no
/// valid one. Overlong forms, surrogates and values beyond U+10FFFF are not valid.
[[nodiscard]] std::size_t utf8_sequence(std::string_view text) noexcept;

/// Whether a valid UTF-8 sequence is a control character: C0, DEL or C1.
[[nodiscard]] bool is_control(std::string_view sequence) noexcept;

/// `text` on one line, for people: at most `max_bytes` of it, with control characters, backslashes
/// and what is not UTF-8 written as escapes. What was cut off shows as "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes);

/// `text` if it is at most `max_bytes`; else its beginning and a mark that says how long it was, at
/// most `max_bytes` together (but never less than the mark). Does not cut a character in two.
[[nodiscard]] std::string shortened(std::string text, std::size_t max_bytes);

}  // namespace belay::base
