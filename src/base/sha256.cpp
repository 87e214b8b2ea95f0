#include "base/sha256.hpp"

namespace belay::base {

Sha256& Sha256::add(std::string_view bytes) {
    crypto_hash_sha256_update(
        &state_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return *this;
}

Sha256Digest Sha256::finish() {
    Sha256Digest digest{};
    crypto_hash_sha256_final(&state_, digest.data());
    return digest;
}

std::string short_hex(const Sha256Digest& digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(kShortHexBytes);
    for (std::size_t i = 0; i < kShortHexBytes / 2; ++i) {
        text += kDigits[digest[i] >> 4];
        text += kDigits[digest[i] & 0xF];
    }
    return text;
}

}  // namespace belay::base
