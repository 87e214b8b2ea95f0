#include "expr/constants.hpp"

#include "expr/budget.hpp"
#include "expr/evaluator.hpp"
#include "expr/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace belay::expr {

namespace {

/// A variable of a macro, and those around it.
struct Bound {
    std::string_view name;
    const Bound* outer;
};

/// Returns how many children of a node are evaluated, whatever the others are.
std::size_t surely_evaluated(const Node& node) {
    switch (node.kind) {
        case Node::Kind::all_of:
        case Node::Kind::any_of: return 0;
        case Node::Kind::conditional:
        case Node::Kind::for_all:
        case Node::Kind::exists:
        case Node::Kind::exists_one:
        case Node::Kind::filter:
        case Node::Kind::transform:
        case Node::Kind::sort_by:
        case Node::Kind::opt_map:
        case Node::Kind::opt_flat_map: return 1;
        default: return node.children.size();
    }
}

bool binds(const Node& node) {
    return !node.name.empty() && node.kind >= Node::Kind::for_all && node.kind <= Node::Kind::bind;
}

/// True if no name in the node stands for a variable from outside.
bool is_constant(const Node& node, const Bound* bound) {
    if (node.kind == Node::Kind::name) {
        for (; bound != nullptr; bound = bound->outer) {
            if (bound->name == node.name) return true;
        }
        return false;
    }
    const Bound inner{node.name, bound};
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const bool within = binds(node) && i > 0;
        if (!is_constant(*node.children[i], within ? &inner : bound)) return false;
    }
    return true;
}

void check(const Node& node, std::vector<Problem>& problems) {
    if (is_constant(node, nullptr)) {
        Budget budget(kMostWork, kMostMemory);
        auto value = evaluate(node, {}, budget);
        if (!value) problems.push_back(std::move(value.error()));
        return;
    }
    const std::size_t count = surely_evaluated(node);
    for (std::size_t i = 0; i < count; ++i) check(*node.children[i], problems);
}

}  // namespace

void check_constants(const Node& root, std::vector<Problem>& problems) { check(root, problems); }

}  // namespace belay::expr
