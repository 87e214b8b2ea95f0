// Goes on with runs of flows that failed or were canceled. Link belay::flow.
//
//     auto run = belay::resume_flow(client, "backup-7", belay::FlowResume().step("dump[3]"));
#pragma once

#include <belay/client.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// The steps to run again, and the definition to run them by. Chained setters.
class FlowResume {
public:
    FlowResume() = default;

    /// Runs this step again, and those behind it; called several times, each of these. `dump[3]` is
    /// an item of a map, `sub/inner` a step of the flow that `sub` starts. Default: the steps that
    /// have not completed, which run again in any case.
    FlowResume& step(std::string place) {
        steps_.push_back(std::move(place));
        return *this;
    }
    /// A corrected definition, in YAML or JSON. Default: that of the run.
    FlowResume& definition(std::string text) {
        definition_ = std::move(text);
        return *this;
    }
    /// The definition of a flow that the corrected one starts.
    FlowResume& sub_flow(std::string name, std::string text) {
        sub_flows_.insert_or_assign(std::move(name), std::move(text));
        return *this;
    }
    /// The same for a flow in C++, with the flows that it starts.
    template <class R, class... Params>
    FlowResume& definition(const Flow<R(Params...)>& flow) {
        sub_flows_ = flow.draft()->texts();
        return definition(flow.json());
    }

    [[nodiscard]] const std::vector<std::string>& steps() const noexcept { return steps_; }
    [[nodiscard]] const std::string& definition() const noexcept { return definition_; }
    [[nodiscard]] const std::map<std::string, std::string>& sub_flows() const noexcept {
        return sub_flows_;
    }

private:
    std::vector<std::string> steps_;
    std::string definition_;
    std::map<std::string, std::string> sub_flows_;
};

/// The plan of a resumed run. Steps are named as FlowResume names them.
struct FlowResumePlan {
    std::vector<std::string> kept;   ///< Steps whose results are kept.
    std::vector<std::string> again;  ///< Steps that run again, or for the first time.
    std::uint64_t kept_items = 0;    ///< Items that are kept of maps that run again otherwise.
};

/// Starts a new run that keeps the results of steps of this one, which must have settled. The label
/// kResumeLabel names the old run. If it is being resumed already, that run is returned. Errors:
/// `not_found`; `still_running`; `has_parent`: resume its root; `invalid_argument` for a run of no
/// flow, an unknown step, a run without anything to resume, mistakes in the definition, and a
/// corrected definition that a finished step does not fit: the message names the step.
/// `limit_exceeded` if the results do not fit into Limits::run_document_bytes. The options have no
/// input and no document.
[[nodiscard]] Result<StartResult> resume_flow(Client& client,
                                              const InstanceAddress& name,
                                              const FlowResume& wish = FlowResume(),
                                              const RerunOptions& options = RerunOptions());
/// Returns what `resume_flow` would do now. Writes nothing.
[[nodiscard]] Result<FlowResumePlan> preview_resume_flow(Client& client,
                                                         const InstanceAddress& name,
                                                         const FlowResume& wish = FlowResume());
/// Resumes each of these runs, which Client::find_ended has found. Goes on after an error.
RerunManyResult resume_flows(Client& client,
                             const EndedRuns& runs,
                             const FlowResume& wish = FlowResume(),
                             const RerunOptions& options = RerunOptions());

}  // namespace belay
