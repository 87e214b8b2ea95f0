// Instances, outcomes and counts as people and scripts see them.
#pragma once

#include "cli/json.hpp"
#include "cli/table.hpp"
#include <belay/client.hpp>

#include <string>

namespace belay::cli {

/// Returns the id of a child without that of its parent, which is shown above it: "/ship" for
/// "order-9/ship". Returns the whole id if it does not begin with the parent's or the root's.
[[nodiscard]] std::string relative_id(const std::string& id, const std::string& parent);

[[nodiscard]] Colour colour_of(Status status) noexcept;
[[nodiscard]] Cell status_cell(Status status);

/// The outcome in one safe line: "completed: 42", "failed (timeout): ... in Charge",
/// "canceled by bob (user): wrong size; cleanup done".
[[nodiscard]] std::string outcome_line(const Outcome& outcome);
/// The same, and below it the detail of a failure.
[[nodiscard]] std::string outcome_lines(const Outcome& outcome);
/// The failure's detail, for example the errors that a program printed: safe, its last lines, each
/// with this indent. Empty unless it failed with a detail.
[[nodiscard]] std::string failure_detail(const Failure& failure, std::size_t indent);
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
