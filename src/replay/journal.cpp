#include "replay/journal.hpp"

#include <belay/detail/assert.hpp>
#include <belay/exceptions.hpp>

namespace belay::replay {

using model::Event;

void Journal::record(Event event) {
    if (replaying()) pass_retired(&event);
    ++position_;
    recorded_.push_back(std::move(event));
}

void Journal::begin_replay(const std::vector<Event>& events) {
    BELAY_ASSERT(recorded_.empty());
    mode_ = Mode::replaying;
    replayed_ = &events;
    replayed_at_ = 0;
}

std::optional<Journal::Difference> Journal::match_input() {
    pass_retired(nullptr);
    const EventNo input_at = position_ + 1 - recorded_.size();
    for (std::size_t i = 1; i < recorded_.size(); ++i) {
        const std::size_t at = replayed_at_ + i;
        const Event* const in_history = at < replayed_->size() ? &(*replayed_)[at] : nullptr;
        if (in_history == nullptr || !(*in_history == recorded_[i])) {
            return Difference{input_at + i, in_history, &recorded_[i]};
        }
    }
    replayed_at_ += recorded_.size();
    recorded_.clear();
    return std::nullopt;
}

void Journal::pass_retired(const Event* next) {
    for (;;) {
        const Event* const event = in_history(0);
        const auto* const retired = std::get_if<model::PatchRetired>(event);
        if (retired == nullptr || (next != nullptr && *next == *event)) return;
        passed_.insert(retired->name);
        ++position_;
        recorded_.push_back(*event);
    }
}

void Journal::check_room() const {
    // Counts the retired patches that the code has forgotten: the code that recorded them has
    // counted them here.
    if (position_ + retired_ahead() < limits_.history_events) return;
    throw LimitExceeded("this execution's history has reached " +
                        std::to_string(limits_.history_events) +
                        " events; continue as new before that");
}

bool Journal::is_overfull() const noexcept {
    const std::uint64_t some_more = limits_.history_events / 10;
    return position_ + retired_ahead() > limits_.history_events + some_more;
}

}  // namespace belay::replay
