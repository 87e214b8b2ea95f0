// Reads expressions.
#pragma once

#include "expr/ast.hpp"
#include "expr/place.hpp"

#include <expected>
#include <string_view>

namespace belay::expr {

/// Reads one expression, with every call bound to a function that exists. `origin` is the place
/// where `source` begins.
[[nodiscard]] std::expected<NodePtr, Problem> parse(std::string_view source, Origin origin = {});

}  // namespace belay::expr
