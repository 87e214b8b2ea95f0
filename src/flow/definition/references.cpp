#include "flow/definition/references.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace belay::flow {

namespace {

using expr::Node;

/// A variable of a macro, and those around it.
struct MacroScope {
    std::string_view name;
    const MacroScope* outer;
};

bool is_bound(std::string_view name, const MacroScope* scope) {
    for (; scope != nullptr; scope = scope->outer) {
        if (scope->name == name) return true;
    }
    return false;
}

/// Returns the name that a field or an index with a literal reads; empty for others.
std::string_view member_name(const Node& node) {
    if (node.kind == Node::Kind::field || node.kind == Node::Kind::has_field) return node.name;
    if (node.kind != Node::Kind::index) return {};
    const Node& key = *node.children[1];
    const bool literal = key.kind == Node::Kind::literal && key.value.is(expr::Kind::text);
    return literal ? std::string_view(key.value.text()) : std::string_view();
}

/// Returns the nodes of `a`, `a.b` or `a.b.c`, the outer one first; empty for others.
std::vector<const Node*> path_of(const Node& node) {
    std::vector<const Node*> nodes;
    for (const Node* at = &node; nodes.size() < 3; at = at->children[0].get()) {
        nodes.push_back(at);
        if (at->kind == Node::Kind::name) return nodes;
        if (member_name(*at).empty()) break;
    }
    return {};
}

class Finder {
public:
    std::vector<Reference> found;

    /// `inserted`: the node around inserts the value of this one into a text, a list or a map.
    void visit(const Node& node, bool inserted, const MacroScope* scope) {
        if (const auto path = path_of(node); !path.empty()) {
            if (!is_bound(path.back()->name, scope)) add(path, inserted);
            return;
        }
        // The variable of a macro is only bound in what stands behind its first part.
        const MacroScope inner{node.name, scope};
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            visit(*node.children[i],
                  inserted && inserts(node, i),
                  binds(node) && i > 0 ? &inner : scope);
        }
    }

private:
    static bool inserts(const Node& node, std::size_t child) {
        switch (node.kind) {
            case Node::Kind::list: return true;
            case Node::Kind::map: return child % 2 == 1;
            case Node::Kind::conditional: return child > 0;
            case Node::Kind::call: return node.name == "_+_";
            default: return false;
        }
    }

    static bool binds(const Node& node) {
        switch (node.kind) {
            case Node::Kind::for_all:
            case Node::Kind::exists:
            case Node::Kind::exists_one:
            case Node::Kind::filter:
            case Node::Kind::transform:
            case Node::Kind::sort_by:
            case Node::Kind::opt_map:
            case Node::Kind::opt_flat_map:
            case Node::Kind::bind: return true;
            default: return false;
        }
    }

    void add(const std::vector<const Node*>& path, bool inserted) {
        const Node& outer = *path.front();
        const Node& root = *path.back();
        Reference reference;
        reference.root = root.name;
        reference.place = reference.member_place = root.place;
        if (path.size() > 1) {
            const Node& member = *path[path.size() - 2];
            reference.member = member_name(member);
            reference.member_place =
                member.kind == Node::Kind::index ? member.children[1]->place : member.place;
        }
        if (path.size() > 2) reference.field = member_name(outer);
        reference.is_tested = outer.kind == Node::Kind::has_field;
        reference.is_inserted = inserted && !reference.is_tested;
        reference.is_optional = outer.optional;
        found.push_back(std::move(reference));
    }
};

}  // namespace

std::vector<Reference> references_of(const Node& root) {
    Finder finder;
    finder.visit(root, true, nullptr);
    return std::move(finder.found);
}

}  // namespace belay::flow
