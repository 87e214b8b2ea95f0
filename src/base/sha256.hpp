// SHA-256, and the form of a digest in ids.
#pragma once

#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace belay::base {

using Sha256Digest = std::array<std::uint8_t, crypto_hash_sha256_BYTES>;

/// Hashes the bytes that are added, in order.
class Sha256 {
public:
    Sha256() { crypto_hash_sha256_init(&state_); }

    Sha256& add(std::string_view bytes);
    /// Call it once, at the end.
    [[nodiscard]] Sha256Digest finish();

private:
    crypto_hash_sha256_state state_{};
};

/// The number of characters that short_hex writes.
inline constexpr std::size_t kShortHexBytes = 32;

/// Returns the first 128 bits in hexadecimal. Two texts do not share them by chance.
[[nodiscard]] std::string short_hex(const Sha256Digest& digest);

}  // namespace belay::base
