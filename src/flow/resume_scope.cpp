#include "flow/resume_scope.hpp"

#include "flow/definition/result_texts.hpp"
#include "flow/interpreter/plan.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace belay::flow {

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

Error misfit(const std::string& place, const std::string& why) {
    return {Errc::invalid_argument, "the step '" + place + "' " + why};
}

/// Returns none for a definition that was not read from a text.
Texts texts_of(const Bundle& bundle, const std::string& flow) {
    const auto found = bundle.sources.find(flow);
    return found != bundle.sources.end() ? result_texts(found->second) : Texts();
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
    Texts now_texts;
    Texts old_texts;
    std::vector<const StepPicture*> old{};  ///< By step of the new definition; null: it is new.
    std::vector<bool> again{};
    std::vector<bool> first{};  ///< Runs again, and nothing before it does.

    [[nodiscard]] const Step& step(std::size_t at) const { return now.definition().steps[at]; }
    [[nodiscard]] std::string place(std::size_t at) const { return path_below(path, step(at).id); }
    /// True if the definition of the step has changed in what decides its result.
    [[nodiscard]] bool has_changed(std::size_t at) const {
        const auto was = old_texts.find(step(at).id);
        const auto is = now_texts.find(step(at).id);
        if (was == old_texts.end() || is == now_texts.end()) return false;
        return was->second != is->second;
    }
    void mark();
    void spread();
};

/// Marks the steps that run again by themselves.
void ResumeScope::Level::mark() {
    const std::set<std::string> chosen = choice.mentioned();
    for (std::size_t i = 0; i < now.definition().steps.size(); ++i) {
        const StepPicture* const was = find_step(run.picture, step(i).id);
        old.push_back(was);
        const bool keeps = was != nullptr && has_result(step(i), *was) &&
                           !chosen.contains(step(i).id) &&
                           !(was->status == StepStatus::skipped && has_changed(i));
        again.push_back(!keeps);
    }
    first = again;
}

/// Marks the steps behind those.
void ResumeScope::Level::spread() {
    const PlannedList& list = now.list(ListName::steps);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < again.size(); ++i) {
        if (again[i]) open.push_back(i);
    }
    while (!open.empty()) {
        const std::size_t step = open.back();
        open.pop_back();
        for (const std::size_t dependent : list.planned[step].dependents) {
            first[dependent] = false;
            if (again[dependent]) continue;
            again[dependent] = true;
            open.push_back(dependent);
        }
    }
}

Result<void> ResumeScope::check_choice(const Level& level) const {
    for (const std::string& name : level.choice.mentioned()) {
        if (level.now.find(ListName::steps, name)) continue;
        return misfit(path_below(level.path, name), "is no step of the flow");
    }
    const auto check_items = [&](const std::string& step) -> Result<void> {
        const std::size_t at = *level.now.find(ListName::steps, step);
        const bool has_items = level.old[at] != nullptr && !level.old[at]->items.empty();
        if (has_items) return {};
        return misfit(level.place(at),
                      "has no items of which some can be kept: choose the step as a whole");
    };
    for (const auto& [step, numbers] : level.choice.items) {
        if (const auto fine = check_items(step); !fine) return fine;
    }
    for (const auto& [place, choice] : level.choice.below) {
        const std::string step = place.substr(0, place.find('['));
        const std::size_t at = *level.now.find(ListName::steps, step);
        if (!std::holds_alternative<SubFlow>(level.step(at).action)) {
            return misfit(level.place(at), "starts no flow");
        }
        const auto fine = place == step ? Result<void>() : check_items(step);
        if (!fine) return fine;
    }
    return {};
}

Result<void> ResumeScope::check_fit(const Level& level, std::size_t step) const {
    if (level.old[step]->status == StepStatus::skipped) return {};
    const std::string choose = "; to run it again, choose it too";
    if (level.has_changed(step)) {
        return misfit(level.place(step),
                      "has ended, and is another one in the definition now" + choose);
    }
    const bool lacks_results = level.step(step).map &&
                               level.now.list(ListName::steps).planned[step].output_is_used &&
                               level.old[step]->more.is(expr::Kind::map) &&
                               level.old[step]->more.map().find("output") == nullptr;
    if (!lacks_results) return {};
    return misfit(level.place(step),
                  "has ended without its results, because nothing used them" + choose);
}

Result<void> ResumeScope::check_removed(const Level& level) const {
    for (const Step& step : level.before.definition().steps) {
        const StepPicture* const was = find_step(level.run.picture, step.id);
        const bool matters = was != nullptr && was->status == StepStatus::completed;
        if (!matters || level.now.find(ListName::steps, step.id)) continue;
        return misfit(path_below(level.path, step.id),
                      "has completed, and is not in the definition any more");
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
                texts_of(now_, flow),
                texts_of(old_, flow)};
    level.mark();
    if (auto fine = check_choice(level); !fine) return fine;
    if (auto fine = check_removed(level); !fine) return fine;
    level.spread();
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
