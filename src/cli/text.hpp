// Text for terminals: what is shown, how wide it is, and how it is made to fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::cli {

/// `text` on one line: control characters, what is not UTF-8, and the marks that turn the direction
/// of writing are shown as escapes and never reach a terminal. Everything else is as it was.
[[nodiscard]] std::string safe(std::string_view text);
/// The same, but line feeds and tabs stay.
[[nodiscard]] std::string safe_lines(std::string_view text);

/// Whether it is UTF-8 throughout.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// How many columns of a terminal safe text takes.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

/// Safe text in at most `columns`; what was cut off shows as "…". Cuts no character in two.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t columns);

}  // namespace belay::cli
