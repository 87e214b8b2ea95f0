// A graph for a terminal: one line for each node, with the edges as lines beside it.
#pragma once

#include "graph/graph.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace belay::graph {

/// One line. If it has a node, the node's sign stands between `before` and `after`; otherwise the
/// line only has edges, all in `before`.
struct Rail {
    std::string before;
    std::optional<std::size_t> node{};
    std::string after{};
    std::size_t columns = 0;  ///< The width of the terminal, the sign included.
};

/// Returns the lines from top to bottom: each node stands below all it depends on.
[[nodiscard]] std::vector<Rail> rails_of(const Graph& graph);

}  // namespace belay::graph
