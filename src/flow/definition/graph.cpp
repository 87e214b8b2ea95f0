#include "flow/definition/graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace belay::flow {

namespace {

void add_all(std::vector<bool>& to, const std::vector<bool>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i]) to[i] = true;
    }
}

/// True if time that has passed skips the step.
bool may_time_out_to_skip(const Step& step) {
    if (const auto* wait = std::get_if<Wait>(&step.action)) {
        return wait->on_timeout == OnTimeout::skip;
    }
    const auto* approval = std::get_if<Approval>(&step.action);
    return approval != nullptr && approval->on_timeout == OnTimeout::skip;
}

/// Returns the position behind a step on which it depends and that is not sorted yet.
std::size_t unsorted_before(const Step& step, const std::vector<bool>& sorted) {
    for (const auto* list : {&step.needs, &step.after}) {
        for (const std::size_t one : *list) {
            if (!sorted[one]) return one;
        }
    }
    return sorted.size();
}

}  // namespace

Graph::Graph(const std::vector<Step>& steps)
    : ended_(steps.size(), std::vector<bool>(steps.size())), needed_(ended_), sure_(steps.size()) {
    sort(steps);
    if (order_.size() < steps.size()) find_cycle(steps);
    for (const std::size_t at : order_) {
        const Step& step = steps[at];
        sure_[at] = !step.condition && !step.may_fail && !may_time_out_to_skip(step);
        for (const std::size_t one : step.needs) {
            needed_[at][one] = ended_[at][one] = true;
            add_all(needed_[at], needed_[one]);
            add_all(ended_[at], ended_[one]);
            if (!sure_[one]) sure_[at] = false;
        }
        for (const std::size_t one : step.after) {
            ended_[at][one] = true;
            add_all(ended_[at], ended_[one]);
        }
    }
}

void Graph::sort(const std::vector<Step>& steps) {
    std::vector<std::size_t> open(steps.size());
    std::vector<std::vector<std::size_t>> behind(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        open[i] = steps[i].needs.size() + steps[i].after.size();
        for (const std::size_t one : steps[i].needs) behind[one].push_back(i);
        for (const std::size_t one : steps[i].after) behind[one].push_back(i);
        if (open[i] == 0) order_.push_back(i);
    }
    for (std::size_t next = 0; next < order_.size(); ++next) {
        for (const std::size_t one : behind[order_[next]]) {
            if (--open[one] == 0) order_.push_back(one);
        }
    }
}

void Graph::find_cycle(const std::vector<Step>& steps) {
    std::vector<bool> sorted(steps.size());
    for (const std::size_t one : order_) sorted[one] = true;
    std::size_t at = static_cast<std::size_t>(std::ranges::find(sorted, false) - sorted.begin());
    // Each step that is not sorted waits for another one, so this comes back to where it was.
    std::vector<std::size_t> path;
    while (std::ranges::find(path, at) == path.end()) {
        path.push_back(at);
        at = unsorted_before(steps[at], sorted);
    }
    cycle_.assign(std::ranges::find(path, at), path.end());
}

// ---- Names of steps ----------------------------------------------------------------------------

namespace {

struct StepPosition {
    Part part;
    std::size_t step;
};

using StepPositions = std::map<std::string, StepPosition, std::less<>>;

StepPositions positions_of(Reading& in, Draft& draft) {
    StepPositions found;
    for (const Part part : kParts) {
        const std::vector<Step>& steps = draft.steps(part);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (steps[i].id.empty()) continue;
            if (found.emplace(steps[i].id, StepPosition{part, i}).second) continue;
            in.report(draft.facts_of(part)[i].id,
                      "there is another step " + in_quotes(steps[i].id),
                      "Each step of a definition has its own id");
        }
    }
    return found;
}

void report_unknown(Reading& in, const StepName& name, Part part, const StepPositions& known) {
    const auto found = known.find(name.name);
    if (found != known.end()) {
        in.report(name.place,
                  in_quotes(name.name) + " is a step of " +
                      in_quotes(to_string(found->second.part)) + ", not of " +
                      in_quotes(to_string(part)));
        return;
    }
    std::vector<std::string_view> names;
    for (const auto& [id, position] : known) {
        if (position.part == part) names.emplace_back(id);
    }
    in.report(name.place, "unknown step " + in_quotes(name.name), did_you_mean(name.name, names));
}

void resolve_names(Reading& in,
                   const std::vector<StepName>& names,
                   Part part,
                   const StepPositions& known,
                   std::vector<std::size_t>& out) {
    for (const StepName& name : names) {
        const auto found = known.find(name.name);
        if (found != known.end() && found->second.part == part) {
            out.push_back(found->second.step);
        } else {
            report_unknown(in, name, part, known);
        }
    }
}

}  // namespace

void resolve_steps(Reading& in, Draft& draft) {
    const StepPositions known = positions_of(in, draft);
    for (const Part part : kParts) {
        std::vector<Step>& steps = draft.steps(part);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const StepFacts& facts = draft.facts_of(part)[i];
            resolve_names(in, facts.needs, part, known, steps[i].needs);
            resolve_names(in, facts.after, part, known, steps[i].after);
        }
    }
}

// ---- Checks ------------------------------------------------------------------------------------

namespace {

void report_cycle(Reading& in,
                  const Draft& draft,
                  Part part,
                  const std::vector<std::size_t>& cycle) {
    const std::vector<Step>& steps = draft.steps(part);
    std::string text = in_quotes(steps[cycle.front()].id);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const Step& step = steps[cycle[i]];
        const std::size_t next = cycle[(i + 1) % cycle.size()];
        const bool needs = std::ranges::find(step.needs, next) != step.needs.end();
        text += std::string(i == 0 ? "" : ", which") + (needs ? " needs " : " is after ") +
                in_quotes(steps[next].id);
    }
    const StepFacts& facts = draft.facts_of(part)[cycle.front()];
    const std::string& second = steps[cycle[1 % cycle.size()]].id;
    Place place = facts.id;
    for (const auto* names : {&facts.needs, &facts.after}) {
        const auto found = std::ranges::find(*names, second, &StepName::name);
        if (found != names->end()) place = found->place;
    }
    in.report(place, "the steps wait for one another: " + text);
}

/// Returns the value of an expression that is always the same.
std::optional<bool> always(const std::optional<expr::Program>& program) {
    if (!program) return std::nullopt;
    const auto value = program->run({});
    if (!value || !value->is(expr::Kind::boolean)) return std::nullopt;
    return value->boolean();
}

}  // namespace

void check_graph(Reading& in, const Draft& draft, Part part, const Graph& graph) {
    const std::vector<Step>& steps = draft.steps(part);
    if (!graph.cycle().empty()) report_cycle(in, draft, part, graph.cycle());
    std::vector<bool> never(steps.size());
    for (const std::size_t at : graph.order()) {
        const Step& step = steps[at];
        const StepFacts& facts = draft.facts_of(part)[at];
        if (always(step.condition) == false) {
            in.report(facts.condition, "the step never runs: its condition is always false");
            never[at] = true;
        }
        const auto check = [&](std::size_t one, bool needed, const std::vector<StepName>& names) {
            const auto name = std::ranges::find(names, steps[one].id, &StepName::name);
            if (name == names.end()) return;
            const bool ends = always(steps[one].end_flow) == true && (needed || graph.sure(one));
            if (needed && never[one]) {
                in.report(name->place,
                          "the step never runs: " + in_quotes(steps[one].id) + " never completes");
            } else if (ends) {
                in.report(name->place,
                          "the step never runs: " + in_quotes(steps[one].id) +
                              " always ends the flow before");
            }
            if (ends || (needed && never[one])) never[at] = true;
        };
        for (const std::size_t one : step.needs) check(one, true, facts.needs);
        for (const std::size_t one : step.after) check(one, false, facts.after);
    }
}

}  // namespace belay::flow
