// Checks of the values that the code hands to the engine.
#pragma once

#include <belay/detail/engine.hpp>
#include <belay/error.hpp>
#include <belay/limits.hpp>
#include <belay/payload.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::replay {

/// Throws the error as the code sees it: LimitExceeded, or std::invalid_argument for other errors.
void require(const Result<void>& checked);
/// Throws if the name is empty, too long or not a name; `what` names it in the error.
void require_name(std::string_view what, const std::string& name, std::size_t most);
/// Throws if the payload is too large or has flags.
void require_payload(const std::string& what, const Payload& payload, const Limits& limits);
/// Throws if a name or label of the spec cannot be stored.
void require_names(const detail::OperationSpec& spec, const Limits& limits);
/// Throws if the status is too large.
void require_custom_status(const Payload& status, const Limits& limits);

}  // namespace belay::replay
