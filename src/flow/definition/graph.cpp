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

/// Sorts steps behind those that they wait for.
class Sorter {
public:
    explicit Sorter(const std::vector<Step>& steps)
        : steps_(steps), open_(steps.size()), behind_(steps.size()), done_(steps.size()) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            open_[i] = steps[i].needs.size() + steps[i].after.size();
            for (const std::size_t one : steps[i].needs) behind_[one].push_back(i);
            for (const std::size_t one : steps[i].after) behind_[one].push_back(i);
        }
    }

    /// Returns the steps that wait for no cycle.
    std::vector<std::size_t> sorted() {
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (open_[i] == 0) free.push_back(i);
        }
        return finish(std::move(free));
    }

    /// Returns a cycle among the steps that are not sorted; empty if there is none. Takes its steps
    /// as sorted from then on, so the next call returns another cycle.
    std::vector<std::size_t> next_cycle() {
        while (first_ < steps_.size() && done_[first_]) ++first_;
        if (first_ == steps_.size()) return {};
        // Each step that is not sorted waits for another one, so this comes back to where it was.
        std::vector<std::size_t> path;
        std::vector<bool> seen(steps_.size());
        std::size_t at = first_;
        for (; !seen[at]; at = open_before(at)) {
            seen[at] = true;
            path.push_back(at);
        }
        std::vector<std::size_t> cycle(std::ranges::find(path, at), path.end());
        (void)finish(cycle);
        return cycle;
    }

private:
    /// Returns a step that is not sorted, for which this one waits.
    [[nodiscard]] std::size_t open_before(std::size_t step) const {
        for (const auto* list : {&steps_[step].needs, &steps_[step].after}) {
            for (const std::size_t one : *list) {
                if (!done_[one]) return one;
            }
        }
        return step;
    }

    /// Takes steps as sorted. Returns them, and those that need nothing else, in their order.
    std::vector<std::size_t> finish(std::vector<std::size_t> free) {
        for (const std::size_t one : free) done_[one] = true;
        for (std::size_t next = 0; next < free.size(); ++next) {
            for (const std::size_t one : behind_[free[next]]) {
                if (--open_[one] > 0 || done_[one]) continue;
                done_[one] = true;
                free.push_back(one);
            }
        }
        return free;
    }

    const std::vector<Step>& steps_;
    std::vector<std::size_t> open_;  ///< How many steps each one waits for.
    std::vector<std::vector<std::size_t>> behind_;
    std::vector<bool> done_;
    std::size_t first_ = 0;  ///< All steps before it are sorted.
};

}  // namespace

Graph::Graph(const std::vector<Step>& steps)
    : sorted_(steps.size()),
      ended_(steps.size(), std::vector<bool>(steps.size())),
      needed_(ended_),
      sure_(steps.size()) {
    Sorter sorter(steps);
    order_ = sorter.sorted();
    for (const std::size_t one : order_) sorted_[one] = true;
    for (auto cycle = sorter.next_cycle(); !cycle.empty(); cycle = sorter.next_cycle()) {
        cycles_.push_back(std::move(cycle));
    }
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
    in.report(place, "the steps wait for one another: " + text, "Take one of these names away");
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
    for (const auto& cycle : graph.cycles()) report_cycle(in, draft, part, cycle);
    std::vector<bool> never(steps.size());
    for (const std::size_t at : graph.order()) {
        const Step& step = steps[at];
        const StepFacts& facts = draft.facts_of(part)[at];
        if (always(step.condition) == false) {
            in.report(facts.condition,
                      "the step never runs: its condition is always false",
                      "Take the step away, or test a param");
            never[at] = true;
        }
        const auto check = [&](std::size_t one, bool needed, const std::vector<StepName>& names) {
            const auto name = std::ranges::find(names, steps[one].id, &StepName::name);
            if (name == names.end()) return;
            const bool ends = always(steps[one].end_flow) == true && (needed || graph.sure(one));
            if (needed && never[one]) {
                in.report(name->place,
                          "the step never runs: " + in_quotes(steps[one].id) + " never completes",
                          "Name it in \"after\", or take the step away");
            } else if (ends) {
                in.report(name->place,
                          "the step never runs: " + in_quotes(steps[one].id) +
                              " always ends the flow before",
                          "Let \"end_flow\" of that step test something");
            }
            if (ends || (needed && never[one])) never[at] = true;
        };
        for (const std::size_t one : step.needs) check(one, true, facts.needs);
        for (const std::size_t one : step.after) check(one, false, facts.after);
    }
}

}  // namespace belay::flow
