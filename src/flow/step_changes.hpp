// Compares the steps of two definitions for a run that is resumed.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/bundle.hpp"
#include "flow/definition/result_texts.hpp"

#include <map>
#include <string>
#include <vector>

namespace belay::flow {

/// Tells if a step would give another result in the new definition, with the same params and the
/// same results of the steps before it. A step uses the `env` of its flow, the defaults of params,
/// the places of secrets, and the definitions of the flows that it starts.
class StepChanges {
public:
    /// `flow`: the definition whose steps are compared; both bundles have it. `params`: as the run
    /// was given them.
    StepChanges(const Bundle& old,
                const Bundle& now,
                const std::string& flow,
                const expr::Value& params);

    /// Returns the part that has changed, as the end of "the step has ended, and ...". Empty if
    /// there is none, and for a definition that was not read from a text.
    [[nodiscard]] std::string of(const Step& step) const;

private:
    const Bundle& old_;
    const Bundle& now_;
    const Definition& definition_;
    ResultTexts old_texts_;
    ResultTexts now_texts_;
    std::vector<std::string> params_;   ///< Those that have another value.
    std::vector<std::string> secrets_;  ///< Those that are read from another place.
};

}  // namespace belay::flow
