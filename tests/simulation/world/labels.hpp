// The labels of runs that operators start.
#pragma once

#include <belay/message.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

inline constexpr const char* kGroup = "group";
/// The label of a child that says whose it is.
inline constexpr const char* kOf = "of";

/// The values of that label: alike, and yet not the same.
[[nodiscard]] inline std::vector<LabelValue> groups() {
    return {LabelValue(std::string("1")), LabelValue(std::int64_t{1}), LabelValue(true)};
}

/// The one that an operator gives to a run under this id, if any. It is always the same, so a check
/// knows whether a run should be found.
[[nodiscard]] inline std::optional<LabelValue> group_of(const std::string& id) {
    const std::vector<LabelValue> values = groups();
    const std::size_t one = static_cast<unsigned char>(id.back()) % (values.size() + 1);
    return one < values.size() ? std::optional(values[one]) : std::nullopt;
}

}  // namespace belay::sim
