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

/// The start of a run, ready to be sent: `client.start(start.flow, start.input, start.options)`.
struct FlowStart {
    std::string flow;
    Payload input;
    StartOptions options;
};

/// Returns the start of a run with these params: a map, or null for an empty one. It has all terms
/// of the definition: those of `start_options`, and the concurrency key for these params. `by` is
/// the person or program that starts it. Returns `invalid_argument` for params that the definition
/// refuses, and for a key that cannot be evaluated.
[[nodiscard]] Result<FlowStart> flow_start(const Bundle& bundle,
                                           const expr::Value& params,
                                           const std::string& by);

/// Returns the concurrency key of a run with these params, which were checked, and what to do if
/// it is busy. None if the definition has no key, or if the key is null.
[[nodiscard]] Result<std::optional<belay::Concurrency>> concurrency_of(const Definition& definition,
                                                                       const expr::Map& params);

/// Returns the rate at which runs begin, if the definition has one.
[[nodiscard]] std::optional<belay::RateOfStarts> rate_of(const Definition& definition);

/// Returns the options of a start that do not depend on params: the document, the labels, the
/// priority, the expiry, the rate, and a run for the failure if the flow has `on_fail`.
[[nodiscard]] StartOptions start_options(const Bundle& bundle, const std::string& by);

/// Returns the input of a run with these params: a map, or null for an empty one. Returns
/// `invalid_argument` for a value that JSON cannot hold.
[[nodiscard]] Result<Payload> start_input(const expr::Value& params);

/// Returns the document of a bundle, as runs pin it.
[[nodiscard]] Payload document_of(const Bundle& bundle);

}  // namespace belay::flow
