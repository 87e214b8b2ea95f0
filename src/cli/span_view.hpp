// Spans of time, drawn below one another on one scale.
#pragma once

#include "cli/terminal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace belay::cli {

struct Span {
    std::string name;
    Timestamp begin{};
    std::optional<Timestamp> end;  ///< None: it goes on.
    std::string state;
    Colour colour = Colour::none;
    std::string below{};  ///< Safe lines below it, each with a line feed.
};

/// Draws one line for each: name, bar, duration, state. The scale goes from `from` to `to`; bars
/// are cut off there. On a terminal, names and states are cut to fit its width.
[[nodiscard]] std::string render_spans(const Terminal& terminal,
                                       const std::vector<Span>& spans,
                                       Timestamp from,
                                       Timestamp to);

}  // namespace belay::cli
