// The tree of a YAML or JSON document.
#pragma once

#include "base/place.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay::yaml {

using base::Place;

enum class Kind : std::uint8_t { null, boolean, integer, real, text, list, map };

/// Returns "a number", "a list" and so on, for errors.
[[nodiscard]] std::string_view to_string(Kind kind) noexcept;

/// The key of an entry of a map.
struct Key {
    std::string name;
    Place place;
};

struct Value {
    Kind kind = Kind::null;
    Place place;
    bool truth = false;        ///< boolean
    std::int64_t integer = 0;  ///< integer
    double real = 0;           ///< real
    /// text: the content. Other scalars: as they are written.
    std::string text{};
    /// text: true if it stands without quotes on one line, so that places in it can be told.
    bool plain = false;
    std::vector<Value> items{};  ///< list, map
    std::vector<Key> keys{};     ///< map: of the items; no name is there twice

    /// Returns the value of a key of a map, or nullptr.
    [[nodiscard]] const Value* find(std::string_view name) const noexcept;
};

}  // namespace belay::yaml
