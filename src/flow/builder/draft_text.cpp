// The text of a definition.
#include "flow/builder/draft_state.hpp"
#include "flow/definition/code_type.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <array>

namespace belay::detail {

namespace {

using flow::CodeType;

/// By FlowPart.
constexpr std::array<const char*, 4> kParts{"steps", "on_fail", "on_cancel", "finally"};
/// Members nested less deep stand on lines of their own, so that problems have places.
constexpr int kBroken = 3;

/// Returns the type of a param of definitions.
const char* param_type(const CodeType& type) {
    switch (type.kind()) {
        case CodeType::Kind::string: return "string";
        case CodeType::Kind::integer: return "integer";
        case CodeType::Kind::number: return "number";
        case CodeType::Kind::boolean: return "boolean";
        case CodeType::Kind::list: return "list";
        case CodeType::Kind::optional: return param_type(type.of());
        case CodeType::Kind::json: break;
    }
    return "any";
}

const DraftStep* find(const std::vector<DraftStep>& steps, const std::string& id) {
    const auto found = std::ranges::find(steps, id, &DraftStep::id);
    return found == steps.end() ? nullptr : &*found;
}

/// Writes the names of steps of the same list. Those of other lists have ended before anyway.
void write_names(json::Writer& out,
                 const char* field,
                 const std::vector<DraftStep>& steps,
                 FlowPart part,
                 const std::vector<std::string>& names) {
    std::vector<std::string> here;
    for (const std::string& name : names) {
        const DraftStep* const step = find(steps, name);
        if (step != nullptr && step->part == part) here.push_back(name);
    }
    if (here.empty()) return;
    out.key(field).open_array();
    for (const std::string& name : here) out.text(name);
    out.close_array();
}

std::string kind_value(const DraftStep& step) {
    if (step.inside.empty() && step.questions.empty()) return step.value;
    std::string value = step.value;
    value.pop_back();  // Of an object, its closing brace.
    const auto add = [&](const std::string& name, const std::string& json) {
        if (!value.ends_with('{')) value += ',';
        value.append(plain_text(name)).append(":").append(json);
    };
    for (const auto& [name, json] : step.inside.all()) add(name, json);
    if (!step.questions.empty()) add("input", step.questions.object());
    return value += '}';
}

void write_step(json::Writer& out, const DraftStep& step, const std::vector<DraftStep>& steps) {
    out.open_object().field("id", step.id);
    write_names(out, "needs", steps, step.part, step.needs);
    std::vector<std::string> after = step.after;
    std::erase_if(after, [&](const std::string& name) {
        return std::ranges::find(step.needs, name) != step.needs.end();
    });
    write_names(out, "after", steps, step.part, after);
    out.key(step.kind).raw(kind_value(step));
    if (!step.variables.empty()) out.key("env").raw(step.variables.object());
    for (const auto& [name, json] : step.fields.all()) out.key(name).raw(json);
    out.close_object();
}

}  // namespace

std::string FlowDraft::param_json(const std::string& type) {
    const CodeType code = CodeType::parse(type).value_or(CodeType());
    const bool is_optional = code.kind() == CodeType::Kind::optional;
    const CodeType& value = is_optional ? code.of() : code;
    json::Writer out;
    out.open_object().field("type", param_type(code));
    if (value.kind() == CodeType::Kind::list) out.field("of", param_type(value.of()));
    if (is_optional) out.field("required", false);
    out.close_object();
    return out.str();
}

std::string FlowDraft::text() const {
    json::Writer out(kBroken);
    out.open_object().field("belay", 1).field("name", state_->name);
    for (const auto& [name, json] : state_->fields.all()) out.key(name).raw(json);
    if (!state_->params.empty()) {
        out.key("params").open_object();
        for (const FlowParam& param : state_->params) {
            out.key(param.name).raw(param_json(param.type));
        }
        out.close_object();
    }
    if (!state_->labels.empty()) out.key("labels").raw(state_->labels.object());
    for (std::size_t part = 0; part < kParts.size(); ++part) {
        const auto is_here = [&](const DraftStep& step) {
            return step.part == static_cast<FlowPart>(part);
        };
        if (std::ranges::none_of(state_->steps, is_here)) continue;
        out.key(kParts[part]).open_array();
        for (const DraftStep& step : state_->steps) {
            if (is_here(step)) write_step(out, step, state_->steps);
        }
        out.close_array();
    }
    if (!state_->output.empty()) {
        out.field("output", state_->output).field("output_type", state_->output_type);
    }
    out.close_object();
    return out.str();
}

}  // namespace belay::detail
