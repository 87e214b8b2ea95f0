// Digests, by which inputs and requests are compared.
#pragma once

#include <array>
#include <cstdint>

namespace belay {

/// Represents a request or an input, to compare it: SHA-256, made by the client.
using Digest = std::array<std::uint8_t, 32>;

}  // namespace belay
