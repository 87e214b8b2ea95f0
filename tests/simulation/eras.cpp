#include "simulation/eras.hpp"

#include "simulation/code_watch.hpp"

namespace belay::sim {

namespace {

bool answer_at_patch(Era era, const OrchestrationContext& ctx, const std::string& name) {
    if (era == Era::before_patches) return false;
    if (era == Era::patches_retired) {
        ctx.retire_patch(name);
        return true;
    }
    return era == Era::patches_removed || ctx.patched(name);
}

}  // namespace

std::string_view to_string(Era era) {
    switch (era) {
        case Era::before_patches: return "from before the patches";
        case Era::with_patches: return "with patches";
        case Era::patches_retired: return "with its patches retired";
        case Era::patches_removed: return "with its patches removed";
        case Era::broken: return "broken";
    }
    return "of no time";
}

bool PatchAnswers::ask(const OrchestrationContext& ctx, const std::string& name) {
    const bool taken = answer_at_patch(era_, ctx, name);
    if (!taken && era_ == Era::with_patches) count_in_code(Feature::old_way);
    const auto [first, fresh] = answers_.try_emplace(name, taken);
    expect_of_code(fresh || first->second == taken, "an execution gets one answer at a patch", [&] {
        return ctx.instance_id() + " at " + name;
    });
    return taken;
}

}  // namespace belay::sim
