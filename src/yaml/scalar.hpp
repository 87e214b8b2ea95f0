// The types of plain scalars, by the core schema of YAML 1.2: `no` is a text, `0o17` a number.
#pragma once

#include "yaml/value.hpp"

#include <optional>
#include <string>

namespace belay::yaml {

/// Sets the kind and the value of a scalar that stands without quotes. Returns what is wrong with
/// it: an integer that 64 bits cannot hold.
[[nodiscard]] std::optional<std::string> resolve(Value& scalar);

}  // namespace belay::yaml
