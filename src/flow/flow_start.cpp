#include "flow/flow_start.hpp"

#include "flow/flow_code.hpp"
#include "flow/interpreter/run_input.hpp"
#include <belay/exceptions.hpp>

#include <utility>

namespace belay::flow {

Payload document_of(const Bundle& bundle) {
    return Payload(PayloadCodec::json, write_bundle(bundle));
}

StartOptions start_options(const Bundle& bundle, const std::string& by) {
    const Definition& main = bundle.main_flow();
    StartOptions options;
    options.version(std::string(kInterpreterVersion)).document(document_of(bundle));
    options.on_fail(!main.on_fail.empty());
    for (const auto& [name, value] : main.labels) options.label(name, value);
    if (!by.empty()) options.started_by(by).header(kStartedByHeader, by);
    return options;
}

Result<Payload> start_input(const expr::Value& params) {
    RunInput input;
    input.params = params;
    try {
        return encode_input(input);
    } catch (const OperationFailed& problem) {
        return Error(Errc::invalid_argument, problem.failure().message);
    }
}

}  // namespace belay::flow
