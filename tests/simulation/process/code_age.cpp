#include "simulation/process/code_age.hpp"

#include "simulation/process/code_watch.hpp"

namespace belay::sim {

namespace {

bool answer_at_patch(CodeAge age, const OrchestrationContext& ctx, const std::string& name) {
    if (age == CodeAge::before_patches) return false;
    if (age == CodeAge::patches_retired) {
        ctx.retire_patch(name);
        return true;
    }
    return age == CodeAge::patches_removed || ctx.patched(name);
}

}  // namespace

std::string_view to_string(CodeAge age) {
    switch (age) {
        case CodeAge::before_patches: return "from before the patches";
        case CodeAge::with_patches: return "with patches";
        case CodeAge::patches_retired: return "with its patches retired";
        case CodeAge::patches_removed: return "with its patches removed";
        case CodeAge::broken: return "broken";
    }
    return "of no time";
}

bool PatchAnswers::ask(const OrchestrationContext& ctx, const std::string& name) {
    const bool taken = answer_at_patch(age_, ctx, name);
    if (!taken && age_ == CodeAge::with_patches) count_in_code(Feature::old_way);
    const auto [first, fresh] = answers_.try_emplace(name, taken);
    expect_of_code(fresh || first->second == taken, "an execution gets one answer at a patch", [&] {
        return ctx.instance_id() + " at " + name;
    });
    return taken;
}

}  // namespace belay::sim
