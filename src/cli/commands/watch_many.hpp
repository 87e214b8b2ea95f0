// Following many instances at once.
#pragma once

#include "cli/context.hpp"

#include <vector>

namespace belay::cli {

/// Shows what is printed, and waits. Returns false if the person, or the reader of the output,
/// wants no more.
[[nodiscard]] bool wait_a_little(Context& context, Millis interval);

/// Clears the screen and goes to its top left corner.
inline constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";

/// Completed, or had nothing to do.
[[nodiscard]] bool ended_well(Status status) noexcept;

/// Follows these runs until all have ended. On a terminal it draws a list again and again, with
/// those that run first. Elsewhere it prints a line for each change. Returns an error if one of
/// them did not end well, or was deleted meanwhile.
[[nodiscard]] Exit watch_many(Context& context,
                              const std::vector<InstanceBrief>& which,
                              Millis interval);

}  // namespace belay::cli
