#include "flow/steps/step_attempt.hpp"

namespace belay::flow {

StepAttempt attempt_of(const ActivityContext& context, const ProgramRequest& request) {
    StepAttempt attempt;
    attempt.run.id = request.run.empty() ? context.instance_id() : request.run;
    attempt.execution = context.execution();
    attempt.step = request.step;
    attempt.item = request.item;
    attempt.attempt = context.attempt();
    attempt.key = context.idempotency_key();
    return attempt;
}

void warn_of_short_secrets(const ActivityContext& context, const Secrets& secrets) {
    for (const std::string& name : secrets.too_short()) {
        context.log().warning("secret '" + name + "' has fewer than " +
                              std::to_string(kShortestMasked) +
                              " bytes and is not masked in output");
    }
}

Failure masked(Failure failure, const Masker& masker) {
    failure.message = masker.mask(failure.message);
    failure.detail = masker.mask(failure.detail);
    return failure;
}

}  // namespace belay::flow
