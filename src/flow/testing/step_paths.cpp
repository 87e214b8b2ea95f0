#include "flow/testing/step_paths.hpp"

#include "flow/definition/draft.hpp"
#include "flow/definition/reading.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace belay::flow {

namespace {

using Lists = std::array<const std::vector<Step>*, 4>;

Lists lists_of(const Definition& flow) {
    return {&flow.steps, &flow.on_fail, &flow.finally, &flow.on_cancel};
}

const Step* step_of(const Definition& flow, std::string_view id) {
    for (const std::vector<Step>* const list : lists_of(flow)) {
        const auto found = std::ranges::find(*list, id, &Step::id);
        if (found != list->end()) return &*found;
    }
    return nullptr;
}

std::vector<std::string_view> ids_of(const Definition& flow) {
    std::vector<std::string_view> ids;
    for (const std::vector<Step>* const list : lists_of(flow)) {
        for (const Step& step : *list) ids.emplace_back(step.id);
    }
    return ids;
}

std::optional<std::uint64_t> number_in(std::string_view digits) {
    std::uint64_t number = 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto [stopped, problem] = std::from_chars(begin, end, number);
    if (problem != std::errc() || stopped != end) return std::nullopt;
    return number;
}

/// The part of a path up to the next slash, without an item.
struct PathPart {
    std::string_view id;
    std::optional<std::uint64_t> item{};
    bool is_good = true;
};

PathPart part_of(std::string_view text) {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos) return {text};
    if (!text.ends_with(']')) return {text, std::nullopt, false};
    const auto item = number_in(text.substr(open + 1, text.size() - open - 2));
    return {text.substr(0, open), item, item.has_value()};
}

/// Walks down a path. Stops at the first part that is not there.
struct Walk {
    std::optional<FoundStep> found{};
    std::string problem{};
};

Walk walk(const Bundle& bundle, std::string_view path) {
    FoundStep at;
    at.flow = &bundle.main_flow();
    for (;;) {
        const std::size_t slash = path.find('/');
        const PathPart part = part_of(path.substr(0, slash));
        if (!part.is_good) return {{}, in_quotes(path) + " is no step: write dump, or dump[17]"};
        at.step = step_of(*at.flow, part.id);
        if (at.step == nullptr) {
            const std::string advice = did_you_mean(part.id, ids_of(*at.flow));
            return {{},
                    "the flow " + in_quotes(at.flow->name) + " has no step " + in_quotes(part.id) +
                        (advice.empty() ? "" : ". " + advice)};
        }
        if (part.item && !at.step->map) {
            return {{}, "the step " + in_quotes(part.id) + " is no map, and has no items"};
        }
        at.item = part.item;
        at.is_on_fail =
            std::ranges::find(at.flow->on_fail, part.id, &Step::id) != at.flow->on_fail.end();
        if (slash == std::string_view::npos) return {at, {}};
        const auto* const sub = std::get_if<SubFlow>(&at.step->action);
        if (sub == nullptr) {
            return {{}, "the step " + in_quotes(part.id) + " starts no flow"};
        }
        at.run.append("/").append(part.id);
        if (part.item) at.run.append("-").append(std::to_string(*part.item));
        at.flow = &bundle.flows.find(sub->flow)->second;
        path.remove_prefix(slash + 1);
    }
}

/// Takes the number of the attempt off the id of a child: "deploy.2".
std::uint32_t take_attempt(std::string_view& id) {
    const std::size_t dot = id.rfind('.');
    if (dot == std::string_view::npos) return 1;
    const auto number = number_in(id.substr(dot + 1));
    if (!number) return 1;
    id = id.substr(0, dot);
    return static_cast<std::uint32_t>(*number);
}

/// Goes down to a child. Returns false if no step has a child of this name.
bool enter(const Bundle& bundle, std::string_view id, FoundRun& at) {
    at.path.clear();
    if (id == "~on-fail") return true;
    at.attempt = take_attempt(id);
    const Step* step = step_of(*at.flow, id);
    std::optional<std::uint64_t> item;
    if (step == nullptr) {
        const std::size_t dash = id.rfind('-');
        if (dash == std::string_view::npos) return false;
        item = number_in(id.substr(dash + 1));
        step = step_of(*at.flow, id.substr(0, dash));
        if (step == nullptr || !step->map || !item) return false;
    }
    const auto* const sub = std::get_if<SubFlow>(&step->action);
    if (sub == nullptr) return step->map.has_value();  // Some items of a large map.
    at.path = at.prefix + step_name(step->id, item);
    at.prefix = at.path + "/";
    at.flow = &bundle.flows.find(sub->flow)->second;
    return true;
}

}  // namespace

std::string step_name(std::string_view step, std::optional<std::uint64_t> item) {
    std::string name(step);
    if (item) name.append("[").append(std::to_string(*item)).append("]");
    return name;
}

std::optional<FoundStep> StepPaths::find(std::string_view path) const {
    return walk(*bundle_, path).found;
}

std::string StepPaths::problem_of(std::string_view path) const {
    return walk(*bundle_, path).problem;
}

std::optional<FoundRun> StepPaths::run_of(std::string_view root, std::string_view id) const {
    if (!id.starts_with(root)) return std::nullopt;
    id.remove_prefix(root.size());
    FoundRun at;
    at.flow = &bundle_->main_flow();
    while (!id.empty()) {
        id.remove_prefix(1);
        const std::size_t slash = std::min(id.find('/'), id.size());
        if (!enter(*bundle_, id.substr(0, slash), at)) return std::nullopt;
        id.remove_prefix(slash);
    }
    return at;
}

}  // namespace belay::flow
