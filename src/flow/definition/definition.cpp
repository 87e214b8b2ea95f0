#include "flow/definition/definition.hpp"

#include <algorithm>
#include <array>

namespace belay::flow {

std::string_view to_string(ParamType type) noexcept {
    switch (type) {
        case ParamType::string: return "string";
        case ParamType::integer: return "integer";
        case ParamType::number: return "number";
        case ParamType::boolean: return "boolean";
        case ParamType::list: return "list";
        case ParamType::map: return "map";
        case ParamType::any: return "any";
    }
    return "any";
}

std::string_view kind_of(const Action& action) noexcept {
    static constexpr std::array<std::string_view, std::variant_size_v<Action>> kKinds{
        "exec", "script", "http", "sleep", "wait", "approval", "flow", "activity", "set"};
    return kKinds[action.index()];
}

Millis longest_cleanup(const Definition& definition) noexcept {
    Millis longest{0};
    for (const Step& step : definition.steps) {
        if (step.on_cancel) longest = std::max(longest, step.on_cancel->timeout);
    }
    if (!definition.on_cancel.empty()) longest += definition.on_cancel_timeout;
    if (!definition.finally.empty()) longest += definition.finally_timeout;
    return longest;
}

}  // namespace belay::flow
