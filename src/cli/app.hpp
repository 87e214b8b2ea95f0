// The command line as a whole.
#pragma once

#include "cli/context.hpp"

#include <string>
#include <vector>

namespace belay::cli {

/// `belay` with all its commands.
[[nodiscard]] const Command& top_command();

/// Runs the command in `words` (without the program's name). Prints errors on `err`: to people in a
/// line with advice, to scripts that said --json as JSON.
[[nodiscard]] Exit run(const std::vector<std::string>& words,
                       Terminal& terminal,
                       const Environment& environment,
                       const OpenStore& open = open_file);

}  // namespace belay::cli
