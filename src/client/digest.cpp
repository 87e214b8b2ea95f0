#include "client/digest.hpp"

#include <sodium.h>

#include <array>

namespace belay::client {

Digest digest_of(const Payload& input) {
    static_assert(crypto_hash_sha256_BYTES == std::tuple_size_v<Digest>);
    const auto codec = static_cast<std::uint16_t>(input.codec);
    const std::array<unsigned char, 2> prefix{static_cast<unsigned char>(codec >> 8),
                                              static_cast<unsigned char>(codec & 0xFF)};
    crypto_hash_sha256_state state;
    Digest digest{};
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, prefix.data(), prefix.size());
    crypto_hash_sha256_update(
        &state, reinterpret_cast<const unsigned char*>(input.bytes.data()), input.bytes.size());
    crypto_hash_sha256_final(&state, digest.data());
    return digest;
}

}  // namespace belay::client
