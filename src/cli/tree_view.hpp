// Things below things, drawn with lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace belay::cli {

struct TreeNode {
    std::string label;  ///< Printed as it is: safe, perhaps painted.
    std::vector<TreeNode> below;
};

/// The columns that each level is further to the right.
inline constexpr std::size_t kTreeIndent = 3;

/// One line for each node.
[[nodiscard]] std::string render_tree(const TreeNode& root);

}  // namespace belay::cli
