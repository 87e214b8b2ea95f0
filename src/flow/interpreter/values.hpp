// Values of expressions, as payloads and as failures.
#pragma once

#include "expr/place.hpp"
#include "expr/value.hpp"
#include "flow/definition/problem.hpp"
#include <belay/limits.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay::flow {

using Fields = std::vector<std::pair<std::string, expr::Value>>;

/// Makes a map. The names must be different.
[[nodiscard]] expr::Map map_of(Fields fields);
/// Returns a map with the entries of `base`, and `more` in the place of entries of these names.
[[nodiscard]] expr::Map merged(const expr::Map& base, Fields more);

[[nodiscard]] inline expr::Value integer_of(std::uint64_t number) {
    return expr::Value(static_cast<std::int64_t>(number));
}

/// Returns the value of a payload of any codec; JSON is parsed. Throws DecodeError.
[[nodiscard]] expr::Value value_of(const Payload& payload);
/// Returns the value as JSON. Throws OperationFailed if JSON cannot hold it, or with kind limit if
/// it is longer than Limits::payload_bytes. `what` names the value.
[[nodiscard]] Payload payload_of(const expr::Value& value,
                                 std::string_view what,
                                 const Limits& limits);
/// Returns the value as it stands in a text: a text as it is, other values as JSON.
[[nodiscard]] std::string text_of(const expr::Value& value);

/// The place of a failure in a flow: "dump", or "dump[17]" for an item of a map.
[[nodiscard]] std::string place_name(std::string_view step, std::optional<std::uint64_t> item);

/// Returns the variable `failure`: step, item, kind, message, detail, type and attempt.
[[nodiscard]] expr::Value value_of(const Failure& failure);
/// The inverse; fields that are missing stay empty.
[[nodiscard]] Failure failure_from(const expr::Value& value);

/// Returns all problems in one text.
[[nodiscard]] std::string described(const Problems& problems);

/// Throws OperationFailed with a failure that no retry can avoid.
[[noreturn]] void throw_failure(FailureKind kind, std::string message, std::string type);
/// Throws OperationFailed for an expression that could not be evaluated. It names the place.
[[noreturn]] void throw_problem(const expr::Problem& problem);

}  // namespace belay::flow
