// The names that an expression refers to, and how it uses them.
#pragma once

#include "base/place.hpp"
#include "expr/ast.hpp"

#include <string>
#include <vector>

namespace belay::flow {

/// A name at the root of an expression, as `steps.dump.output`.
struct Reference {
    std::string root;    ///< "steps"
    std::string member;  ///< "dump"; empty if it is taken as a whole, or by a computed name.
    std::string field;   ///< "output"; empty if there is none.
    base::Place place;
    base::Place member_place;
    /// True if the value is only joined with texts, chosen by a condition or put into a list or a
    /// map. Then a mark can stand for it.
    bool is_inserted = false;
    bool is_optional = false;  ///< `steps.dump.?output`
    bool is_tested = false;    ///< `has(steps.dump.output)`
};

/// Returns the references of a tree, in their order.
[[nodiscard]] std::vector<Reference> references_of(const expr::Node& root);

}  // namespace belay::flow
