#include "replay/forced_stop.hpp"

namespace belay::replay {

void ForcedStop::count_refusal() {
    if (++refusals_ > limits_.cancel_throws && !is_set()) {
        why_ = "it went on after what it asked for was refused " +
               std::to_string(limits_.cancel_throws) + " times";
    }
}

void ForcedStop::stop_for_messages() {
    if (is_set()) return;
    why_ = "more than " + std::to_string(limits_.buffered_messages) +
           " messages came that nobody received";
}

void ForcedStop::stop_for_history() {
    if (is_set()) return;
    why_ = "its history has more than " + std::to_string(limits_.history_events) +
           " events; continue as new before that";
}

}  // namespace belay::replay
