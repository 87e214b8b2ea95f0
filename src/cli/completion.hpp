// Scripts by which shells complete the words of a command line.
#pragma once

#include "cli/command.hpp"

#include <string>

namespace belay::cli {

[[nodiscard]] std::string bash_completion(const Command& top);
[[nodiscard]] std::string zsh_completion(const Command& top);
[[nodiscard]] std::string fish_completion(const Command& top);

}  // namespace belay::cli
