// The result of a program as JSON.
#pragma once

#include "flow/definition/definition.hpp"
#include "flow/steps/mask.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"
#include <belay/payload.hpp>

#include <string_view>

namespace belay::flow {

/// Returns the standard output in this form, masked. Bytes that are not UTF-8 become U+FFFD. Throws
/// OperationFailed, with the place, if it should be JSON and is not.
[[nodiscard]] Payload output_as(OutputForm form, std::string_view output, const Masker& masker);

/// Returns a text that should be JSON, masked before and after it is read. `what` is for the
/// failure.
[[nodiscard]] Payload output_as_json(std::string_view what,
                                     std::string_view text,
                                     const Masker& masker);

/// Writes a value with its strings masked. Numbers stay as they are written.
void write_masked(json::Writer& out, const json::Value& value, const Masker& masker);

}  // namespace belay::flow
