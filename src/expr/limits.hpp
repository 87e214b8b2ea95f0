// The limits of expressions: every expression ends soon and stays small, whoever wrote it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belay::expr {

/// The longest source text of one expression, in bytes.
inline constexpr std::size_t kMostSource = 64 * 1024;
/// The deepest nesting of an expression, and of a value. A recursive reader can bear it.
inline constexpr int kDeepest = 200;
/// The largest number of nodes of one expression.
inline constexpr std::size_t kMostNodes = 10'000;
/// The work of one evaluation: one for each node and each element, and one for 64 bytes of text.
inline constexpr std::uint64_t kMostWork = 5'000'000;
/// The memory that one evaluation may take for values it makes, in bytes.
inline constexpr std::uint64_t kMostMemory = 64 * 1024 * 1024;

}  // namespace belay::expr
