// Compares a list of steps of a run with what the plain interpreter says of it.
#pragma once

#include "flow/interpreter/picture.hpp"
#include "simulation/flows/flow_features.hpp"
#include "simulation/flows/plain_flow.hpp"
#include "simulation/world/report.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace belay::sim {

/// True if it was canceled by itself. For its list it has failed.
[[nodiscard]] inline bool is_canceled_alone(const flow::Progress& progress) {
    return progress.status == flow::StepStatus::canceled && progress.failure &&
           progress.failure->kind == FailureKind::canceled;
}

/// True if its list ended before it did.
[[nodiscard]] inline bool is_canceled(const flow::Progress& progress) {
    return progress.status == flow::StepStatus::canceled && !is_canceled_alone(progress);
}

/// How a list of steps has ended, by the states of its steps.
struct ListSummary {
    std::optional<std::size_t> ender{};  ///< The step that failed the list, or ended it early.
    bool any_canceled = false;
};

/// Some order of events leads to the picture: each step ended as the plain interpreter says, or was
/// canceled, and no step began before those that it begins after.
class ListCheck {
public:
    ListCheck(Violations& violations,
              FlowCounts& counts,
              std::string run,
              const std::vector<flow::Step>& steps,
              const flow::ListPicture& picture,
              PlainList& plain);

    [[nodiscard]] ListSummary check();

private:
    void check_step(std::size_t step);
    void check_order(std::size_t step);
    void check_canceled(std::size_t step);
    void check_end(const flow::Progress& progress, const PlainEnd& end, const std::string& place);
    void check_items(std::size_t step, const PlainEnd& end);
    void check_map_failure(std::size_t step, const PlainEnd& end);
    void count_step(std::size_t step, const PlainEnd& end);
    void count_kind(const flow::Step& step, const PlainEnd& end);
    void count_sub_flow(const flow::Progress& progress, const PlainEnd& end);
    [[nodiscard]] std::string place(std::size_t step) const { return run_ + " " + steps_[step].id; }
    void expect(bool holds, const char* invariant, const std::string& detail) {
        violations_.expect(holds, invariant, detail);
    }

    Violations& violations_;
    FlowCounts& counts_;
    std::string run_;
    const std::vector<flow::Step>& steps_;
    const flow::ListPicture& picture_;
    PlainList& plain_;
    ListSummary summary_;
};

}  // namespace belay::sim
