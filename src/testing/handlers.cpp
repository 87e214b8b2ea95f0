#include "testing/handlers.hpp"

#include <belay/exceptions.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace belay::testing {

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): outlives the coroutine.
Async<Payload> wait_until_stopped(ActivityContext& context) {
    const StopReason reason = co_await context.stopped();
    throw Stopped(reason);
    co_return Payload();
}

/// Throws as often as it should.
class FailingCalls {
public:
    explicit FailingCalls(const FailsFirst& stand_in)
        : left_(stand_in.times()), failure_(stand_in.failure()) {}
    void next() {
        if (left_ == 0) return;
        if (left_ != std::numeric_limits<std::uint32_t>::max()) --left_;
        throw OperationFailed(failure_);
    }

private:
    std::uint32_t left_;
    Failure failure_;
};

}  // namespace

ActivityHandler never_answering_handler() {
    return ActivityHandler::Coroutine([](ActivityContext& context, const Payload& /*input*/) {
        return wait_until_stopped(context);
    });
}

ActivityHandler failing_handler(const std::string& activity,
                                const FailsFirst& stand_in,
                                const std::optional<ActivityHandler>& then,
                                const Complain& complain) {
    // Handlers are copied; the calls are counted once.
    auto failing = std::make_shared<FailingCalls>(stand_in);
    if (!then) {
        return ActivityHandler::Function(
            [activity, failing, complain](ActivityContext& /*context*/, const Payload& /*input*/) {
                failing->next();
                complain("activity '" + activity +
                         "' was to fail at first, and then there is no code for it: register it, "
                         "or replace it with what it should do before saying that it fails first");
                return Payload();
            });
    }
    if (then->is_function()) {
        return ActivityHandler::Function(
            [failing, then = *then](ActivityContext& context, const Payload& input) {
                failing->next();
                return then.call(context, input);
            });
    }
    return ActivityHandler(
        ActivityHandler::Coroutine(
            [failing, then = *then](ActivityContext& context, const Payload& input) {
                failing->next();
                return then.start(context, input);
            }),
        then->kind());
}

ActivityHandler in_order_handler(const std::string& activity,
                                 std::vector<Payload> results,
                                 const Complain& complain) {
    struct State {
        std::vector<Payload> results;
        std::size_t next = 0;
    };
    auto state = std::make_shared<State>();
    state->results = std::move(results);
    return ActivityHandler::Function(
        [activity, state, complain](ActivityContext& /*context*/, const Payload& /*input*/) {
            if (state->next == state->results.size()) {
                complain("activity '" + activity + "' was called more often than the " +
                         std::to_string(state->results.size()) +
                         (state->results.size() == 1 ? " time" : " times") +
                         " that returns() has a value for");
            }
            return state->results.at(state->next++);
        });
}

}  // namespace belay::testing
