// What a process keeps of its keys.
#pragma once

#include "base/shared_mutex.hpp"
#include <belay/store/coded.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace belay::coded {

/// Drawn from a key and stored with what it encrypts: tells another key of the same id from damage.
inline constexpr std::size_t kCheckBytes = 8;
using KeyCheck = std::array<std::uint8_t, kCheckBytes>;

/// What is made of a key. The key itself is not kept.
struct Key {
    Key() = default;
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;
    ~Key();

    KeyId id = 0;
    std::array<std::uint8_t, KeyRing::kKeyBytes> secret{};
    KeyCheck check{};
};

/// The id of the key that encrypted these bytes, as they say.
[[nodiscard]] std::optional<KeyId> key_of(std::string_view encrypted);

/// Throws std::runtime_error if the library cannot be used.
void use_sodium();

}  // namespace belay::coded

namespace belay {

struct KeyRing::Keys {
    [[nodiscard]] std::shared_ptr<const coded::Key> find(KeyId id) const;
    /// None: it is empty.
    [[nodiscard]] std::shared_ptr<const coded::Key> writer() const;

    mutable base::SharedMutex mutex;
    std::map<KeyId, std::shared_ptr<const coded::Key>> all BELAY_GUARDED_BY(mutex);
    std::shared_ptr<const coded::Key> writing BELAY_GUARDED_BY(mutex);
};

}  // namespace belay
