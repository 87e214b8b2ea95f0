// Events of a history, as people and scripts see them.
#pragma once

#include "cli/json.hpp"
#include "model/event.hpp"

#include <string>

namespace belay::cli {

/// In one line, payloads cut short. Safe.
[[nodiscard]] std::string event_line(const model::Event& event);

/// The fields "type" and those of the event, payloads whole, into an object that is open.
void write_event(JsonWriter& out, const model::Event& event);

}  // namespace belay::cli
