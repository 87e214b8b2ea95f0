// Versions of the code of orchestrations.
#pragma once

#include <compare>
#include <string_view>

namespace belay {

/// Compares two versions; the newer one is greater. Compares part by part, divided by dots: numbers
/// by their value, other text letter by letter and before any number; a missing part is 0. So 1.9 <
/// 1.10 < 2 = 2.0, and 2.rc < 2.
[[nodiscard]] std::strong_ordering compare_versions(std::string_view one, std::string_view other);

}  // namespace belay
