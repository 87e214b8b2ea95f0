// The commands below `belay flow`.
#pragma once

#include "cli/command.hpp"

namespace belay::cli {

[[nodiscard]] Command flow_list_command();
[[nodiscard]] Command flow_show_command();
[[nodiscard]] Command flow_diff_command();
[[nodiscard]] Command flow_test_command();

}  // namespace belay::cli
