#include "cli/reads.hpp"

#include <belay/shown_status.hpp>

namespace belay::cli {

namespace {

/// The error tells too, because a description does not look at the history of an ended instance.
bool is_unreadable(const InstanceDescription& description, const Error& error) {
    return !description.history_problem.empty() || error.code() == Errc::corrupt ||
           error.code() == Errc::unsupported;
}

}  // namespace

Timeline timeline_of(Context& context,
                     const InstanceDescription& description,
                     ExecutionNo execution) {
    auto timeline = context.client().timeline(description.info.name, execution);
    if (timeline || !is_unreadable(description, timeline.error())) {
        return or_throw(std::move(timeline));
    }
    Timeline none;
    none.instance = {description.info.run, description.info.name, description.info.status};
    none.execution = description.info.execution;
    return none;
}

void show_stopping(Context& context, std::vector<ListedInstance>& listed) {
    requests::InspectMany request;
    std::vector<InstanceBrief*> asked;
    for (ListedInstance& one : listed) {
        if (one.instance.status != Status::canceled) continue;
        request.instances.push_back({one.instance.name, one.instance.run});
        asked.push_back(&one.instance);
    }
    if (asked.empty()) return;
    const auto found = or_throw(context.service().ask(std::move(request)));
    for (std::size_t i = 0; i < found.size() && i < asked.size(); ++i) {
        if (found[i]) asked[i]->status = shown_status(found[i]->info);
    }
}

std::vector<PlacedEvent> HistoryReader::next() {
    constexpr std::uint32_t kPage = 1'000;
    std::vector<PlacedEvent> found;
    const auto rows =
        or_throw(service_->ask(requests::ReadHistory{run_, execution_, position_, kPage}));
    for (const RecordedRow& recorded : rows) {
        EventNo number = recorded.first_event;
        for (model::Event& event : or_throw(model::decode_events(recorded.row))) {
            if (const auto* turn = std::get_if<model::TurnStarted>(&event)) at_ = turn->at;
            if (number > position_) found.push_back({number, at_, std::move(event)});
            ++number;
        }
    }
    if (!found.empty()) position_ = found.back().number;
    return found;
}

}  // namespace belay::cli
