// Values of expressions in the form that C++ code stores: see Codec.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/code_type.hpp"
#include <belay/limits.hpp>
#include <belay/payload.hpp>

#include <string_view>
#include <vector>

namespace belay::flow {

/// Returns the value as a Codec of this type would write it. Throws OperationFailed if the value is
/// of another type, and with kind limit if it is longer than Limits::payload_bytes. `what` names
/// the value.
[[nodiscard]] Payload code_value_of(const expr::Value& value,
                                    const CodeType& type,
                                    std::string_view what,
                                    const Limits& limits);

/// Returns the input of an activity. `types`: one for each value, or none: then a text, a number
/// and a boolean are stored as such, and anything else as JSON. Throws as `code_value_of`.
[[nodiscard]] Payload arguments_of(const std::vector<expr::Value>& values,
                                   const std::vector<CodeType>& types,
                                   const Limits& limits);

/// The inverse of `code_value_of`. Throws DecodeError.
[[nodiscard]] expr::Value value_of(const Payload& payload, const CodeType& type);

}  // namespace belay::flow
