// The requests of exec, script and http steps, with their expressions evaluated.
#pragma once

#include "flow/interpreter/graph_run.hpp"
#include "flow/steps/requests.hpp"

#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

/// The step for which a request is made. Its expressions may use the variable `secrets`.
class Requester {
public:
    Requester(const Run& run, const Step& step, const Spot& spot, const expr::Map& variables);

    [[nodiscard]] const Run& run() const noexcept { return run_; }
    [[nodiscard]] const Step& step() const noexcept { return step_; }
    [[nodiscard]] std::optional<std::uint64_t> item() const noexcept { return item_; }
    /// Evaluates a form as a text: numbers and lists are JSON in it. Throws OperationFailed.
    [[nodiscard]] std::string text(const Form& form) const;
    [[nodiscard]] expr::Value value(const Form& form) const;

private:
    const Run& run_;
    const Step& step_;
    std::optional<std::uint64_t> item_;
    expr::Map variables_;
};

/// `exec`: null for a script. `env`: beside the variables of the whole definition.
[[nodiscard]] ProgramRequest program_request(const Requester& requester,
                                             const Exec* exec,
                                             std::string script,
                                             const std::vector<std::pair<std::string, Form>>& env);

[[nodiscard]] HttpRequest http_request(const Requester& requester, const Http& http);

}  // namespace belay::flow
