// The params and secrets that a step uses, found without evaluating anything.
#pragma once

#include "flow/definition/definition.hpp"

#include <set>
#include <string>

namespace belay::flow {

struct UsedNames {
    std::set<std::string> params{};   ///< Named, as in `params.keep`.
    std::set<std::string> secrets{};  ///< Named, as in `secrets.token`.
    bool all_params = false;          ///< `params` is used as a whole.
    bool all_secrets = false;         ///< `secrets` is used as a whole.
};

/// Returns the names that decide the result of a step: those of its condition, its map, its action
/// and the environment of its program. `env`: that of the flow.
[[nodiscard]] UsedNames used_names(const Step& step, const FormFields& env);

}  // namespace belay::flow
