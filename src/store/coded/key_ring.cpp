#include "store/coded/key_ring.hpp"

#include <sodium.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace belay {

namespace coded {

namespace {

/// The numbers of the values derived from a key. Fixed for ever.
constexpr std::uint64_t kDrawSecret = 1;
constexpr std::uint64_t kDrawCheck = 2;
constexpr char kContext[crypto_kdf_CONTEXTBYTES + 1] = "belaypay";

static_assert(KeyRing::kKeyBytes == crypto_kdf_KEYBYTES);
static_assert(KeyRing::kKeyBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

std::shared_ptr<const Key> drawn_from(KeyId id, std::string_view bytes) {
    const auto* const key = reinterpret_cast<const unsigned char*>(bytes.data());
    auto made = std::make_shared<Key>();
    made->id = id;
    crypto_kdf_derive_from_key(
        made->secret.data(), made->secret.size(), kDrawSecret, kContext, key);
    std::array<std::uint8_t, crypto_kdf_BYTES_MIN> check{};
    crypto_kdf_derive_from_key(check.data(), check.size(), kDrawCheck, kContext, key);
    std::copy_n(check.begin(), kCheckBytes, made->check.begin());
    return made;
}

}  // namespace

Key::~Key() { sodium_memzero(secret.data(), secret.size()); }

void use_sodium() {
    if (sodium_init() < 0) throw std::runtime_error("belay: libsodium cannot be initialised");
}

}  // namespace coded

namespace {

Error no_key(KeyId id) {
    return Error(Errc::not_found, "there is no key " + std::to_string(id) + " in the key ring");
}

}  // namespace

std::shared_ptr<const coded::Key> KeyRing::Keys::find(KeyId id) const {
    const base::ReadLock lock(mutex);
    const auto at = all.find(id);
    return at == all.end() ? nullptr : at->second;
}

std::shared_ptr<const coded::Key> KeyRing::Keys::writer() const {
    const base::ReadLock lock(mutex);
    return writing;
}

KeyRing::KeyRing() : keys_(std::make_shared<Keys>()) { coded::use_sodium(); }

Result<void> KeyRing::add(KeyId id, std::string_view key) {
    const std::string name = "key " + std::to_string(id);
    if (key.size() != kKeyBytes) {
        return Error(Errc::invalid_argument,
                     name + " is " + std::to_string(key.size()) + " bytes; it must be " +
                         std::to_string(kKeyBytes) + " random bytes");
    }
    std::shared_ptr<const coded::Key> made = coded::drawn_from(id, key);
    const base::WriteLock lock(keys_->mutex);
    const auto [at, added] = keys_->all.emplace(id, made);
    if (!added && at->second->check != made->check) {
        return Error(Errc::invalid_argument,
                     name + " is another key already: an id is never used again");
    }
    if (!keys_->writing) keys_->writing = std::move(made);
    return {};
}

Result<void> KeyRing::write_with(KeyId id) {
    const base::WriteLock lock(keys_->mutex);
    const auto at = keys_->all.find(id);
    if (at == keys_->all.end()) return no_key(id);
    keys_->writing = at->second;
    return {};
}

Result<void> KeyRing::drop(KeyId id) {
    const base::WriteLock lock(keys_->mutex);
    const auto at = keys_->all.find(id);
    if (at == keys_->all.end()) return no_key(id);
    if (keys_->writing->id == id) {
        return Error(Errc::invalid_argument,
                     "key " + std::to_string(id) +
                         " writes; let another one do that first (KeyRing::write_with)");
    }
    keys_->all.erase(at);
    return {};
}

std::vector<KeyId> KeyRing::ids() const {
    const base::ReadLock lock(keys_->mutex);
    std::vector<KeyId> ids;
    for (const auto& [id, key] : keys_->all) ids.push_back(id);
    return ids;
}

std::optional<KeyId> KeyRing::writing() const {
    const std::shared_ptr<const coded::Key> key = keys_->writer();
    return key ? std::optional(key->id) : std::nullopt;
}

}  // namespace belay
