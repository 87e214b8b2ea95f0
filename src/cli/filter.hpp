// Which instances a command is about: the options of `list` and of `delete`.
#pragma once

#include "cli/context.hpp"
#include <belay/finding.hpp>

#include <vector>

namespace belay::cli {

[[nodiscard]] std::vector<Option> filter_options();
/// Whether any of them was said.
[[nodiscard]] bool has_filter(const Arguments& arguments);
/// In the namespace of the context. Throws a Problem.
[[nodiscard]] ListOptions filter_of(Context& context, const Arguments& arguments);

}  // namespace belay::cli
