// The orchestrations of which histories were recorded. They stay as they are: a change here makes
// every recorded history useless. A new scenario is a new orchestration.
#pragma once

#include <belay/orchestration.hpp>
#include <belay/registry.hpp>

#include <filesystem>
#include <string>

namespace belay::histories {

inline constexpr Activity<std::string(std::string, int)> Charge{"Charge"};
inline constexpr Activity<void(std::string)> Refund{"Refund"};
inline constexpr Activity<int(int)> Square{"Square"};

inline constexpr Definition<std::string(std::string)> Order{"Order"};
inline constexpr Definition<void(std::string)> Saga{"Saga"};
inline constexpr Definition<std::string()> Approval{"Approval"};
inline constexpr Definition<int(int)> FanOut{"FanOut"};
inline constexpr Definition<int(int)> Part{"Part"};
inline constexpr Definition<int(int, int)> Sums{"Sums"};
inline constexpr Definition<void()> Cleanup{"Cleanup"};
inline constexpr Definition<std::string(std::string)> Notes{"Notes"};
inline constexpr Definition<std::string(std::string, int)> Terms{"Terms"};
inline constexpr Definition<std::string(std::string)> Retired{"Retired"};

/// Where they are.
[[nodiscard]] std::filesystem::path recorded_histories();

/// All of them.
[[nodiscard]] Registry code();

}  // namespace belay::histories
