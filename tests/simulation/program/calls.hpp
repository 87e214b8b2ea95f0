// The calls of programs: the activity or child, its input, and its terms.
#pragma once

#include "simulation/program/interpreter.hpp"
#include "simulation/program/program.hpp"
#include <belay/orchestration.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::sim {

/// The activity that an argument of a statement names.
[[nodiscard]] const Work& activity_of(const Node& node, std::size_t arg);
/// The input of its call; now and then a long one.
[[nodiscard]] std::string input_of(const Node& node);

/// A plain call; its input begins with `before`.
[[nodiscard]] Call<std::string> call_of(const OrchestrationContext& ctx,
                                        const Node& node,
                                        const std::string& before = std::string());
/// A call with options and a retry policy.
[[nodiscard]] Call<std::string> retried_call(const OrchestrationContext& ctx, const Node& node);
/// True if the policy of such a call makes no further attempt after this failure, however many it
/// has left. Written a second time here, for checks that do not trust the policy.
[[nodiscard]] bool is_final(std::string_view activity, const Failure& failure);

[[nodiscard]] Call<std::string> child_of(const OrchestrationContext& ctx, const Node& node);
[[nodiscard]] Call<std::string> child_with_options(const OrchestrationContext& ctx,
                                                   const Node& node,
                                                   ChildOptions options);
[[nodiscard]] RetryPolicy child_policy_of(const Node& node);
/// As `is_final`.
[[nodiscard]] bool is_final_of_child(std::string_view definition, const Failure& failure);

}  // namespace belay::sim
