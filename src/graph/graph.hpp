// A graph of steps, as pictures show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::graph {

/// The state of a node. `none`: the picture is that of a definition, not of a run.
enum class State : std::uint8_t {
    none,
    pending,
    queued,
    started,
    waiting,
    canceling,
    completed,
    failed,
    skipped,
    canceled,
};

/// Returns the word for people; empty for `none`.
[[nodiscard]] std::string_view to_string(State state) noexcept;
/// Returns the sign of a state. It takes one column of a terminal.
[[nodiscard]] std::string_view sign_of(State state) noexcept;

/// The progress of a map over items.
struct Items {
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;  ///< Counted among those that ended.
    std::uint64_t all = 0;
};

struct Node {
    std::string title;
    std::string kind{};  ///< In small letters under the title: "exec".
    State state = State::none;
    std::string note{};  ///< Shown when the pointer rests on the node, as the cause of a failure.
    std::optional<Items> items{};
};

/// `to` comes after `from`. A soft edge only orders the two.
struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    bool soft = false;

    friend bool operator==(const Edge&, const Edge&) = default;
};

/// Edges name nodes by position and make no cycle.
struct Graph {
    std::string title{};
    std::vector<Node> nodes{};
    std::vector<Edge> edges{};
};

/// Returns the nodes so that each comes after all it depends on. Otherwise they stay in their
/// order.
[[nodiscard]] std::vector<std::size_t> in_order(const Graph& graph);

/// Returns the edges, each once, without those that a longer path implies; by `from`, then `to`.
[[nodiscard]] std::vector<Edge> drawn_edges(const Graph& graph);

}  // namespace belay::graph
