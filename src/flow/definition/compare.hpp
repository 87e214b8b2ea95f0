// The differences between two definitions of a flow.
#pragma once

#include "flow/definition/bundle.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay::flow {

enum class ChangeKind : std::uint8_t { added, removed, changed };

[[nodiscard]] std::string_view to_string(ChangeKind kind) noexcept;

/// A difference: a step, a param, or another part.
struct FlowChange {
    std::string flow;
    ChangeKind kind = ChangeKind::changed;
    /// "step", "on_fail step", "param", "secret", "field", or "flow" for a whole definition.
    std::string what;
    std::string name;
    std::vector<std::string> fields{};  ///< changed: of a step or a param.

    friend bool operator==(const FlowChange&, const FlowChange&) = default;
};

/// Compares two texts, which must be definitions. The layout, comments, and the order of fields
/// make no difference. The order of steps is the field "steps".
[[nodiscard]] std::vector<FlowChange> compare_definitions(const std::string& flow,
                                                          std::string_view before,
                                                          std::string_view after);

/// Compares all definitions of two bundles: first the main one, then those that it starts.
[[nodiscard]] std::vector<FlowChange> compare_bundles(const Bundle& before, const Bundle& after);

}  // namespace belay::flow
