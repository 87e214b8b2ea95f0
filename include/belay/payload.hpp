// User data as it is stored: bytes, and their codec.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace belay {

/// The codec of a payload's bytes. Stored as these integers for ever.
enum class PayloadCodec : std::uint16_t {
    none = 0,  ///< No value at all (`void`).
    bytes = 1,
    text = 2,       ///< UTF-8.
    integer = 3,    ///< Signed 64 bits, decimal text.
    real = 4,       ///< Binary64, shortest round-trip decimal text.
    boolean = 5,    ///< "true" or "false".
    arguments = 6,  ///< Several values, each with its own codec: arguments, or a container.
    json = 7,
    failure = 32,    ///< An encoded Failure.
    cancel = 33,     ///< An encoded CancelRecord.
    continued = 34,  ///< The input of a next execution, with messages that were not received yet.
    skipped = 35,    ///< The result of a skipped child: the reason, UTF-8.
    user = 1024,     ///< Codecs of users begin here.
};

/// A value as it is sent and stored. `flags` belong to the chain of coders in front of the store
/// (compression, encryption: store/coded.hpp); a store keeps all three fields and reads none. Flags
/// of a decoded value are 0. A value from users with other flags is refused.
struct Payload {
    PayloadCodec codec = PayloadCodec::none;
    std::uint16_t flags = 0;
    std::string bytes;

    Payload() = default;
    /// Bytes of this kind, without flags.
    Payload(PayloadCodec codec_, std::string bytes_) : codec(codec_), bytes(std::move(bytes_)) {}

    /// Makes a text; does not check that it is UTF-8.
    [[nodiscard]] static Payload text(std::string value) {
        return Payload(PayloadCodec::text, std::move(value));
    }

    bool operator==(const Payload&) const = default;
};

}  // namespace belay
