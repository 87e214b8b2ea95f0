// Makes the view of a run from its picture.
#pragma once

#include "cli/flow/run_view.hpp"
#include "flow/definition/definition.hpp"
#include "flow/interpreter/picture.hpp"
#include <belay/finding.hpp>

#include <string>
#include <vector>

namespace belay::cli {

/// Items of a map that a child has run to its end.
struct ChunkCount {
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;
};

/// Returns the lists of a picture with their edges. `awaits` has the progress of what runs.
[[nodiscard]] std::vector<ListView> lists_of(const flow::Definition& definition,
                                             const flow::FlowPicture& picture,
                                             const std::vector<Awaited>& awaits);

/// Returns the graph of a definition, without states.
[[nodiscard]] std::vector<ListView> lists_of(const flow::Definition& definition);

/// Counts the items of a picture that a child has drawn.
[[nodiscard]] ChunkCount count_items(const flow::FlowPicture& child, const std::string& step);

/// Returns a list as a graph for pictures.
[[nodiscard]] graph::Graph graph_of(const ListView& list, const std::string& title);

}  // namespace belay::cli
