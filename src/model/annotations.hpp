// The labels and headers that a caller attaches to a run besides its input.
#pragma once

#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>

#include <string_view>

namespace belay::model {

/// Checks their number, their names and the size of each. Both are in every row of the run, so they
/// are bounded before they are written.
[[nodiscard]] Result<void> check_labels(const Labels& labels, const Limits& limits);
[[nodiscard]] Result<void> check_headers(const Headers& headers, const Limits& limits);

/// The beginning of the names of the engine's own headers. No caller can set those: they would be
/// taken for the engine's.
inline constexpr std::string_view kOwnHeaders = "belay-";
/// check_headers for headers that a caller sets.
[[nodiscard]] Result<void> check_given_headers(const Headers& headers, const Limits& limits);
/// Returns the headers that a caller has set, without the engine's own.
[[nodiscard]] Headers given_headers(const Headers& headers);

}  // namespace belay::model
