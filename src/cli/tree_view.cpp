#include "cli/tree_view.hpp"

namespace belay::cli {

namespace {

/// Goes as deep as the tree does: see Limits::tree_depth.
void draw(const TreeNode& node, const std::string& left, std::string& text) {
    text += node.label + "\n";
    for (std::size_t i = 0; i < node.below.size(); ++i) {
        const bool last = i + 1 == node.below.size();
        text += left + (last ? "└─ " : "├─ ");
        draw(node.below[i], left + (last ? "   " : "│  "), text);
    }
}

}  // namespace

std::string render_tree(const TreeNode& root) {
    std::string text;
    draw(root, "", text);
    return text;
}

}  // namespace belay::cli
