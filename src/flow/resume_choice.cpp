#include "flow/resume_choice.hpp"

#include "flow/step_path.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace belay::flow {

namespace {

bool add(ResumeChoice& choice, std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view first = text.substr(0, slash);
    std::optional<StepPlace> place = read_step_place(first);
    if (!place) return false;
    if (slash != std::string_view::npos) {
        return add(choice.below[std::string(first)], text.substr(slash + 1));
    }
    if (place->item) {
        choice.items[place->step].insert(*place->item);
    } else {
        choice.whole.insert(std::move(place->step));
    }
    return true;
}

}  // namespace

std::set<std::string> ResumeChoice::mentioned() const {
    std::set<std::string> names = whole;
    for (const auto& [step, numbers] : items) names.insert(step);
    for (const auto& [place, choice] : below) names.insert(place.substr(0, place.find('[')));
    return names;
}

bool ResumeChoice::has_item(const std::string& step, std::uint64_t item) const {
    const auto found = items.find(step);
    return found != items.end() && found->second.contains(item);
}

const ResumeChoice& ResumeChoice::at(const std::string& place) const {
    static const ResumeChoice kNone;
    const auto found = below.find(place);
    return found != below.end() ? found->second : kNone;
}

Result<ResumeChoice> read_choice(const std::vector<std::string>& steps) {
    ResumeChoice choice;
    for (const std::string& step : steps) {
        if (add(choice, step)) continue;
        return Error(Errc::invalid_argument, no_step_path(step));
    }
    return choice;
}

}  // namespace belay::flow
