#include "graph/graph.hpp"

#include <belay/detail/assert.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <tuple>

namespace belay::graph {

namespace {

struct Words {
    std::string_view word;
    std::string_view sign;
};

constexpr std::array<Words, 10> kWords{{{"", "●"},
                                        {"pending", "○"},
                                        {"queued", "◌"},
                                        {"started", "▶"},
                                        {"waiting", "◔"},
                                        {"canceling", "◪"},
                                        {"completed", "✓"},
                                        {"failed", "✗"},
                                        {"skipped", "–"},
                                        {"canceled", "■"}}};

const Words& words_of(State state) noexcept { return kWords.at(static_cast<std::size_t>(state)); }

using Rows = std::vector<std::vector<bool>>;

/// Returns, for each node, all nodes that can be reached from it.
Rows reachable(const Graph& graph, const std::vector<std::vector<std::size_t>>& next) {
    Rows reached(graph.nodes.size(), std::vector<bool>(graph.nodes.size(), false));
    const std::vector<std::size_t> order = in_order(graph);
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        for (const std::size_t to : next[*node]) {
            reached[*node][to] = true;
            for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
                if (reached[to][i]) reached[*node][i] = true;
            }
        }
    }
    return reached;
}

bool is_implied(const Edge& edge,
                const Rows& reached,
                const std::vector<std::vector<std::size_t>>& next) {
    return std::any_of(next[edge.from].begin(), next[edge.from].end(), [&](std::size_t between) {
        return between != edge.to && reached[between][edge.to];
    });
}

}  // namespace

std::string_view to_string(State state) noexcept { return words_of(state).word; }

std::string_view sign_of(State state) noexcept { return words_of(state).sign; }

std::vector<std::size_t> in_order(const Graph& graph) {
    std::vector<std::size_t> missing(graph.nodes.size(), 0);
    std::vector<std::vector<std::size_t>> next(graph.nodes.size());
    for (const Edge& edge : graph.edges) {
        ++missing[edge.to];
        next[edge.from].push_back(edge.to);
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (missing[i] == 0) ready.push(i);
    }
    std::vector<std::size_t> order;
    order.reserve(graph.nodes.size());
    while (!ready.empty()) {
        const std::size_t node = ready.top();
        ready.pop();
        order.push_back(node);
        for (const std::size_t to : next[node]) {
            if (--missing[to] == 0) ready.push(to);
        }
    }
    BELAY_ASSERT(order.size() == graph.nodes.size());
    return order;
}

std::vector<Edge> drawn_edges(const Graph& graph) {
    std::vector<Edge> edges = graph.edges;
    // The hard one of two edges between the same nodes stays.
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        return std::tuple(a.from, a.to, a.soft) < std::tuple(b.from, b.to, b.soft);
    });
    const auto same = [](const Edge& a, const Edge& b) { return a.from == b.from && a.to == b.to; };
    edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());

    std::vector<std::vector<std::size_t>> next(graph.nodes.size());
    for (const Edge& edge : edges) next[edge.from].push_back(edge.to);
    const Rows reached = reachable(graph, next);
    std::erase_if(edges, [&](const Edge& edge) { return is_implied(edge, reached, next); });
    return edges;
}

}  // namespace belay::graph
