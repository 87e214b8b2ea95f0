#include "cli/reads.hpp"

namespace belay::cli {

std::vector<PlacedEvent> HistoryReader::next() {
    constexpr std::uint32_t kPage = 1'000;
    std::vector<PlacedEvent> found;
    const auto rows = read(*store_, ReadHistory{run_, execution_, position_, kPage});
    for (const RecordedRow& recorded : rows) {
        EventNo number = recorded.first_event;
        for (model::Event& event : must(model::decode_events(recorded.row))) {
            if (const auto* turn = std::get_if<model::TurnStarted>(&event)) at_ = turn->at;
            if (number > position_) found.push_back({number, at_, std::move(event)});
            ++number;
        }
    }
    if (!found.empty()) position_ = found.back().number;
    return found;
}

}  // namespace belay::cli
