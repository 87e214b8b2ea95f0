// Runs of flows and of a schedule, as they are recorded. A recording of a flow has its definition.
#pragma once

#include <map>
#include <string>

namespace belay::histories {

/// Adds the exports of today, by the names of the scenarios: all begin with "flow-".
void record_flows(std::map<std::string, std::string>& recorded);
/// Adds the export of a schedule that has started a run and was changed: "schedule".
void record_schedule(std::map<std::string, std::string>& recorded);

/// Returns the state of each step and item in the export of a flow, a line each:
/// "steps dump[3] failed, 2 attempts". Throws std::runtime_error if it cannot be drawn.
[[nodiscard]] std::string states_of(const std::string& exported);

}  // namespace belay::histories
