// The tree of an expression.
#pragma once

#include "expr/place.hpp"
#include "expr/value.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace belay::expr {

struct OverloadSet;
struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
    enum class Kind : std::uint8_t {
        literal,      ///< value
        name,         ///< name
        field,        ///< children[0].name
        has_field,    ///< has(children[0].name)
        index,        ///< children[0][children[1]]
        call,         ///< name(children...), or children[0].name(...)
        list,         ///< [children...]
        map,          ///< {children[0]: children[1], ...}
        conditional,  ///< children[0] ? children[1] : children[2]
        all_of,       ///< children[0] && ...
        any_of,       ///< children[0] || ...
        for_all,      ///< children[0].all(name, children[1])
        exists,       ///< children[0].exists(name, children[1])
        exists_one,   ///< children[0].exists_one(name, children[1])
        filter,       ///< children[0].filter(name, children[1])
        transform,  ///< children[0].map(name, children[1]), or with a filter before the last child
        sort_by,    ///< children[0].sortBy(name, children[1])
        opt_map,    ///< children[0].optMap(name, children[1])
        opt_flat_map,  ///< children[0].optFlatMap(name, children[1])
        bind,          ///< cel.bind(name, children[0], children[1])
    };

    Kind kind = Kind::literal;
    Place place;
    int depth = 1;  ///< The nesting of this node.
    Value value{};
    std::string name{};
    /// field, index: `.?` and `[?`. The result is an optional.
    bool optional = false;
    /// call: children[0] stands before the dot.
    bool method = false;
    /// list, map: the elements, or the entries, that stand behind a question mark.
    std::vector<bool> optional_elements{};
    std::vector<NodePtr> children{};
    /// call: the functions of this name. The parser sets it.
    const OverloadSet* overloads = nullptr;
};

}  // namespace belay::expr
