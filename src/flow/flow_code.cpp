#include "flow/flow_code.hpp"

#include "flow/definition/bundle.hpp"
#include "flow/interpreter/interpreter.hpp"
#include "flow/interpreter/plan.hpp"
#include "flow/steps/step_activities.hpp"
#include <belay/context.hpp>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace belay::flow {

namespace {

/// The code of the definitions of one bundle, by name.
using Handlers = std::map<std::string, OrchestrationHandler, std::less<>>;

}  // namespace

OrchestrationHandler compile_bundle(const Payload& document) {
    Result<Bundle> bundle = open_bundle(document.bytes);
    if (!bundle) throw std::invalid_argument(bundle.error().message());
    const auto handlers = std::make_shared<Handlers>();
    for (auto& [name, definition] : bundle->flows) {
        auto shared = std::make_shared<const Definition>(std::move(definition));
        handlers->emplace(name, handler_of(std::make_shared<const Plan>(std::move(shared))));
    }
    return [handlers = std::shared_ptr<const Handlers>(handlers)](
               OrchestrationContext context,
               const Payload& input) -> std::unique_ptr<belay::detail::Root> {
        const auto found = handlers->find(context.definition());
        if (found == handlers->end()) {
            throw std::invalid_argument("its document has no flow of the name '" +
                                        std::string(context.definition()) + "'");
        }
        return found->second(std::move(context), input);
    };
}

void add_flow_code(Registry& registry, const StepOptions& options) {
    registry.set_interpreter(DocumentCompiler(compile_bundle), std::string(kInterpreterVersion));
    add_step_activities(registry, options);
}

}  // namespace belay::flow
