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
};

void add_uses(const expr::Program& program, Uses& uses);
void add_uses(const Form& form, Uses& uses);
void add_uses(const Step& step, Uses& uses);

}  // namespace belay::flow
