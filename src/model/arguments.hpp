// Several payloads in one, taken apart for people.
#pragma once

#include <belay/payload.hpp>

#include <optional>
#include <vector>

namespace belay::model {

/// Returns the single values in a payload of several (arguments, or a container). Returns none if
/// it is not such a payload, if its bytes are damaged, or if more than a few containers are nested.
/// So a caller that takes the parts apart in turn does not go deep, whatever the bytes are.
[[nodiscard]] std::optional<std::vector<Payload>> parts_of(const Payload& joined);

}  // namespace belay::model
