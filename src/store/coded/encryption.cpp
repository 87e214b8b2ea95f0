// The format, for ever: 1, the key's id (4 bytes, the lowest first), its check (8), the nonce (24),
// the ciphertext with its tag (16 more than the bytes). Authenticated with it: everything up to the
// nonce, and the members of CodedAs.
#include "store/coded/key_ring.hpp"

#include <sodium.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace belay {

namespace coded {

namespace {

constexpr unsigned char kVersion = 1;
constexpr std::size_t kIdAt = 1;
constexpr std::size_t kCheckAt = kIdAt + sizeof(KeyId);
constexpr std::size_t kNonceAt = kCheckAt + kCheckBytes;
constexpr std::size_t kTextAt = kNonceAt + crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;

template <class Number>
void append(std::string& to, Number number) {
    auto rest = static_cast<std::uint64_t>(number);
    for (std::size_t i = 0; i < sizeof(Number); ++i, rest >>= 8U) {
        to += static_cast<char>(rest & 0xffU);
    }
}

/// Returns the data to which the ciphertext is bound.
std::string label(std::string_view header, const CodedAs& as) {
    std::string text(header);
    append(text, static_cast<std::uint8_t>(as.kind));
    append(text, static_cast<std::uint16_t>(as.codec));
    append(text, as.flags);
    append(text, as.count);
    return text;
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

/// Decrypts, and leaves data that is written as it is.
class Decryption : public PayloadCoder {
public:
    explicit Decryption(KeyRing keys) : keys_(std::move(keys)) {}

    [[nodiscard]] std::uint16_t flag() const noexcept override { return CoderFlags::kEncrypted; }

    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view /*bytes*/,
                                                            const CodedAs& /*as*/) const override {
        return std::optional<std::string>();
    }

    [[nodiscard]] Result<std::string> decode(std::string_view bytes,
                                             const CodedAs& as) const override {
        const std::optional<KeyId> id = key_of(bytes);
        if (!id) {
            const bool later = !bytes.empty() && static_cast<unsigned char>(bytes[0]) > kVersion;
            return later
                       ? Error(Errc::unsupported,
                               "it was encrypted by a later release of Belay: read it with that")
                       : Error(Errc::corrupt, "it is no ciphertext, or only the beginning of one");
        }
        const std::string name = "key " + std::to_string(*id);
        const std::shared_ptr<const Key> key = keys().find(*id);
        if (!key) {
            return Error(Errc::unreadable,
                         "it is encrypted with " + name +
                             ", which is not in the key ring of this process: add the key "
                             "(KeyRing::add, or the key file), or read it where the key is");
        }
        if (!std::equal(key->check.begin(),
                        key->check.end(),
                        bytes_of(bytes) + kCheckAt,
                        bytes_of(bytes) + kNonceAt)) {
            return Error(Errc::unreadable,
                         "it is encrypted with a " + name +
                             " that is not the one in the key ring of this process: one of the two "
                             "was given the wrong id");
        }
        const std::string bound = label(bytes.substr(0, kNonceAt), as);
        std::string opened(bytes.size() - kTextAt - kTagBytes, '\0');
        if (crypto_aead_xchacha20poly1305_ietf_decrypt(
                reinterpret_cast<unsigned char*>(opened.data()),
                nullptr,
                nullptr,
                bytes_of(bytes) + kTextAt,
                bytes.size() - kTextAt,
                bytes_of(bound),
                bound.size(),
                bytes_of(bytes) + kNonceAt,
                key->secret.data()) != 0) {
            return Error(Errc::corrupt,
                         "it was encrypted with " + name +
                             " and has been changed since, or stands under another label: restore "
                             "it from a backup");
        }
        return opened;
    }

protected:
    [[nodiscard]] const KeyRing::Keys& keys() const noexcept { return *keys_.keys(); }

private:
    KeyRing keys_;
};

class Encryption final : public Decryption {
public:
    using Decryption::Decryption;

    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view bytes,
                                                            const CodedAs& as) const override {
        const std::shared_ptr<const Key> key = keys().writer();
        std::string sealed;
        sealed.reserve(kTextAt + bytes.size() + kTagBytes);
        append(sealed, kVersion);
        append(sealed, key->id);
        sealed.append(key->check.begin(), key->check.end());
        const std::string bound = label(sealed, as);
        sealed.resize(kTextAt + bytes.size() + kTagBytes);
        auto* const out = reinterpret_cast<unsigned char*>(sealed.data());
        randombytes_buf(out + kNonceAt, kTextAt - kNonceAt);
        crypto_aead_xchacha20poly1305_ietf_encrypt(out + kTextAt,
                                                   nullptr,
                                                   bytes_of(bytes),
                                                   bytes.size(),
                                                   bytes_of(bound),
                                                   bound.size(),
                                                   nullptr,
                                                   out + kNonceAt,
                                                   key->secret.data());
        return std::optional(std::move(sealed));
    }
};

}  // namespace

std::optional<KeyId> key_of(std::string_view encrypted) {
    if (encrypted.size() < kTextAt + kTagBytes || bytes_of(encrypted)[0] != kVersion) {
        return std::nullopt;
    }
    KeyId id = 0;
    for (std::size_t i = kCheckAt; i-- > kIdAt;) id = (id << 8U) | bytes_of(encrypted)[i];
    return id;
}

}  // namespace coded

std::shared_ptr<const PayloadCoder> encryption(KeyRing keys) {
    // This stays true: the key that writes cannot be dropped.
    if (!keys.writing()) {
        throw std::invalid_argument("belay: encryption needs a key ring with a key");
    }
    return std::make_shared<coded::Encryption>(std::move(keys));
}

std::shared_ptr<const PayloadCoder> decryption(KeyRing keys) {
    return std::make_shared<coded::Decryption>(std::move(keys));
}

std::optional<KeyId> encrypted_with(const Payload& payload) {
    const bool last =
        (payload.flags & CoderFlags::kEncrypted) != 0 && payload.flags < CoderFlags::kFirstUserFlag;
    return last ? coded::key_of(payload.bytes) : std::nullopt;
}

}  // namespace belay
