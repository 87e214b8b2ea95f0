#include "store/rules/guards/refusal.hpp"

#include <utility>

namespace belay::store {

Answer Refusal::answer() && {
    Answer answer;
    answer.verdict = Verdict::refused;
    answer.error = std::move(error);
    answer.instance = std::move(instance);
    answer.input_differs = input_differs;
    return answer;
}

Refusal refuse(Errc code, std::string message) {
    return Refusal{Error(code, std::move(message)), std::nullopt, false};
}

Refusal refuse(Errc code, std::string message, InstanceBrief instance) {
    return Refusal{Error(code, std::move(message)), std::move(instance), false};
}

Refusal no_such_instance(const InstanceName& name) {
    return refuse(Errc::not_found, "no instance '" + name.id + "'");
}

Refusal no_such_run(RunRef run) { return refuse(Errc::not_found, "no run " + to_string(run)); }

Refusal already_ended(const RunFacts& run) {
    return refuse(Errc::already_ended,
                  "instance '" + run.name->id + "' is " + std::string(to_string(run.status)),
                  run.brief());
}

}  // namespace belay::store
