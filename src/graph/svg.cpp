#include "graph/svg.hpp"

#include "graph/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace belay::graph {

namespace {

constexpr double kMargin = 24;
constexpr double kTitleHeight = 34;
constexpr double kLetter = 7.9;  // The width of a letter of the title.
constexpr double kBarHeight = 4;

constexpr std::string_view kStyle = R"(<style>
svg{background:#fff;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:#1f2328}
.title{font-size:16px;font-weight:600;fill:currentColor}
.box{fill:#f6f8fa;stroke:#8c959f;stroke-width:1.2}
.name{font-size:13px;fill:currentColor}.kind{font-size:11px;fill:#59636e}
.edge{fill:none;stroke:#8c959f;stroke-width:1.4}.soft{stroke-dasharray:4 4}
.arrow{fill:#8c959f}
.bar{fill:#d1d9e0}.done{fill:#1a7f37}.bad{fill:#cf222e}
.completed .box{fill:#dafbe1;stroke:#1a7f37}.failed .box{fill:#ffebe9;stroke:#cf222e;stroke-width:2}
.started .box{fill:#ddf4ff;stroke:#0969da;stroke-width:2}
.waiting .box,.canceling .box{fill:#fff8c5;stroke:#9a6700}
.skipped .box,.canceled .box{stroke-dasharray:4 3}.canceled .box{fill:#eee;stroke:#59636e}
@media (prefers-color-scheme:dark){svg{background:#0d1117;color:#e6edf3}
.box{fill:#161b22;stroke:#6e7681}.kind{fill:#9198a1}.edge{stroke:#6e7681}.arrow{fill:#6e7681}
.bar{fill:#3d444d}.completed .box{fill:#12261e;stroke:#3fb950}.failed .box{fill:#2d1214;stroke:#f85149}
.started .box{fill:#0c2d4a;stroke:#4493f8}
.waiting .box,.canceling .box{fill:#2b2200;stroke:#d29922}
.canceled .box{fill:#21262d;stroke:#9198a1}}
</style>
<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path class="arrow" d="M0 0L8 4L0 8z"/></marker>
)";

/// Text inside an element. Control characters are not allowed in XML.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
        }
    }
    return out;
}

/// A number with at most one digit behind the point.
std::string number(double value) {
    const auto tenths = std::llround(value * 10);
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10 != 0) text.append(".").append(std::to_string(std::abs(tenths % 10)));
    return text;
}

std::size_t letters_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
    }));
}

std::string label_of(const Node& node) {
    if (node.state == State::none) return node.title;
    return std::string(sign_of(node.state)) + " " + node.title;
}

/// The small line of a node: "exec · failed · 9 of 10".
std::string detail_of(const Node& node) {
    std::string text = node.kind;
    const auto add = [&text](std::string_view part) {
        if (part.empty()) return;
        if (!text.empty()) text += " · ";
        text += part;
    };
    add(to_string(node.state));
    if (node.items) {
        add(std::to_string(node.items->ended) + " of " + std::to_string(node.items->all));
    }
    return text;
}

double width_of(const Node& node) {
    const std::size_t letters = std::max(letters_of(label_of(node)), letters_of(detail_of(node)));
    return std::max(96.0, static_cast<double>(letters) * kLetter + 24);
}

class Picture {
public:
    explicit Picture(const Graph& graph) : graph_(&graph), edges_(drawn_edges(graph)) {
        for (const Node& node : graph.nodes) sizes_.widths.push_back(width_of(node));
        layout_ = lay_out(graph, edges_, sizes_);
    }

    [[nodiscard]] std::string draw() {
        const double top = kMargin + (graph_->title.empty() ? 0 : kTitleHeight);
        const double title = static_cast<double>(letters_of(graph_->title)) * 10;
        open(std::max(layout_.width, title) + 2 * kMargin, layout_.height + top + kMargin);
        if (!graph_->title.empty()) {
            text("title", kMargin, kMargin + 12, "start", graph_->title);
        }
        text_.append("<g transform=\"translate(").append(number(kMargin)).append(" ");
        text_.append(number(top)).append(")\">\n");
        for (std::size_t i = 0; i < edges_.size(); ++i) draw_edge(edges_[i], layout_.paths[i]);
        for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
            draw_node(graph_->nodes[i], layout_.centres[i], sizes_.widths[i]);
        }
        text_ += "</g>\n</svg>\n";
        return std::move(text_);
    }

private:
    void open(double width, double height) {
        text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) +
                "\" height=\"" + number(height) + "\" viewBox=\"0 0 " + number(width) + " " +
                number(height) + "\" role=\"img\">\n<title>" + escaped(graph_->title) +
                "</title>\n" + std::string(kStyle);
    }

    void text(std::string_view style,
              double x,
              double y,
              std::string_view anchor,
              std::string_view content) {
        text_.append("<text class=\"").append(style).append("\" x=\"").append(number(x));
        text_.append("\" y=\"").append(number(y)).append("\" text-anchor=\"").append(anchor);
        text_.append("\">").append(escaped(content)).append("</text>\n");
    }

    void rectangle(
        std::string_view style, double x, double y, double width, double height, double round) {
        text_.append("<rect class=\"").append(style).append("\" x=\"").append(number(x));
        text_.append("\" y=\"").append(number(y)).append("\" width=\"").append(number(width));
        text_.append("\" height=\"").append(number(height)).append("\" rx=\"");
        text_.append(number(round)).append("\"/>\n");
    }

    void draw_node(const Node& node, const Point& centre, double width) {
        const double left = centre.x - width / 2;
        const double top = centre.y - sizes_.height / 2;
        text_.append("<g class=\"").append(to_string(node.state)).append("\">\n<title>");
        text_.append(escaped(node.title));
        if (!node.note.empty()) text_.append("\n").append(escaped(node.note));
        text_ += "</title>\n";
        rectangle("box", left, top, width, sizes_.height, 7);
        const std::string detail = detail_of(node);
        text("name", centre.x, centre.y + (detail.empty() ? 5 : -2), "middle", label_of(node));
        if (!detail.empty()) text("kind", centre.x, centre.y + 13, "middle", detail);
        if (node.items && node.items->all > 0) draw_bar(*node.items, left, top, width);
        text_ += "</g>\n";
    }

    void draw_bar(const Items& items, double left, double top, double width) {
        const double bottom = top + sizes_.height - kBarHeight;
        const auto part = [&](std::uint64_t count) {
            const double share = static_cast<double>(count) / static_cast<double>(items.all);
            return (width - 12) * std::min(1.0, share);
        };
        rectangle("bar", left + 6, bottom, width - 12, kBarHeight, 2);
        rectangle("done", left + 6, bottom, part(items.ended), kBarHeight, 2);
        if (items.failed > 0) rectangle("bad", left + 6, bottom, part(items.failed), kBarHeight, 2);
    }

    void draw_edge(const Edge& edge, const std::vector<Point>& path) {
        text_.append("<path class=\"edge").append(edge.soft ? " soft" : "").append("\" d=\"M");
        text_.append(number(path.front().x)).append(" ").append(number(path.front().y));
        for (std::size_t i = 1; i < path.size(); ++i) {
            const Point& from = path[i - 1];
            const Point& to = path[i];
            const double middle = (from.y + to.y) / 2;
            text_.append("C").append(number(from.x)).append(" ").append(number(middle)).append(" ");
            text_.append(number(to.x)).append(" ").append(number(middle)).append(" ");
            text_.append(number(to.x)).append(" ").append(number(to.y));
        }
        text_ += "\" marker-end=\"url(#end)\"/>\n";
    }

    const Graph* graph_;
    std::vector<Edge> edges_;
    Sizes sizes_;
    Layout layout_;
    std::string text_;
};

}  // namespace

std::string svg_of(const Graph& graph) { return Picture(graph).draw(); }

}  // namespace belay::graph
