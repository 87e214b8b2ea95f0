#include "flow/resume_scope.hpp"

#include "flow/interpreter/plan.hpp"
#include "flow/step_changes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace belay::flow {

namespace {

Error misfit(const std::string& place, const std::string& why) {
    return {Errc::invalid_argument, "the step '" + place + "' " + why};
}

/// True if the step may stand in the new run as it ended in the old one.
bool has_result(const Step& step, const StepPicture& old) {
    return old.status == StepStatus::completed || old.status == StepStatus::skipped ||
           (old.status == StepStatus::failed && step.may_fail);
}

}  // namespace

struct ResumeScope::Level {
    const DrawnRun& run;
    const std::string& path;
    const ResumeChoice& choice;
    Plan now;
    Plan before;
    StepChanges changes;
    std::vector<const StepPicture*> old{};  ///< By step of the new definition; null: it is new.
    std::vector<bool> again{};
    std::vector<bool> first{};  ///< Runs again, and nothing before it does.

    [[nodiscard]] const Step& step(std::size_t at) const { return now.definition().steps[at]; }
    [[nodiscard]] std::string place(std::size_t at) const { return path_below(path, step(at).id); }
    void mark();
    void spread();
    [[nodiscard]] std::vector<bool> again_before() const;
};

namespace {

/// Marks all steps behind those that are marked. Calls `each` with each of them.
template <class Each>
void spread_over(const PlannedList& list, std::vector<bool>& marked, Each each) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < marked.size(); ++i) {
        if (marked[i]) open.push_back(i);
    }
    while (!open.empty()) {
        const std::size_t step = open.back();
        open.pop_back();
        for (const std::size_t dependent : list.planned[step].dependents) {
            each(dependent);
            if (marked[dependent]) continue;
            marked[dependent] = true;
            open.push_back(dependent);
        }
    }
}

}  // namespace

/// Marks the steps that run again by themselves.
void ResumeScope::Level::mark() {
    const std::set<std::string> chosen = choice.mentioned();
    for (std::size_t i = 0; i < now.definition().steps.size(); ++i) {
        const StepPicture* const was = find_step(run.picture, step(i).id);
        old.push_back(was);
        const bool keeps = was != nullptr && has_result(step(i), *was) &&
                           !chosen.contains(step(i).id) &&
                           !(was->status == StepStatus::skipped && !changes.of(step(i)).empty());
        again.push_back(!keeps);
    }
    first = again;
}

/// Marks the steps behind those.
void ResumeScope::Level::spread() {
    spread_over(
        now.list(ListName::steps), again, [this](std::size_t step) { first[step] = false; });
}

/// Returns, by step of the old definition, which ones would run again in it.
std::vector<bool> ResumeScope::Level::again_before() const {
    std::vector<bool> marked;
    for (const Step& step : before.definition().steps) {
        const StepPicture* const was = find_step(run.picture, step.id);
        const std::optional<std::size_t> at = now.find(ListName::steps, step.id);
        const bool is_chosen = choice.mentioned().contains(step.id);
        marked.push_back(is_chosen || was == nullptr || !has_result(step, *was) ||
                         (at && again[*at]));
    }
    spread_over(before.list(ListName::steps), marked, [](std::size_t) {});
    return marked;
}

Result<void> ResumeScope::check_choice(const Level& level) const {
    for (const std::string& name : level.choice.mentioned()) {
        // One that the corrected definition does not have any more runs again in no case.
        if (level.now.find(ListName::steps, name) || level.before.find(ListName::steps, name))
            continue;
        return misfit(path_below(level.path, name), "is no step of the flow");
    }
    for (const auto& [step, numbers] : level.choice.items) {
        for (const std::uint64_t item : numbers) {
            if (const auto fine = check_item(level, step, item); !fine) return fine;
        }
    }
    for (const auto& [place, choice] : level.choice.below) {
        if (const auto fine = check_below(level, place, choice); !fine) return fine;
    }
    return {};
}

Result<void> ResumeScope::check_item(const Level& level,
                                     const std::string& step,
                                     std::uint64_t item) const {
    const StepPicture* const was = find_step(level.run.picture, step);
    const std::string place = path_below(level.path, step);
    if (was == nullptr || was->items.empty()) {
        return misfit(place, "has no items of which some can be kept: choose the step as a whole");
    }
    const std::uint64_t count = was->count.value_or(was->items.size());
    if (item < count) return {};
    return misfit(place,
                  "has no item " + std::to_string(item) + ": its items are 0 to " +
                      std::to_string(count - 1));
}

Result<void> ResumeScope::check_below(const Level& level,
                                      const std::string& place,
                                      const ResumeChoice& choice) const {
    const std::size_t open = place.find('[');
    const std::string step = place.substr(0, open);
    const std::optional<std::size_t> at = level.now.find(ListName::steps, step);
    const auto* const sub = at ? std::get_if<SubFlow>(&level.step(*at).action) : nullptr;
    if (sub == nullptr) return misfit(path_below(level.path, step), "starts no flow");
    if (open != std::string::npos) {
        const std::uint64_t item = std::stoull(place.substr(open + 1));
        if (const auto fine = check_item(level, step, item); !fine) return fine;
    }
    return check_names(path_below(level.path, place), sub->flow, choice);
}

// The run below may run again as a whole, and then nobody looks at its steps.
Result<void> ResumeScope::check_names(const std::string& path,
                                      const std::string& flow,
                                      const ResumeChoice& choice) const {
    const auto found = now_.flows.find(flow);
    if (found == now_.flows.end()) return {};
    const std::vector<Step>& steps = found->second.steps;
    for (const std::string& name : choice.mentioned()) {
        if (std::ranges::find(steps, name, &Step::id) != steps.end()) continue;
        return misfit(path_below(path, name), "is no step of the flow '" + flow + "'");
    }
    for (const auto& [place, below] : choice.below) {
        const auto step = std::ranges::find(steps, place.substr(0, place.find('[')), &Step::id);
        const auto* const sub = std::get_if<SubFlow>(&step->action);
        if (sub == nullptr) return misfit(path_below(path, step->id), "starts no flow");
        const auto fine = check_names(path_below(path, place), sub->flow, below);
        if (!fine) return fine;
    }
    return {};
}

Result<void> ResumeScope::check_fit(const Level& level, std::size_t step) const {
    if (level.old[step]->status == StepStatus::skipped) return {};
    const std::string choose = "; to run it again, choose it too";
    const std::string change = level.changes.of(level.step(step));
    if (!change.empty()) return misfit(level.place(step), "has ended, and " + change + choose);
    const bool lacks_results = level.step(step).map &&
                               level.now.list(ListName::steps).planned[step].output_is_used &&
                               level.old[step]->more.is(expr::Kind::map) &&
                               level.old[step]->more.map().find("output") == nullptr;
    if (!lacks_results) return {};
    return misfit(level.place(step),
                  "has ended without its results, because nothing used them" + choose);
}

Result<void> ResumeScope::check_removed(const Level& level) const {
    const std::vector<Step>& steps = level.before.definition().steps;
    const std::vector<bool> again = level.again_before();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StepPicture* const was = find_step(level.run.picture, steps[i].id);
        const bool matters = was != nullptr && was->status == StepStatus::completed && !again[i];
        if (!matters || level.now.find(ListName::steps, steps[i].id)) continue;
        return misfit(path_below(level.path, steps[i].id),
                      "has completed, and is not in the definition any more; to leave it out, "
                      "choose it, or a step before it");
    }
    return {};
}

KeptEnd ResumeScope::kept_end(const Progress& progress) const {
    KeptEnd kept;
    switch (progress.status) {
        case StepStatus::skipped: kept.end = StepEnd::skipped(progress.reason); break;
        case StepStatus::failed:
            kept.end = StepEnd::failed(progress.failure.value_or(Failure()));
            break;
        default:
            kept.end = StepEnd::completed(progress.output);
            kept.end.more = progress.more;
            break;
    }
    kept.from = progress.from.empty() ? root_ : progress.from;
    kept.began_at = progress.began_at;
    kept.ended_at = progress.ended_at;
    kept.attempts = progress.attempts;
    return kept;
}

void ResumeScope::keep_step(const Level& level, std::size_t step) {
    kept_.push_back(level.place(step));
    const KeptEnd end = kept_end(*level.old[step]);
    // Only `set` has values that JSON would change. Its expression gives the same one again.
    const bool is_exact = is_exact_as_json(end.end.output()) && is_exact_as_json(end.end.more);
    if (is_exact) writer_.add(level.path, level.step(step).id, end);
}

Result<void> ResumeScope::keep_items(const Level& level, std::size_t step) {
    const std::string& id = level.step(step).id;
    for (const ItemPicture& item : level.old[step]->items) {
        const std::string place = place_name(id, item.item);
        const bool is_chosen =
            level.choice.has_item(id, item.item) || !level.choice.at(place).empty();
        const bool has_result =
            item.status == StepStatus::completed || item.status == StepStatus::skipped;
        if (has_result && !is_chosen) {
            KeptEnd end = kept_end(item);
            if (!is_exact_as_json(end.end.output())) continue;
            end.element = fingerprint_of(item.element);
            writer_.add(level.path, place, end);
            ++kept_items_;
        } else if (!level.choice.has_item(id, item.item)) {
            if (auto added = add_child(level, step, place, item.child); !added) return added;
        }
    }
    return {};
}

Result<void> ResumeScope::keep_parts(const Level& level, std::size_t step) {
    const Step& now = level.step(step);
    const StepPicture* const was = level.old[step];
    if (was == nullptr || level.choice.whole.contains(now.id)) return {};
    if (now.map.has_value() != was->count.has_value()) return {};
    return now.map ? keep_items(level, step) : add_child(level, step, now.id, was->child);
}

Result<void> ResumeScope::add_child(const Level& level,
                                    std::size_t step,
                                    const std::string& place,
                                    const std::string& child) {
    const auto* const flow = std::get_if<SubFlow>(&level.step(step).action);
    if (flow == nullptr || child.empty()) return {};
    const auto info = client_.inspect(InstanceName{level.run.info.name.space, child});
    if (!info && info.error().code() == Errc::not_found) return {};
    if (!info) return info.error();
    // The name may belong to another run by now.
    const bool is_child =
        info->parent && info->definition == flow->flow &&
        std::ranges::find(level.run.runs, info->parent->run) != level.run.runs.end();
    if (!is_child) return {};
    const auto drawn = draw_run(client_, *info, old_);
    if (!drawn) return drawn.error();
    const std::string path = path_below(level.path, place);
    writer_.add_run(path, drawn->params);
    return add_run(*drawn, path, level.choice.at(place));
}

Result<void> ResumeScope::add_run(const DrawnRun& run,
                                  const std::string& path,
                                  const ResumeChoice& choice) {
    const std::string& flow = run.info.definition;
    const auto now = now_.flows.find(flow);
    if (now == now_.flows.end()) {
        return Error(Errc::invalid_argument,
                     "'" + run.info.name.id + "' is a run of the flow '" + flow +
                         "', of which there is no definition now");
    }
    Level level{run,
                path,
                choice,
                Plan(std::make_shared<const Definition>(now->second)),
                Plan(run.definition),
                StepChanges(old_, now_, flow, run.params)};
    level.mark();
    if (auto fine = check_choice(level); !fine) return fine;
    level.spread();
    if (auto fine = check_removed(level); !fine) return fine;
    for (std::size_t i = 0; i < level.again.size(); ++i) {
        if (!level.again[i]) {
            if (auto fits = check_fit(level, i); !fits) return fits;
            keep_step(level, i);
            continue;
        }
        again_.push_back(level.place(i));
        if (!level.first[i]) continue;
        if (auto kept = keep_parts(level, i); !kept) return kept;
    }
    return {};
}

}  // namespace belay::flow
