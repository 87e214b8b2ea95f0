// One instance, whole: its data, what it waits for, and its timeline.
#pragma once

#include "cli/json.hpp"
#include "cli/terminal.hpp"
#include <belay/finding.hpp>

#include <string>

namespace belay::cli {

/// For people: its data, what it waits for, and its timeline drawn.
[[nodiscard]] std::string render_description(const Terminal& terminal,
                                             const InstanceDescription& description,
                                             const Timeline& timeline);

/// The fields of both, into an object that is open.
void write_description(JsonWriter& out,
                       const InstanceDescription& description,
                       const Timeline& timeline);

}  // namespace belay::cli
