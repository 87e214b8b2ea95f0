// The places of nodes and edges in a picture: ranks from top to bottom, with few crossings.
#pragma once

#include "graph/graph.hpp"

#include <cstddef>
#include <vector>

namespace belay::graph {

struct Point {
    double x = 0;
    double y = 0;
};

/// The sizes that a layout needs.
struct Sizes {
    std::vector<double> widths;  ///< By node.
    double height = 44;          ///< For each node.
    double gap = 24;             ///< Between two nodes of a rank.
    double rank_gap = 40;        ///< Between two ranks.
};

struct Layout {
    std::vector<Point> centres;  ///< By node.
    /// The points of each edge of `drawn_edges`, from the bottom of one node to the top of another.
    std::vector<std::vector<Point>> paths;
    double width = 0;
    double height = 0;
};

[[nodiscard]] Layout lay_out(const Graph& graph,
                             const std::vector<Edge>& edges,
                             const Sizes& sizes);

}  // namespace belay::graph
