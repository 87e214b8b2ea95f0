// Payloads in the JSON form of a schedule.
#pragma once

#include "schedule/runner/strict_object.hpp"
#include <belay/payload.hpp>

#include <optional>
#include <string_view>

namespace belay::schedule {

/// Reads a value as the command line does: text, an integer, a number or a boolean is itself; an
/// array or an object is JSON; null is no value. Several arguments, and other payloads, have an
/// object with the one field "$arguments" or "$payload".
[[nodiscard]] Payload read_payload(const json::Value& value,
                                   std::string_view name,
                                   Problems& problems);
void write_payload(json::Writer& out, const Payload& payload);

}  // namespace belay::schedule
