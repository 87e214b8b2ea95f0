#include "expr/macros.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace belay::expr {

namespace {

/// A macro after a dot: its first argument names a variable.
struct Method {
    std::string_view name;
    Node::Kind kind;
    std::size_t most_arguments = 2;
};

constexpr std::array<Method, 10> kMethods = {{
    {"all", Node::Kind::for_all},
    {"exists", Node::Kind::exists},
    {"exists_one", Node::Kind::exists_one},
    {"existsOne", Node::Kind::exists_one},
    {"filter", Node::Kind::filter},
    {"map", Node::Kind::transform, 3},
    {"sortBy", Node::Kind::sort_by},
    {"optMap", Node::Kind::opt_map},
    {"optFlatMap", Node::Kind::opt_flat_map},
    {"bind", Node::Kind::bind, 3},
}};

std::optional<Problem> wrong_macro(const Node& at, std::string message) {
    return Problem{at.place, std::move(message)};
}

std::optional<Problem> expand_has(Node& call) {
    if (call.children.size() != 1 || call.children[0]->kind != Node::Kind::field ||
        call.children[0]->optional) {
        return wrong_macro(call, "has() takes one field: has(a.b)");
    }
    NodePtr field = std::move(call.children[0]);
    call.kind = Node::Kind::has_field;
    call.name = std::move(field->name);
    call.children = std::move(field->children);
    return std::nullopt;
}

/// `cel.bind(name, value, body)`: the namespace goes.
std::optional<Problem> expand_bind(Node& call) {
    if (call.children.size() != 4 || call.children[1]->kind != Node::Kind::name) {
        return wrong_macro(call, "cel.bind takes a name, its value and an expression");
    }
    call.kind = Node::Kind::bind;
    call.name = call.children[1]->name;
    call.children.erase(call.children.begin(), call.children.begin() + 2);
    return std::nullopt;
}

std::optional<Problem> expand_method(const Method& macro, Node& call) {
    const std::size_t arguments = call.children.size() - 1;
    if (arguments < 2 || arguments > macro.most_arguments) {
        return wrong_macro(call,
                           "." + call.name + "() takes a name and an expression" +
                               (macro.most_arguments == 3 ? ", or two" : ""));
    }
    if (call.children[1]->kind != Node::Kind::name) {
        return wrong_macro(*call.children[1],
                           "the first argument of ." + call.name + "() must be a name");
    }
    call.kind = macro.kind;
    call.name = call.children[1]->name;
    call.children.erase(std::next(call.children.begin()));
    return std::nullopt;
}

bool is_cel(const Node& receiver) {
    return receiver.kind == Node::Kind::name && receiver.name == "cel";
}

}  // namespace

std::optional<Problem> expand_macro(NodePtr& call) {
    if (!call->method) return call->name == "has" ? expand_has(*call) : std::nullopt;
    const auto* const macro = std::ranges::find(kMethods, call->name, &Method::name);
    if (macro == kMethods.end()) return std::nullopt;
    if (macro->kind != Node::Kind::bind) return expand_method(*macro, *call);
    return is_cel(*call->children[0]) ? expand_bind(*call) : std::nullopt;
}

}  // namespace belay::expr
