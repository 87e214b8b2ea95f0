// Regular expressions, in the syntax of RE2: their time grows with the text, never faster.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace belay::expr {

/// True if the pattern matches a part of `text`. Returns the reason why the pattern is not one.
[[nodiscard]] std::expected<bool, std::string> matches_pattern(std::string_view text,
                                                               std::string_view pattern);

}  // namespace belay::expr
