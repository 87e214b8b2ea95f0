// Places in the text that the library reads.
#pragma once

#include "base/place.hpp"

#include <yaml-cpp/mark.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::yaml {

using base::Place;

/// A position behind an escape that was made two bytes shorter.
struct Shift {
    std::size_t line = 0;
    std::size_t column = 0;  ///< In bytes of the new text.
};

/// Writes each surrogate pair of a JSON text as one escape, because YAML knows no pairs: `\ud83d`
/// and `\ude00` become `\U0001F600`. Returns other texts as they are.
[[nodiscard]] std::string join_surrogates(std::string_view text, std::vector<Shift>& shifts);

/// Returns the innermost bracket or quote that is open at the end of a JSON text. Knows the quotes
/// and brackets alone, so it only explains an error.
[[nodiscard]] std::optional<char> open_at_end(std::string_view text);

/// Turns positions in bytes into places.
class Places {
public:
    /// `shifts`: how this text differs from that of the user.
    Places(std::string_view text, std::vector<Shift> shifts);

    /// Returns the place in the text of the user. `column` counts bytes.
    [[nodiscard]] Place at(std::size_t line, std::size_t column) const;
    [[nodiscard]] Place of(const YAML::Mark& mark) const;
    [[nodiscard]] Place of_byte(std::size_t byte) const;
    /// True if the scalar stands at this place as it is.
    [[nodiscard]] bool stands_at(const YAML::Mark& mark, std::string_view scalar) const;
    /// False if a scalar in quotes begins at this place, and its closing quote is missing.
    [[nodiscard]] bool is_closed(const YAML::Mark& mark) const;

private:
    /// Returns the text from a mark on.
    [[nodiscard]] std::string_view rest(const YAML::Mark& mark) const;

    std::string_view text_;
    std::vector<Shift> shifts_;
    std::vector<std::size_t> lines_;
};

}  // namespace belay::yaml
