// Text from outside: the check for UTF-8, and a form that is safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::base {

/// Returns the length of the UTF-8 sequence at the start of `text`, which is not empty. Returns 0
/// if there is no valid one. Overlong forms, surrogates and values beyond U+10FFFF are not valid.
[[nodiscard]] std::size_t utf8_sequence(std::string_view text) noexcept;

/// True if a valid UTF-8 sequence is a control character: C0, DEL or C1.
[[nodiscard]] bool is_control(std::string_view sequence) noexcept;

/// Returns `text` on one line, for people: at most `max_bytes` of it. Control characters,
/// backslashes and bytes that are not UTF-8 are written as escapes. "..." marks text that was cut
/// off.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes);

/// Returns `text` if it is at most `max_bytes` long. Otherwise returns its beginning and a mark
/// with its length, at most `max_bytes` together (but never less than the mark). Does not cut a
/// character in two.
[[nodiscard]] std::string shortened(std::string text, std::size_t max_bytes);

}  // namespace belay::base
