// Everything that is not a rate of instances.
#pragma once

#include "report.hpp"

#include <cstddef>

namespace belay::bench {

/// Events per second of the cold replay of a long history. The limit is decoding it and no more.
[[nodiscard]] Figure measure_replay(std::size_t slices);

/// Awaits of a helper per second inside one turn. The limit is a bare coroutine, without an engine.
[[nodiscard]] Figure measure_await(std::size_t slices);

/// Ten thousand activities in one instance: the time of the last thousand by that of the first. At
/// 1 a step costs the same however long the history is.
[[nodiscard]] Figure measure_sequence(std::size_t slices);

/// The cost of a branch in a join of ten thousand, by the cost in a join of one thousand. At 1 the
/// width of the join does not matter.
[[nodiscard]] Figure measure_join(std::size_t slices);

}  // namespace belay::bench
