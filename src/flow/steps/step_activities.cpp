#include "flow/steps/step_activities.hpp"

#include "flow/steps/http_step.hpp"
#include "flow/steps/program_step.hpp"

#include <memory>
#include <utility>

namespace belay::flow {

void add_step_activities(Registry& registry, const StepOptions& options) {
    if (options.programs()) {
        const auto programs = std::make_shared<const Programs>(options);
        registry.add(kRunProgram, [programs](ActivityContext& context, ProgramRequest request) {
            return run_program_step(context, programs, std::move(request));
        });
    }
    const auto steps = std::make_shared<HttpSteps>(options);
    registry.add(kSendHttp, [steps](ActivityContext& context, HttpRequest request) {
        return run_http_step(context, steps, std::move(request));
    });
}

}  // namespace belay::flow
