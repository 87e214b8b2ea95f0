#include "flow/interpreter/plan.hpp"

#include "flow/interpreter/uses.hpp"
#include <belay/detail/assert.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace belay::flow {

const std::vector<Step>& steps_of(const Definition& definition, ListName list) {
    switch (list) {
        case ListName::steps: return definition.steps;
        case ListName::on_fail: return definition.on_fail;
        case ListName::on_cancel: return definition.on_cancel;
        case ListName::finally: break;
    }
    return definition.finally;
}

namespace {

/// The uses of one step, and of the variables of every exec and script step.
Uses uses_of(const Definition& definition, const Step& step) {
    Uses uses;
    add_uses(step, uses);
    for (const auto& [name, form] : definition.env) add_uses(form, uses);
    return uses;
}

Uses uses_of_items(const Definition& definition, const Step& step) {
    Uses uses;
    add_item_uses(step, uses);
    for (const auto& [name, form] : definition.env) add_uses(form, uses);
    return uses;
}

PlannedList planned_list(const Definition& definition, ListName name) {
    PlannedList list;
    list.name = name;
    list.steps = &steps_of(definition, name);
    list.planned.resize(list.steps->size());
    for (std::size_t i = 0; i < list.planned.size(); ++i) {
        const Step& step = (*list.steps)[i];
        PlannedStep& planned = list.planned[i];
        // A step may be named twice, in `needs` and in `after`. It ends once.
        std::vector<std::size_t> before = step.needs;
        before.insert(before.end(), step.after.begin(), step.after.end());
        std::ranges::sort(before);
        before.erase(std::ranges::unique(before).begin(), before.end());
        planned.awaited = before.size();
        for (const std::size_t other : before) list.planned.at(other).dependents.push_back(i);
        const Uses uses = uses_of(definition, step);
        planned.reads.assign(uses.steps.begin(), uses.steps.end());
        planned.reads_all = uses.all;
        if (step.map) planned.of_items = uses_of_items(definition, step);
    }
    for (std::size_t i = 0; i < list.planned.size(); ++i) {
        if (list.planned[i].dependents.empty()) list.last.push_back(i);
    }
    return list;
}

}  // namespace

std::string_view to_string(ListName list) noexcept {
    static constexpr std::array<std::string_view, 4> kNames{
        "steps", "on_fail", "on_cancel", "finally"};
    return kNames[static_cast<std::size_t>(list)];
}

Plan::Plan(std::shared_ptr<const Definition> definition) : definition_(std::move(definition)) {
    for (const ListName name : kListNames) lists_.push_back(planned_list(*definition_, name));
    mark_used_outputs();
}

const PlannedList& Plan::list(ListName name) const {
    return lists_[static_cast<std::size_t>(name)];
}

std::optional<ListName> list_named(std::string_view name) noexcept {
    const auto found =
        std::ranges::find(kListNames, name, [](ListName list) { return to_string(list); });
    if (found == kListNames.end()) return std::nullopt;
    return *found;
}

std::optional<std::size_t> Plan::find(ListName list, std::string_view step) const noexcept {
    const std::vector<Step>& steps = steps_of(*definition_, list);
    const auto found = std::ranges::find(steps, step, &Step::id);
    if (found == steps.end()) return std::nullopt;
    return static_cast<std::size_t>(found - steps.begin());
}

void Plan::mark_used_outputs() {
    Uses uses;
    if (definition_->output) add_uses(*definition_->output, uses);
    for (const auto& [name, form] : definition_->env) add_uses(form, uses);
    for (const PlannedList& list : lists_) {
        for (const Step& step : *list.steps) add_uses(step, uses);
    }
    for (PlannedList& list : lists_) {
        for (std::size_t i = 0; i < list.planned.size(); ++i) {
            PlannedStep& planned = list.planned[i];
            const bool is_last = !definition_->output && planned.dependents.empty();
            const bool ends_flow = (*list.steps)[i].end_flow.has_value();
            planned.output_is_used =
                uses.all || is_last || ends_flow || uses.outputs.contains((*list.steps)[i].id);
        }
    }
}

bool cleans_up(const Definition& definition) noexcept {
    const auto has_cleanup = [](const Step& step) { return step.on_cancel.has_value(); };
    return !definition.finally.empty() || !definition.on_cancel.empty() ||
           std::ranges::any_of(definition.steps, has_cleanup) ||
           std::ranges::any_of(definition.on_fail, has_cleanup);
}

}  // namespace belay::flow
