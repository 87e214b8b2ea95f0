// What a caller attaches to a run besides its input: labels and headers.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>

namespace belay::model {

/// How many, their names, and the size of each. Both travel with every row of the run, so they are
/// bounded before they are written.
[[nodiscard]] Result<void> check_labels(const Labels& labels, const Limits& limits);
[[nodiscard]] Result<void> check_headers(const Headers& headers, const Limits& limits);

}  // namespace belay::model
