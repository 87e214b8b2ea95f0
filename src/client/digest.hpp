// The fingerprint of a start's input.
#pragma once

#include <belay/payload.hpp>
#include <belay/store/transition.hpp>

namespace belay::client {

/// SHA-256 over the codec and the bytes. Codecs give equal bytes for equal values (the JSON codec
/// writes the canonical form of RFC 8785), so equal inputs have equal digests.
[[nodiscard]] Digest digest_of(const Payload& input);

}  // namespace belay::client
