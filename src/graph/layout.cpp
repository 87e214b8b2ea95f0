// Layers by the longest path, their order by the mean place of neighbours, and then places that
// pull connected nodes together. An edge over several ranks has a narrow box in each rank between.
#include "graph/layout.hpp"

#include <algorithm>
#include <utility>

namespace belay::graph {

namespace {

constexpr int kOrderRounds = 8;
constexpr int kPlaceRounds = 12;

/// A node, or the place where a long edge crosses a rank.
struct Box {
    std::size_t rank = 0;
    double width = 0;
    double x = 0;  ///< The centre.
    std::vector<std::size_t> above{};
    std::vector<std::size_t> below{};
};

double mean_place(const Box& box, const std::vector<Box>& boxes, bool downwards) {
    const std::vector<std::size_t>& neighbours = downwards ? box.above : box.below;
    if (neighbours.empty()) return box.x;
    double sum = 0;
    for (const std::size_t other : neighbours) sum += boxes[other].x;
    return sum / static_cast<double>(neighbours.size());
}

class Ranks {
public:
    Ranks(const Graph& graph, const std::vector<Edge>& edges, const Sizes& sizes)
        : sizes_(&sizes), boxes_(graph.nodes.size()), chains_(edges.size()) {
        rank(graph, edges);
        for (std::size_t i = 0; i < edges.size(); ++i) chains_[i] = chain(edges[i]);
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            if (boxes_[i].rank >= ranks_.size()) ranks_.resize(boxes_[i].rank + 1);
            ranks_[boxes_[i].rank].push_back(i);
        }
        for (auto& row : ranks_) spread(row);
    }

    void order() {
        for (int round = 0; round < kOrderRounds; ++round) {
            each_rank(round % 2 == 0, [this](std::vector<std::size_t>& row, bool downwards) {
                std::vector<std::pair<double, std::size_t>> wanted;
                wanted.reserve(row.size());
                for (const std::size_t box : row) {
                    wanted.emplace_back(mean_place(boxes_[box], boxes_, downwards), box);
                }
                std::sort(wanted.begin(), wanted.end());
                for (std::size_t i = 0; i < row.size(); ++i) row[i] = wanted[i].second;
                spread(row);
            });
        }
    }

    void place() {
        for (int round = 0; round < kPlaceRounds; ++round) {
            each_rank(round % 2 == 0, [this](std::vector<std::size_t>& row, bool downwards) {
                for (const std::size_t box : row) {
                    boxes_[box].x = mean_place(boxes_[box], boxes_, downwards);
                }
                separate(row);
            });
        }
    }

    [[nodiscard]] Layout result(std::size_t nodes) {
        Layout layout;
        double left = 0;
        for (const Box& box : boxes_) left = std::min(left, box.x - box.width / 2);
        for (Box& box : boxes_) {
            box.x -= left;
            layout.width = std::max(layout.width, box.x + box.width / 2);
        }
        layout.height = ranks_.empty() ? 0 : top_of(ranks_.size() - 1) + sizes_->height;
        for (std::size_t i = 0; i < nodes; ++i) {
            layout.centres.push_back({boxes_[i].x, top_of(boxes_[i].rank) + sizes_->height / 2});
        }
        for (const auto& chain : chains_) layout.paths.push_back(path_of(chain));
        return layout;
    }

private:
    void rank(const Graph& graph, const std::vector<Edge>& edges) {
        for (std::size_t i = 0; i < boxes_.size(); ++i) boxes_[i].width = sizes_->widths[i];
        std::vector<std::vector<std::size_t>> next(boxes_.size());
        for (const Edge& edge : edges) next[edge.from].push_back(edge.to);
        for (const std::size_t node : in_order(graph)) {
            for (const std::size_t to : next[node]) {
                boxes_[to].rank = std::max(boxes_[to].rank, boxes_[node].rank + 1);
            }
        }
    }

    /// Returns the boxes of an edge, and adds those between its nodes.
    std::vector<std::size_t> chain(const Edge& edge) {
        std::vector<std::size_t> chain{edge.from};
        for (std::size_t rank = boxes_[edge.from].rank + 1; rank < boxes_[edge.to].rank; ++rank) {
            boxes_.push_back(Box{.rank = rank, .width = sizes_->gap / 2});
            chain.push_back(boxes_.size() - 1);
        }
        chain.push_back(edge.to);
        for (std::size_t i = 1; i < chain.size(); ++i) {
            boxes_[chain[i - 1]].below.push_back(chain[i]);
            boxes_[chain[i]].above.push_back(chain[i - 1]);
        }
        return chain;
    }

    template <class Work>
    void each_rank(bool downwards, const Work& work) {
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            work(ranks_[downwards ? i : ranks_.size() - 1 - i], downwards);
        }
    }

    /// Puts the boxes of a rank side by side, with zero in the middle.
    void spread(const std::vector<std::size_t>& row) {
        double width = -sizes_->gap;
        for (const std::size_t box : row) width += boxes_[box].width + sizes_->gap;
        double x = -width / 2;
        for (const std::size_t box : row) {
            boxes_[box].x = x + boxes_[box].width / 2;
            x += boxes_[box].width + sizes_->gap;
        }
    }

    [[nodiscard]] double distance(std::size_t a, std::size_t b) const {
        return (boxes_[a].width + boxes_[b].width) / 2 + sizes_->gap;
    }

    /// Moves boxes of a rank apart that are too near, half to the right and half to the left.
    void separate(const std::vector<std::size_t>& row) {
        std::vector<double> rightwards;
        for (std::size_t i = 0; i < row.size(); ++i) {
            double x = boxes_[row[i]].x;
            if (i > 0) x = std::max(x, rightwards.back() + distance(row[i - 1], row[i]));
            rightwards.push_back(x);
        }
        double bound = 0;
        for (std::size_t i = row.size(); i-- > 0;) {
            double x = boxes_[row[i]].x;
            if (i + 1 < row.size()) x = std::min(x, bound - distance(row[i], row[i + 1]));
            bound = x;
            boxes_[row[i]].x = (x + rightwards[i]) / 2;
        }
    }

    [[nodiscard]] double top_of(std::size_t rank) const {
        return static_cast<double>(rank) * (sizes_->height + sizes_->rank_gap);
    }

    [[nodiscard]] std::vector<Point> path_of(const std::vector<std::size_t>& chain) const {
        std::vector<Point> path;
        for (std::size_t i = 0; i < chain.size(); ++i) {
            const Box& box = boxes_[chain[i]];
            const double top = top_of(box.rank);
            if (i > 0) path.push_back({box.x, top});
            if (i + 1 < chain.size()) path.push_back({box.x, top + sizes_->height});
        }
        return path;
    }

    const Sizes* sizes_;
    std::vector<Box> boxes_;                        ///< The nodes first.
    std::vector<std::vector<std::size_t>> chains_;  ///< By edge.
    std::vector<std::vector<std::size_t>> ranks_;   ///< Boxes from left to right.
};

}  // namespace

Layout lay_out(const Graph& graph, const std::vector<Edge>& edges, const Sizes& sizes) {
    Ranks ranks(graph, edges, sizes);
    ranks.order();
    ranks.place();
    return ranks.result(graph.nodes.size());
}

}  // namespace belay::graph
