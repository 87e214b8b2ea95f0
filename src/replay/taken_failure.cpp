// The failure that a run was started for.
#include "model/encoding.hpp"
#include <belay/context.hpp>

namespace belay {

std::optional<Failure> OrchestrationContext::take_failure() const {
    const std::optional<Payload> taken =
        engine().try_take(MessageKind::event_raised, std::string(kRunFailedEvent));
    if (!taken) return std::nullopt;
    const Result<Failure> failure = model::failure_of(*taken);
    if (!failure) throw DecodeError(failure.error().message());
    return *failure;
}

}  // namespace belay
