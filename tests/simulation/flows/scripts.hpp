// The activities of random flows: each attempt ends as the seed says.
#pragma once

#include "expr/value.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace belay::sim {

inline constexpr const char* kSureActivity = "sure";    ///< Completes.
inline constexpr const char* kFlakyActivity = "flaky";  ///< Fails once or twice, then completes.
inline constexpr const char* kShakyActivity = "shaky";  ///< Fails at any attempt, perhaps for good.
inline constexpr const char* kDoomedActivity = "doomed";  ///< Fails.
inline constexpr const char* kUndoActivity = "undo";      ///< Completes: `on_cancel` of a step.
inline constexpr std::array<const char*, 5> kFlowActivities = {
    kSureActivity, kFlakyActivity, kShakyActivity, kDoomedActivity, kUndoActivity};

/// The type of failures that scripts give.
inline constexpr const char* kScriptedFailure = "scripted";

/// The end of an attempt.
enum class Scripted : std::uint8_t { completes, fails, fails_for_good };

/// Tells how an attempt ends: a pure function of the seed, the place and the attempt. Handlers and
/// the plain interpreter ask the same script.
class Scripts {
public:
    explicit Scripts(std::uint64_t seed) noexcept : seed_(seed) {}

    /// `key`: `step.key` of the step or item. `attempt`: as its retry policy counts.
    [[nodiscard]] Scripted end_of(std::string_view activity,
                                  std::string_view key,
                                  std::uint32_t attempt) const;
    /// Returns the result: `{"key": ..., "n": a number from 0 to 9, "list": [...]}`. It depends on
    /// the whole input.
    [[nodiscard]] expr::Value result_of(const expr::Value& input) const;
    /// Returns the message of a failure.
    [[nodiscard]] static std::string message_of(std::string_view key, std::uint32_t attempt);

private:
    std::uint64_t seed_;
};

/// Returns the value as JSON.
[[nodiscard]] std::string json_of(const expr::Value& value);
/// Returns the text under `name`; empty if there is none.
[[nodiscard]] std::string text_in(const expr::Value& map, std::string_view name);

}  // namespace belay::sim
