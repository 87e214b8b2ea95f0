// The start of a run of a flow.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/bundle.hpp"
#include <belay/client_options.hpp>
#include <belay/payload.hpp>

#include <optional>
#include <string>

namespace belay::flow {

/// The header that tells who started a run: `run.started_by` of expressions.
inline constexpr const char* kStartedByHeader = "started-by";

/// Returns the options of a start: the document, the labels, and a run for the failure if the flow
/// has `on_fail`. `by` is the person or program that starts it.
[[nodiscard]] StartOptions start_options(const Bundle& bundle, const std::string& by);

/// Returns the input of a run with these params: a map, or null for an empty one. Returns
/// `invalid_argument` for a value that JSON cannot hold.
[[nodiscard]] Result<Payload> start_input(const expr::Value& params);

/// Returns the document of a bundle, as runs pin it.
[[nodiscard]] Payload document_of(const Bundle& bundle);

}  // namespace belay::flow
