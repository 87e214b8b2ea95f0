// Places in a source text.
#pragma once

#include <cstdint>

namespace belay::base {

/// A place in a text. Both numbers begin with 1; columns count characters, not bytes.
struct Place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;

    friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace belay::base
