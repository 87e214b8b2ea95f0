// The paths of steps through sub-flows: "dump", "dump[17]", "deploy/push".
#pragma once

#include "flow/definition/bundle.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belay::flow {

/// A step of a flow that a bundle has.
struct FoundStep {
    const Definition* flow = nullptr;
    const Step* step = nullptr;
    std::optional<std::uint64_t> item{};
    /// The id of the run that has the step, below that of the root: "" or "/deploy".
    std::string run{};
    bool is_on_fail = false;  ///< It belongs to the handler of failures of that run.
};

/// A run, as its id tells.
struct FoundRun {
    const Definition* flow = nullptr;
    std::string prefix{};       ///< Before the paths of its steps: "" or "deploy/".
    std::string path{};         ///< Of the step that it is the work of: "deploy"; empty: none.
    std::uint32_t attempt = 1;  ///< At that step.
};

/// Refers to a bundle.
class StepPaths {
public:
    explicit StepPaths(const Bundle& bundle) : bundle_(&bundle) {}

    [[nodiscard]] std::optional<FoundStep> find(std::string_view path) const;
    /// Returns what is wrong with a path; empty: nothing.
    [[nodiscard]] std::string problem_of(std::string_view path) const;
    /// Returns the run of this id, whose root has the id `root`. None for a shortened id.
    [[nodiscard]] std::optional<FoundRun> run_of(std::string_view root, std::string_view id) const;

private:
    const Bundle* bundle_;
};

/// Returns "dump", or "dump[17]".
[[nodiscard]] std::string step_name(std::string_view step, std::optional<std::uint64_t> item);

}  // namespace belay::flow
