// The output of activities: text that they write for people while they run.
#pragma once

#include <cstdint>
#include <string_view>

namespace belay {

/// A stream of an attempt, as a program has them. Stored as these integers for ever.
enum class OutputStream : std::uint8_t {
    out = 1,
    err = 2,
};

/// Its name, for people: "out".
[[nodiscard]] constexpr std::string_view to_string(OutputStream stream) noexcept {
    return stream == OutputStream::err ? "err" : "out";
}

}  // namespace belay
