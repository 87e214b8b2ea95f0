// The public face of resumed runs of flows.
#include "flow/checks.hpp"
#include "flow/interpreter/values.hpp"
#include "flow/resume.hpp"
#include <belay/flow/resume.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belay {

namespace {

Result<flow::ResumeWish> wish_of(const InstanceAddress& name, const FlowResume& wish) {
    flow::ResumeWish read{name, wish.steps(), {}};
    if (wish.definition().empty()) return read;
    const auto find = [&wish](std::string_view wanted) -> std::optional<std::string> {
        const auto found = wish.sub_flows().find(std::string(wanted));
        if (found == wish.sub_flows().end()) return std::nullopt;
        return found->second;
    };
    auto bundle = flow::read_bundle(wish.definition(), find, flow::with_all_checks());
    if (!bundle) {
        return Error(Errc::invalid_argument,
                     "the corrected definition has mistakes: " + flow::described(bundle.error()));
    }
    read.corrected = *std::move(bundle);
    return read;
}

Result<flow::ResumePlan> plan_of(Client& client,
                                 const InstanceAddress& name,
                                 const FlowResume& wish) {
    const Result<flow::ResumeWish> read = wish_of(name, wish);
    if (!read) return read.error();
    return flow::plan_resume(client, *read);
}

}  // namespace

Result<StartResult> resume_flow(Client& client,
                                const InstanceAddress& name,
                                const FlowResume& wish,
                                const RerunOptions& options) {
    const Result<flow::ResumePlan> plan = plan_of(client, name, wish);
    if (!plan) return plan.error();
    return flow::resume(client, *plan, options);
}

Result<FlowResumePlan> preview_resume_flow(Client& client,
                                           const InstanceAddress& name,
                                           const FlowResume& wish) {
    Result<flow::ResumePlan> plan = plan_of(client, name, wish);
    if (!plan) return plan.error();
    return FlowResumePlan{std::move(plan->kept), std::move(plan->again), plan->kept_items};
}

RerunManyResult resume_flows(Client& client,
                             const EndedRuns& runs,
                             const FlowResume& wish,
                             const RerunOptions& options) {
    return client.rerun_many(runs, [&](const InstanceInfo& run) {
        return resume_flow(client, InstanceAddress(run.name, run.run), wish, options);
    });
}

}  // namespace belay
