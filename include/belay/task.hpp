// Tasks: one activity that is started on its own. Link belay::flow.
//
//     inline constexpr belay::Activity<Receipt(Order)> Charge{"Charge"};
//     inline constexpr belay::Activity<void(Order, belay::FlowFailure)> Apologise{"Apologise"};
//
//     belay::Task<Receipt(Order)> task("charge", Charge);
//     task.retry(belay::FlowRetry(5)).timeout(30s).on_fail(Apologise);
//
//     auto run = client.start(task, StartOptions().id("order-7").priority(3), order);
//
// Delay, priority, expiry, concurrency key, deadline, headers and idempotency key of a run are
// options of its start (StartOptions). A cancel names the task by CancelOptions::definition.
#pragma once

#include <belay/flow.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace belay {

/// Declared by a signature only: see Task<R(Params...)>.
template <class Signature>
class Task {
    static_assert(!std::is_same_v<Signature, Signature>,
                  "belay: declare a task by its signature: belay::Task<Result(Parameters...)>");
};

/// A flow of one step. The worker that has the activity need not be this process. Its params are
/// named input1, input2 and so on; the name of an only one is `input`.
template <class R, class... Params>
class Task<R(Params...)> : public Flow<R(Params...)> {
public:
    /// `name`: small letters, digits, - and _.
    Task(std::string name, const Activity<R(Params...)>& activity)
        : Task(std::move(name), activity, std::index_sequence_for<Params...>{}) {}

    /// Retries a failed attempt. Default: no retries.
    Task& retry(const FlowRetry& retry) {
        step_.retry(retry);
        return *this;
    }
    /// The time for each attempt.
    Task& timeout(Millis most) {
        step_.timeout(most);
        return *this;
    }
    /// The queue of the activity. Default: the default queue.
    Task& queue(std::string_view name) {
        step_.queue(name);
        return *this;
    }
    /// The session of the activity: see CallOptions::session.
    Task& session(std::string_view name) {
        step_.session(name);
        return *this;
    }
    /// A run for which this is false is skipped. `condition` gets the params.
    ///
    ///     task.when([](auto order) { return order.template field<int>("cents") > 0; });
    template <class Condition>
        requires std::is_invocable_r_v<FlowValue<bool>, Condition, FlowValue<Params>...>
    Task& when(Condition&& condition) {
        Flow<R(Params...)>::when(std::apply(std::forward<Condition>(condition), this->params()));
        return *this;
    }
    using Flow<R(Params...)>::when;

    /// Calls an activity with the input and the failure, in a run of its own, once the failure of a
    /// run is recorded. It has its own retries.
    template <class Other>
    Task& on_fail(const Activity<Other(Params..., FlowFailure)>& activity,
                  const FlowRetry& retry = FlowRetry(1)) {
        std::apply(
            [&](const auto&... params) {
                this->handler().step(activity, params..., this->failure()).retry(retry);
            },
            this->params());
        return *this;
    }

private:
    template <std::size_t... I>
    Task(std::string name, const Activity<R(Params...)>& activity, std::index_sequence<I...>)
        : Flow<R(Params...)>(std::move(name), param_name(I)...),
          step_(this->step("run", activity, this->template param<I>()...)) {
        if constexpr (!std::is_void_v<R>) this->output(step_);
    }
    static std::string param_name(std::size_t position) {
        std::string name("input");
        if (sizeof...(Params) > 1) name += std::to_string(position + 1);
        return name;
    }
    [[nodiscard]] FlowSteps handler() const { return Flow<R(Params...)>::on_fail(); }

    FlowStep<R> step_;
};

}  // namespace belay
