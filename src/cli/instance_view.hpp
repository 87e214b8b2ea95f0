// Instances, outcomes and counts as people and scripts see them.
#pragma once

#include "cli/json.hpp"
#include "cli/table.hpp"
#include <belay/client.hpp>

#include <string>

namespace belay::cli {

[[nodiscard]] Colour colour_of(Status status) noexcept;
[[nodiscard]] Cell status_cell(Status status);

/// The outcome in one safe line: "completed: 42", "failed (timeout): ... in Charge",
/// "canceled by bob (user): wrong size; cleanup done".
[[nodiscard]] std::string outcome_line(const Outcome& outcome);
[[nodiscard]] std::string failure_line(const Failure& failure);
[[nodiscard]] std::string cancel_line(const CancelRecord& record);

// Each opens and closes its own object.
void write_time(JsonWriter& out, const char* name, Timestamp at);
void write_time(JsonWriter& out, const char* name, const std::optional<Timestamp>& at);
void write_failure(JsonWriter& out, const Failure& failure);
void write_cancel(JsonWriter& out, const CancelRecord& record);
/// The fields of an outcome, into an object that is open.
void write_outcome(JsonWriter& out, const Outcome& outcome);
void write_labels(JsonWriter& out, const Labels& labels);
/// The fields "id", "space", "run" and "status", into an object that is open.
void write_brief(JsonWriter& out, const InstanceBrief& brief);

}  // namespace belay::cli
