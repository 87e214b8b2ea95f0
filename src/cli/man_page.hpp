// The manual page of the command line, for man(1).
#pragma once

#include "cli/command.hpp"

#include <string>
#include <string_view>

namespace belay::cli {

/// Returns the page as roff text, made from the same descriptions as `--help`.
[[nodiscard]] std::string man_page(const Command& top, std::string_view version);

}  // namespace belay::cli
