// A graph as an SVG picture.
#pragma once

#include "graph/graph.hpp"

#include <string>

namespace belay::graph {

/// Returns a whole SVG document. It needs no other file, follows a dark colour scheme, and says
/// each state by a colour, a sign and a word.
[[nodiscard]] std::string svg_of(const Graph& graph);

}  // namespace belay::graph
