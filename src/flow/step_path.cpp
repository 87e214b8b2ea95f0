#include "flow/step_path.hpp"

#include <charconv>
#include <utility>

namespace belay::flow {

std::optional<StepPlace> read_step_place(std::string_view text) {
    const std::size_t open = text.find('[');
    StepPlace place{std::string(text.substr(0, open))};
    if (place.step.empty()) return std::nullopt;
    if (open == std::string_view::npos) return place;
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, problem] = std::from_chars(text.data() + open + 1, end, number);
    if (problem != std::errc() || stopped + 1 != end || *stopped != ']') return std::nullopt;
    place.item = number;
    return place;
}

std::optional<std::vector<StepPlace>> read_step_path(std::string_view text) {
    std::vector<StepPlace> path;
    while (true) {
        const std::size_t slash = text.find('/');
        std::optional<StepPlace> place = read_step_place(text.substr(0, slash));
        if (!place) return std::nullopt;
        path.push_back(*std::move(place));
        if (slash == std::string_view::npos) return path;
        text.remove_prefix(slash + 1);
    }
}

std::string no_step_path(std::string_view text) {
    return "'" + std::string(text) +
           "' is no step: write STEP, STEP[3] for an item of a map, or STEP/INNER for a step of "
           "the flow that STEP starts";
}

}  // namespace belay::flow
