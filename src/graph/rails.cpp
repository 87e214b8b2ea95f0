// Each lane is a column that leads to one node further down. A node takes the leftmost of the lanes
// that lead to it; the others bend into it. Below it, lanes to the nodes that depend on it begin.
#include "graph/rails.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace belay::graph {

namespace {

// The directions in which a cell is connected.
constexpr unsigned kUp = 1;
constexpr unsigned kDown = 2;
constexpr unsigned kLeft = 4;
constexpr unsigned kRight = 8;

std::string_view line_of(unsigned cell) {
    static constexpr std::array<std::string_view, 16> kLines{
        " ", "╵", "╷", "│", "╴", "╯", "╮", "┤", "╶", "╰", "╭", "├", "─", "┴", "┬", "┼"};
    return kLines.at(cell);
}

using Cells = std::vector<unsigned>;

/// Connects two cells of a line with each other.
void connect(Cells& cells, std::size_t a, std::size_t b) {
    const auto [left, right] = std::minmax(a, b);
    cells[left] |= kRight;
    for (std::size_t i = left + 1; i < right; ++i) cells[i] |= kLeft | kRight;
    cells[right] |= kLeft;
}

std::string text_of(const Cells& cells, std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t i = from; i < to; ++i) {
        text += line_of(cells[i]);
        text += (cells[i] & kRight) != 0 ? "─" : " ";
    }
    return text;
}

class Lanes {
public:
    explicit Lanes(const Graph& graph) : next_(graph.nodes.size()) {
        for (const Edge& edge : drawn_edges(graph)) next_[edge.from].push_back(edge.to);
    }

    void add(std::size_t node, std::vector<Rail>& rails) {
        const std::size_t lane = place(node, rails);
        fork(node, lane, rails);
        while (!targets_.empty() && !targets_.back()) targets_.pop_back();
    }

private:
    [[nodiscard]] Cells passing() const {
        Cells cells(targets_.size(), 0);
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            if (targets_[i]) cells[i] = kUp | kDown;
        }
        return cells;
    }

    [[nodiscard]] std::size_t free_lane(std::size_t from) {
        for (std::size_t i = from; i < targets_.size(); ++i) {
            if (!targets_[i]) return i;
        }
        targets_.emplace_back();
        return targets_.size() - 1;
    }

    /// Writes the line of the node, and ends all lanes that lead to it. Returns its own lane.
    std::size_t place(std::size_t node, std::vector<Rail>& rails) {
        const auto first = std::find(targets_.begin(), targets_.end(), node);
        const std::size_t lane = first == targets_.end()
                                     ? free_lane(0)
                                     : static_cast<std::size_t>(first - targets_.begin());
        Cells cells = passing();
        for (std::size_t i = lane + 1; i < targets_.size(); ++i) {
            if (targets_[i] != node) continue;
            cells[i] = kUp;
            connect(cells, lane, i);
            targets_[i].reset();
        }
        targets_[lane].reset();
        const bool joined = (cells[lane] & kRight) != 0;
        rails.push_back(Rail{text_of(cells, 0, lane),
                             node,
                             (joined ? "─" : " ") + text_of(cells, lane + 1, cells.size()),
                             2 * cells.size()});
        return lane;
    }

    /// Leads lanes from the node to all that depend on it, with a line if they spread.
    void fork(std::size_t node, std::size_t lane, std::vector<Rail>& rails) {
        // Nodes with the lanes that lead there already.
        std::vector<std::pair<std::size_t, std::size_t>> joined;
        std::vector<std::size_t> fresh;
        for (const std::size_t target : next_[node]) {
            const auto there = std::find(targets_.begin(), targets_.end(), target);
            if (there != targets_.end()) {
                joined.emplace_back(target, static_cast<std::size_t>(there - targets_.begin()));
                continue;
            }
            const std::size_t taken = targets_[lane] ? free_lane(lane + 1) : lane;
            targets_[taken] = target;
            if (taken != lane) fresh.push_back(taken);
        }
        if (!targets_[lane] && !joined.empty()) {
            targets_[lane] = joined.front().first;  // The two lanes meet at the node.
            joined.erase(joined.begin());
        }
        if (joined.empty() && fresh.empty()) return;

        Cells cells = passing();
        cells[lane] = targets_[lane] ? kUp | kDown : kUp;
        for (const std::size_t other : fresh) cells[other] = kDown;
        for (const std::size_t other : fresh) connect(cells, lane, other);
        for (const auto& [target, other] : joined) connect(cells, lane, other);
        rails.push_back(Rail{text_of(cells, 0, cells.size()), {}, {}, 2 * cells.size()});
    }

    std::vector<std::vector<std::size_t>> next_;       ///< By node: those that depend on it.
    std::vector<std::optional<std::size_t>> targets_;  ///< By lane; none: the lane is free.
};

}  // namespace

std::vector<Rail> rails_of(const Graph& graph) {
    std::vector<Rail> rails;
    Lanes lanes(graph);
    for (const std::size_t node : in_order(graph)) lanes.add(node, rails);
    return rails;
}

}  // namespace belay::graph
