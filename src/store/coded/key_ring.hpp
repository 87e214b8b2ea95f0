// The keys that a process keeps.
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

/// Derived from a key and stored with the data that it encrypts. It tells another key of the same
/// id from damage.
inline constexpr std::size_t kCheckBytes = 8;
using KeyCheck = std::array<std::uint8_t, kCheckBytes>;

/// The values derived from a key. The key itself is not kept.
struct Key {
    Key() = default;
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;
    ~Key();

    KeyId id = 0;
    std::array<std::uint8_t, KeyRing::kKeyBytes> secret{};
    KeyCheck check{};
};

/// Returns the id of the key that encrypted these bytes, as it is stored in them.
[[nodiscard]] std::optional<KeyId> key_of(std::string_view encrypted);

/// Throws std::runtime_error if the library cannot be used.
void use_sodium();

}  // namespace belay::coded

namespace belay {

struct KeyRing::Keys {
    [[nodiscard]] std::shared_ptr<const coded::Key> find(KeyId id) const;
    /// Returns none if the ring is empty.
    [[nodiscard]] std::shared_ptr<const coded::Key> writer() const;

    mutable base::SharedMutex mutex;
    std::map<KeyId, std::shared_ptr<const coded::Key>> all BELAY_GUARDED_BY(mutex);
    std::shared_ptr<const coded::Key> writing BELAY_GUARDED_BY(mutex);
};

}  // namespace belay
