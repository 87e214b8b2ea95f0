#include "flow/step_changes.hpp"

#include "expr/value_json.hpp"
#include "flow/definition/params.hpp"
#include "flow/definition/used_names.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <variant>

namespace belay::flow {

namespace {

ResultTexts texts_of(const Bundle& bundle, const std::string& flow) {
    const auto found = bundle.sources.find(flow);
    return found != bundle.sources.end() ? result_texts(found->second) : ResultTexts();
}

std::string json_of(const expr::Map& values, const std::string& name) {
    const expr::Value* const value = values.find(name);
    const auto json = value != nullptr ? expr::to_json(*value) : Result<std::string>("");
    return json ? *json : "";
}

/// Params that a definition refuses are a problem of their own.
std::vector<std::string> changed_params(const Definition& old,
                                        const Definition& now,
                                        const expr::Value& given) {
    std::vector<std::string> changed;
    const auto before = check_params(old, given);
    const auto after = check_params(now, given);
    if (!before || !after) return changed;
    for (const Param& param : now.params) {
        if (json_of(*before, param.name) != json_of(*after, param.name)) {
            changed.push_back(param.name);
        }
    }
    return changed;
}

std::vector<std::string> changed_secrets(const Definition& old, const Definition& now) {
    std::vector<std::string> changed;
    for (const Secret& secret : now.secrets) {
        const auto was = std::ranges::find(old.secrets, secret.name, &Secret::name);
        const bool same =
            was != old.secrets.end() && was->env == secret.env && was->file == secret.file;
        if (!same) changed.push_back(secret.name);
    }
    return changed;
}

/// Returns the first of these names that is used.
std::optional<std::string> first_used(const std::vector<std::string>& names,
                                      const std::set<std::string>& used,
                                      bool all) {
    for (const std::string& name : names) {
        if (all || used.contains(name)) return name;
    }
    return std::nullopt;
}

/// Returns the first flow, of this one and those that it starts, with another result.
std::optional<std::string> changed_flow(const Bundle& old,
                                        const Bundle& now,
                                        const std::string& flow,
                                        std::set<std::string>& seen) {
    if (!seen.insert(flow).second) return std::nullopt;
    if (texts_of(old, flow).flow != texts_of(now, flow).flow) return flow;
    const auto definition = now.flows.find(flow);
    if (definition == now.flows.end()) return std::nullopt;
    for (const Step& step : definition->second.steps) {
        const auto* const sub = std::get_if<SubFlow>(&step.action);
        if (sub == nullptr) continue;
        if (auto changed = changed_flow(old, now, sub->flow, seen)) return changed;
    }
    return std::nullopt;
}

bool runs_a_program(const Step& step) {
    return std::holds_alternative<Exec>(step.action) || std::holds_alternative<Script>(step.action);
}

}  // namespace

StepChanges::StepChanges(const Bundle& old,
                         const Bundle& now,
                         const std::string& flow,
                         const expr::Value& params)
    : old_(old),
      now_(now),
      definition_(now.flows.find(flow)->second),
      old_texts_(texts_of(old, flow)),
      now_texts_(texts_of(now, flow)) {
    const auto was = old.flows.find(flow);
    if (was == old.flows.end()) return;
    params_ = changed_params(was->second, definition_, params);
    secrets_ = changed_secrets(was->second, definition_);
}

std::string StepChanges::of(const Step& step) const {
    const auto was = old_texts_.steps.find(step.id);
    const auto is = now_texts_.steps.find(step.id);
    if (was == old_texts_.steps.end() || is == now_texts_.steps.end()) return "";
    if (was->second != is->second) return "is another one in the definition now";
    const std::string other = " is another one now";
    if (runs_a_program(step) && old_texts_.env != now_texts_.env) {
        return "the \"env\" of the flow" + other;
    }
    const UsedNames used = used_names(step, definition_.env);
    if (const auto name = first_used(params_, used.params, used.all_params)) {
        return "the value of the param '" + *name + "'" + other;
    }
    if (const auto name = first_used(secrets_, used.secrets, used.all_secrets)) {
        return "the place of the secret '" + *name + "'" + other;
    }
    const auto* const sub = std::get_if<SubFlow>(&step.action);
    std::set<std::string> seen;
    const auto flow = sub ? changed_flow(old_, now_, sub->flow, seen) : std::nullopt;
    return flow ? "the definition of the flow '" + *flow + "'" + other : "";
}

}  // namespace belay::flow
