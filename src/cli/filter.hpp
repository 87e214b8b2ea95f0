// The instances that a command is about: options of `list`, `watch`, `delete` and `prune`.
#pragma once

#include "cli/context.hpp"
#include <belay/filter.hpp>

#include <vector>

namespace belay::cli {

[[nodiscard]] std::vector<Option> filter_options();
/// Without those that are about when an instance ended: for commands that mean something else by
/// such a time.
[[nodiscard]] std::vector<Option> filter_options_but_ends();

/// True if any of these was said.
[[nodiscard]] bool has_any(const Arguments& arguments, const std::vector<Option>& options);
[[nodiscard]] inline bool has_filter(const Arguments& arguments) {
    return has_any(arguments, filter_options());
}

/// In the namespace of the context. Throws a Problem.
[[nodiscard]] InstanceFilter filter_of(Context& context, const Arguments& arguments);
[[nodiscard]] InstanceFilter filter_but_ends_of(Context& context, const Arguments& arguments);

}  // namespace belay::cli
