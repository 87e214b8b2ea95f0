// The names of steps, as people give them: "dump", "dump[17]", "deploy/push".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

/// A step, or an item of a map.
struct StepPlace {
    std::string step;
    std::optional<std::uint64_t> item{};
};

/// Reads "dump" or "dump[17]". Returns none for anything else.
[[nodiscard]] std::optional<StepPlace> read_step_place(std::string_view text);
/// Reads places that "/" separates: a step, and one of the flow that it starts. Returns none for
/// anything else.
[[nodiscard]] std::optional<std::vector<StepPlace>> read_step_path(std::string_view text);

/// Returns what to tell people about a text that is no path.
[[nodiscard]] std::string no_step_path(std::string_view text);

}  // namespace belay::flow
