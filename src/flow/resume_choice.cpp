#include "flow/resume_choice.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace belay::flow {

namespace {

struct Place {
    std::string step;
    std::optional<std::uint64_t> item;
};

std::optional<Place> read_place(std::string_view text) {
    const std::size_t open = text.find('[');
    Place place{std::string(text.substr(0, open)), std::nullopt};
    if (place.step.empty()) return std::nullopt;
    if (open == std::string_view::npos) return place;
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data() + open + 1, end, number);
    if (problem != std::errc() || stopped + 1 != end || *stopped != ']') return std::nullopt;
    place.item = number;
    return place;
}

bool add(ResumeChoice& choice, std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view first = text.substr(0, slash);
    std::optional<Place> place = read_place(first);
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
        return Error(Errc::invalid_argument,
                     "'" + step +
                         "' is no step: write STEP, STEP[3] for an item of a map, or STEP/INNER "
                         "for a step of the flow that STEP starts");
    }
    return choice;
}

}  // namespace belay::flow
