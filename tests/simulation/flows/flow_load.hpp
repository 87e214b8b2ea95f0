// Flows as the work of a world: random definitions, their runs, and those who start, cancel and
// signal them.
#pragma once

#include "flow/definition/bundle.hpp"
#include "simulation/clients/operators.hpp"
#include "simulation/flows/flow_features.hpp"
#include "simulation/flows/scripts.hpp"
#include "simulation/store/true_store.hpp"
#include "simulation/world/rng.hpp"
#include <belay/executor.hpp>
#include <belay/registry.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace belay::sim {

/// Each run that operators start has a document of its own, with the same names of flows. So a
/// worker that took the definition of another run would be found.
class FlowLoad {
public:
    FlowLoad(std::uint64_t seed, Violations& violations, TrueStore& true_store, Trace& trace);

    /// Registers the interpreter and the activities of steps. Some processes lack a part.
    void register_code(Registry& registry, bool interprets, bool cleans_up);
    /// A handler is about to begin.
    void note_begin(const ActivityTask& task);

    /// Starts a run.
    void start_fresh(Operators& operators);
    /// One random operation on runs of flows.
    void act(Operators& operators);
    /// Sends each run the events that it waits for.
    void send_awaited(Operators& operators);
    [[nodiscard]] std::size_t started() const noexcept { return bundles_.size(); }

    /// Checks all runs. All must have ended.
    void check_end();
    [[nodiscard]] const FlowCounts& counts() const noexcept { return counts_; }

private:
    [[nodiscard]] Payload work(const ActivityContext& context, const Payload& input);
    /// Events that runs wait for, or will, by the id of the run.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> expected_events();
    [[nodiscard]] std::vector<std::string> ids_under_way(bool roots);
    [[nodiscard]] const flow::Bundle& bundle_of(const std::string& id) const;

    Rng rng_;
    Scripts scripts_;
    Violations& violations_;
    TrueStore& true_store_;
    Trace& trace_;
    FlowCounts counts_;
    std::map<std::string, flow::Bundle> bundles_;    ///< By the id of a run that operators started.
    std::map<std::string, std::uint32_t> attempts_;  ///< Of handlers, by worker and call.
};

}  // namespace belay::sim
