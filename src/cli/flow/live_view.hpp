// A run of a flow as lines of a terminal: the graph with its states, below each other.
#pragma once

#include "cli/flow/run_view.hpp"
#include "cli/terminal.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace belay::cli {

/// The room for a picture.
struct Room {
    std::size_t width = 80;
    std::size_t height = 24;
};

/// Returns at most `room.height` - 1 lines, none wider than `room.width` - 1. If the graph does not
/// fit, only the steps under way are shown, and the others are counted.
[[nodiscard]] std::vector<std::string> live_lines(const RunView& view,
                                                  const Terminal& terminal,
                                                  Room room,
                                                  Timestamp now);

/// Returns all lines of the graphs, without a bound of their number.
[[nodiscard]] std::vector<std::string> graph_lines(const RunView& view,
                                                   const Terminal& terminal,
                                                   std::size_t width,
                                                   Timestamp now);

}  // namespace belay::cli
