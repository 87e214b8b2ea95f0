// Checks that nothing recorded exceeds the limits.
#include "simulation/checks/observer.hpp"

#include <string>

namespace belay::sim {

/// `history` ends with the event.
void Observer::check_within_limits(const HistoryModel& history,
                                   const model::Event& event,
                                   const std::string& id) {
    const auto fits = [&](const char* what, std::size_t size, std::size_t most) {
        expect(size <= most, "nothing is recorded that exceeds a limit", [&] {
            return id + ": " + what + " of " + std::to_string(size) + ", and no more than " +
                   std::to_string(most) + " allowed";
        });
    };
    const auto payload = [&](const char* what, const Payload& one) {
        fits(what, one.bytes.size(), limits_.payload_bytes);
    };
    if (const auto* activity = std::get_if<model::ActivityScheduled>(&event)) {
        payload("the input of an activity", activity->input);
    } else if (const auto* child = std::get_if<model::ChildScheduled>(&event)) {
        payload("the input of a child", child->input);
    } else if (const auto* completed = std::get_if<model::CommandCompleted>(&event)) {
        payload("a result", completed->result);
    } else if (const auto* ended = std::get_if<model::ExecutionEnded>(&event)) {
        payload("an output", ended->outcome.output);
    } else if (const auto* status = std::get_if<model::CustomStatusSet>(&event)) {
        fits("a custom status", status->status.bytes.size(), limits_.custom_status_bytes);
    } else if (const auto* next = std::get_if<model::ExecutionContinued>(&event)) {
        fits("what is carried along", next->input.bytes.size(), limits_.carried_bytes);
    } else if (const auto* set = std::get_if<model::KeyValueSet>(&event)) {
        fits("a key-value", set->value.bytes.size(), limits_.key_value_bytes);
        fits("a number of key-values", history.values().size(), limits_.key_values);
        std::size_t bytes = 0;
        for (const auto& [key, value] : history.values()) bytes += key.size() + value.bytes.size();
        fits("all key-values", bytes, limits_.key_values_bytes);
    }
}

}  // namespace belay::sim
