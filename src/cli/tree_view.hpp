// Things below things, drawn with lines.
#pragma once

#include <string>
#include <vector>

namespace belay::cli {

struct TreeNode {
    std::string label;  ///< Printed as it is: safe, perhaps painted.
    std::vector<TreeNode> below;
};

/// One line for each node.
[[nodiscard]] std::string render_tree(const TreeNode& root);

}  // namespace belay::cli
