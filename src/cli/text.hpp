// Text for terminals: made safe, measured, and made to fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::cli {

/// Returns `text` on one line. Control characters, bytes that are not UTF-8, and the marks that
/// turn the direction of writing are shown as escapes and never reach a terminal. Everything else
/// is as it was.
[[nodiscard]] std::string safe(std::string_view text);
/// The same, but line feeds and tabs stay.
[[nodiscard]] std::string safe_lines(std::string_view text);

/// True if it is UTF-8 throughout.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The number of columns of a terminal that safe text takes.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

/// Returns safe text in at most `columns`. A cut is shown as "…". Cuts no character in two.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t columns);
/// The same, with the cut in the middle. For ids, whose ends tell them apart.
[[nodiscard]] std::string fitted_in_middle(std::string_view text, std::size_t columns);

/// Returns the words of `text` on lines of at most `width` columns, each begun by `indent` spaces
/// but the first. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);
/// Returns `text` with `indent` spaces after each line feed. Line feeds at its end are removed.
[[nodiscard]] std::string indented(std::string_view text, std::size_t indent);
/// Returns the last `most` lines of `text`, below a line with the number of those before them.
[[nodiscard]] std::string last_lines(std::string_view text, std::size_t most);

}  // namespace belay::cli
