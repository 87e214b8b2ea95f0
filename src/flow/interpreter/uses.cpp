#include "flow/interpreter/uses.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace belay::flow {

namespace {

using expr::Node;

bool is_name(const Node& node, std::string_view name) {
    return node.kind == Node::Kind::name && node.name == name;
}

/// Returns the name in `steps.dump` and `steps["dump"]`, for a variable like `steps`.
std::optional<std::string_view> member_in(const Node& node, std::string_view variable) {
    if (node.children.empty() || !is_name(*node.children[0], variable)) return std::nullopt;
    if (node.kind == Node::Kind::field || node.kind == Node::Kind::has_field) return node.name;
    if (node.kind != Node::Kind::index) return std::nullopt;
    const Node& key = *node.children[1];
    const bool is_text = key.kind == Node::Kind::literal && key.value.is(expr::Kind::text);
    return is_text ? std::optional<std::string_view>(key.value.text()) : std::nullopt;
}

std::optional<std::string_view> step_in(const Node& node) { return member_in(node, "steps"); }

/// Returns the names in `steps.dump.failed`, for a field that is not the output.
std::optional<std::string_view> step_without_output(const Node& node) {
    const bool is_field = node.kind == Node::Kind::field || node.kind == Node::Kind::has_field;
    if (!is_field || node.name == "output") return std::nullopt;
    return step_in(*node.children[0]);
}

void visit(const Node& node, Uses& uses) {
    if (const auto step = step_without_output(node)) {
        uses.steps.emplace(*step);
        return;
    }
    if (const auto step = step_in(node)) {
        uses.steps.emplace(*step);
        uses.outputs.emplace(*step);
        return;
    }
    if (const auto param = member_in(node, "params")) {
        uses.params.emplace(*param);
        return;
    }
    if (is_name(node, "steps")) uses.all = true;
    if (is_name(node, "params")) uses.all_params = true;
    if (node.kind == Node::Kind::name) uses.names.insert(node.name);
    for (const auto& child : node.children) visit(*child, uses);
}

void add_named(const std::vector<std::pair<std::string, Form>>& forms, Uses& uses) {
    for (const auto& [name, form] : forms) add_uses(form, uses);
}

void add_all(const std::optional<CodeArguments>& args, Uses& uses) {
    if (!args) return;
    for (const Form& form : args->values) add_uses(form, uses);
}

void add_optional(const std::optional<Form>& form, Uses& uses) {
    if (form) add_uses(*form, uses);
}

class ActionUses {
public:
    explicit ActionUses(Uses& uses) noexcept : uses_(uses) {}

    void operator()(const Exec& exec) const {
        for (const Form& part : exec.program) add_uses(part, uses_);
    }
    void operator()(const Http& http) const {
        add_uses(http.url, uses_);
        add_named(http.headers, uses_);
        add_optional(http.json, uses_);
        add_optional(http.body, uses_);
    }
    void operator()(const Sleep& sleep) const { add_uses(sleep.duration, uses_); }
    void operator()(const Approval& approval) const { add_uses(approval.prompt, uses_); }
    void operator()(const Set& set) const { add_uses(set.value, uses_); }
    void operator()(const auto& /*without_forms*/) const {}

private:
    Uses& uses_;
};

}  // namespace

void add_uses(const expr::Program& program, Uses& uses) { visit(program.root(), uses); }

void add_uses(const Form& form, Uses& uses) {
    if (const expr::Template* const text = form.text()) {
        for (const expr::Program& program : text->expressions()) add_uses(program, uses);
    } else if (const Form::Items* const items = form.items()) {
        for (const Form& item : *items) add_uses(item, uses);
    } else if (const Form::Fields* const fields = form.fields()) {
        add_named(*fields, uses);
    }
}

void add_uses(const Step& step, Uses& uses) {
    add_item_uses(step, uses);
    if (step.condition) add_uses(*step.condition, uses);
    if (step.map) add_uses(step.map->over, uses);
    if (step.end_flow) add_uses(*step.end_flow, uses);
}

void add_item_uses(const Step& step, Uses& uses) {
    std::visit(ActionUses(uses), step.action);
    add_named(step.with, uses);
    add_all(step.args, uses);
    add_named(step.env, uses);
    add_optional(step.dir, uses);
    add_optional(step.input, uses);
    add_optional(step.limit_key, uses);
    if (step.on_cancel) {
        std::visit(ActionUses(uses), step.on_cancel->action);
        add_named(step.on_cancel->env, uses);
        add_named(step.on_cancel->with, uses);
        add_optional(step.on_cancel->dir, uses);
        add_all(step.on_cancel->args, uses);
    }
}

}  // namespace belay::flow
