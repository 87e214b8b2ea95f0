// Several payloads in one, taken apart for people.
#pragma once

#include <belay/payload.hpp>

#include <optional>
#include <vector>

namespace belay::model {

/// The single values in a payload of several (arguments, or a container). None if it is no such
/// payload, if its bytes are not what they should be, or if more than a few of them lie in one
/// another: so whoever takes the parts apart in turn does not go deep, whatever the bytes say.
[[nodiscard]] std::optional<std::vector<Payload>> parts_of(const Payload& joined);

}  // namespace belay::model
