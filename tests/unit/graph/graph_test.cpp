#include "graph/graph.hpp"

#include "graph/layout.hpp"
#include "graph/rails.hpp"
#include "graph/svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::graph {
namespace {

using Pairs = std::initializer_list<std::pair<std::size_t, std::size_t>>;

Graph graph_of(std::string_view names, Pairs edges) {
    Graph graph;
    for (const char name : names) graph.nodes.push_back(Node{.title = std::string(1, name)});
    for (const auto& [from, to] : edges) graph.edges.push_back({from, to});
    return graph;
}

/// The lines of a graph, with titles as signs and without spaces at the ends.
std::string drawn(const Graph& graph) {
    std::string text;
    for (const Rail& rail : rails_of(graph)) {
        std::string line = rail.before;
        if (rail.node) line += graph.nodes[*rail.node].title;
        line += rail.after;
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Order, KeepsTheOrderOfTheDefinitionWhereItCan) {
    EXPECT_EQ(in_order(graph_of("abc", {})), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(in_order(graph_of("abc", {{2, 0}})), (std::vector<std::size_t>{1, 2, 0}));
}

TEST(Edges, ThatALongerPathImpliesAreLeftOut) {
    const Graph graph = graph_of("abc", {{0, 1}, {1, 2}, {0, 2}});
    EXPECT_EQ(drawn_edges(graph), (std::vector<Edge>{{0, 1}, {1, 2}}));
}

TEST(Edges, AHardOneStaysOfTwoBetweenTheSameNodes) {
    Graph graph = graph_of("ab", {{0, 1}});
    graph.edges.insert(graph.edges.begin(), Edge{0, 1, true});
    EXPECT_EQ(drawn_edges(graph), (std::vector<Edge>{{0, 1, false}}));
}

TEST(Rails, ASequenceIsOneColumn) {
    EXPECT_EQ(drawn(graph_of("abc", {{0, 1}, {1, 2}})), "a\nb\nc\n");
}

TEST(Rails, ADiamondSpreadsAndJoins) {
    EXPECT_EQ(drawn(graph_of("abcd", {{0, 1}, {0, 2}, {1, 3}, {2, 3}})),
              "a\n"
              "├─╮\n"
              "b │\n"
              "│ c\n"
              "d─╯\n");
}

TEST(Rails, ALaneIsLeftOnceItsNodeIsDrawn) {
    EXPECT_EQ(drawn(graph_of("abcd", {{0, 1}, {0, 2}})),
              "a\n"
              "├─╮\n"
              "b │\n"
              "  c\n"
              "d\n");
}

TEST(Rails, NodesWithoutEdgesStandBelowOneAnother) {
    EXPECT_EQ(drawn(graph_of("ab", {})), "a\nb\n");
}

TEST(Rails, AnEdgeCrossesALaneThatGoesOn) {
    // `a` and `c` lead to `e`, `b` and `d` to `f`.
    EXPECT_EQ(drawn(graph_of("abcdef", {{0, 4}, {1, 5}, {2, 4}, {3, 5}})),
              "a\n"
              "│ b\n"
              "│ │ c\n"
              "│ │ │ d\n"
              "e─┼─╯ │\n"
              "  f───╯\n");
}

TEST(Layout, EachNodeStandsBelowAllItDependsOn) {
    const Graph graph = graph_of("abcde", {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 4}, {3, 4}});
    const Layout layout = lay_out(graph, drawn_edges(graph), {{100, 100, 100, 100, 100}});
    for (const Edge& edge : graph.edges) {
        EXPECT_LT(layout.centres[edge.from].y, layout.centres[edge.to].y);
    }
}

TEST(Layout, NodesOfARankDoNotOverlap) {
    Graph graph = graph_of("abcdefgh", {{0, 2}, {1, 3}, {0, 4}, {1, 5}, {0, 6}, {1, 7}, {0, 7}});
    const Layout layout = lay_out(graph, drawn_edges(graph), {std::vector<double>(8, 100)});
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (layout.centres[i].y != layout.centres[j].y) continue;
            EXPECT_GE(std::abs(layout.centres[i].x - layout.centres[j].x), 110) << i << ' ' << j;
        }
        EXPECT_GE(layout.centres[i].x, 50);
        EXPECT_LE(layout.centres[i].x, layout.width - 50);
    }
}

TEST(Svg, SaysEachStateByAWordAndASign) {
    Graph graph = graph_of("ab", {{0, 1}});
    graph.nodes[0].state = State::completed;
    graph.nodes[1].state = State::failed;
    graph.nodes[1].note = "exit status 3";
    const std::string picture = svg_of(graph);
    EXPECT_NE(picture.find("✓ a"), picture.npos);
    EXPECT_NE(picture.find("failed"), picture.npos);
    EXPECT_NE(picture.find("exit status 3"), picture.npos);
    EXPECT_EQ(count(picture, "class=\"edge\""), 1u);
}

TEST(Svg, EscapesTextOfUsers) {
    Graph graph = graph_of("a", {});
    graph.title = "<script>&\"\x01";
    const std::string picture = svg_of(graph);
    EXPECT_EQ(picture.find("<script>"), picture.npos);
    EXPECT_NE(picture.find("&lt;script&gt;&amp;&quot;"), picture.npos);
    EXPECT_EQ(picture.find('\x01'), picture.npos);
}

TEST(Svg, ShowsHowFarAMapIs) {
    Graph graph = graph_of("a", {});
    graph.nodes[0].items = Items{.ended = 5, .failed = 1, .all = 10};
    const std::string picture = svg_of(graph);
    EXPECT_NE(picture.find("5 of 10"), picture.npos);
    EXPECT_EQ(count(picture, "class=\"bad\""), 1u);
}

TEST(Svg, AnEmptyGraphIsAPictureToo) {
    EXPECT_NE(svg_of(Graph{}).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace belay::graph
