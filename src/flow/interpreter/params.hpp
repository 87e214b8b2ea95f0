// Checks typed inputs: the parameters of a flow, and the fields of an approval's answer.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/definition.hpp"

#include <expected>
#include <string>
#include <vector>

namespace belay::flow {

/// Returns the values with the defaults of those that are missing. Otherwise returns the first
/// problem: "params.keep must be an integer". `path` names the whole: "params".
[[nodiscard]] std::expected<expr::Value, std::string> checked_params(
    const std::vector<Param>& params, const expr::Value& given, const std::string& path);

}  // namespace belay::flow
