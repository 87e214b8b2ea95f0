// The steps that expressions use, found without evaluating them.
#pragma once

#include "flow/definition/definition.hpp"

#include <set>
#include <string>

namespace belay::flow {

/// The steps that a part of a definition uses.
struct Uses {
    std::set<std::string, std::less<>> steps{};    ///< Named, as in `steps.dump`.
    std::set<std::string, std::less<>> outputs{};  ///< Those of which the results are used.
    bool all = false;                              ///< `steps` is used as a whole.
    std::set<std::string, std::less<>> params{};   ///< Named, as in `params.hosts`.
    bool all_params = false;                       ///< `params` is used as a whole.
    std::set<std::string, std::less<>> names{};    ///< Of all variables.
};

void add_uses(const expr::Program& program, Uses& uses);
void add_uses(const Form& form, Uses& uses);
void add_uses(const Step& step, Uses& uses);
/// Adds what is evaluated for each item, if the step is a map: its action and its cleanup.
void add_item_uses(const Step& step, Uses& uses);

}  // namespace belay::flow
