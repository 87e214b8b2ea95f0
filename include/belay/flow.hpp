// Flows in C++: graphs of steps with typed inputs and outputs. Link belay::flow.
//
//     inline constexpr belay::Activity<Payment(Order)> Charge{"Charge"};
//     inline constexpr belay::Activity<std::string(Order, Payment)> Ship{"Ship"};
//
//     belay::Flow<std::string(Order)> flow("fulfil", "order");
//     auto order = flow.param<0>();
//     auto payment = flow.step(Charge, order).retry(belay::FlowRetry(5));
//     auto parcel = flow.step(Ship, order, payment);
//     flow.output(parcel);
//
//     auto run = client.start(flow, Order{"ann", 4200});
//     std::string number = run.result();
//
// A flow becomes the same definition that a YAML file gives, and runs in the same way. Workers
// need add_flows, and the activities. They need not have the flow: a run brings it along.
#pragma once

#include <belay/client_options.hpp>
#include <belay/flow/cancel_step.hpp>
#include <belay/flow/draft.hpp>
#include <belay/flow/failure.hpp>
#include <belay/flow/step.hpp>
#include <belay/flow/value.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay {

class Registry;
struct ScheduleSpec;

/// Lets a worker run flows: those of C++ and those of files, whatever their names. The activities
/// of their steps are registered by you; those that run programs and send HTTP requests are
/// included.
void add_flows(Registry& registry);

/// Declared by a signature only: see Flow<R(Params...)>.
template <class Signature>
class Flow {
    static_assert(!std::is_same_v<Signature, Signature>,
                  "belay: declare a flow by its signature: belay::Flow<Result(Parameters...)>");
};

/// A flow: its params, its steps and its output. Build it once, and start it any number of times.
/// Building is for one thread; after that any thread may start it. Copies mean the same flow.
///
/// A mistake (an id that is there twice, a cycle) is found by `check` and by every start. Passing a
/// value of another flow throws std::invalid_argument at once.
template <class R, class... Params>
class Flow<R(Params...)> : public FlowSteps {
public:
    /// The result of a run.
    using Result = R;

    /// `name`: small letters, digits, - and _. Runs are listed and counted by it. Then the name of
    /// each param, for people and for `belay run`: small letters, digits and _.
    template <class... Names>
        requires(sizeof...(Names) == sizeof...(Params) &&
                 (std::is_convertible_v<Names, std::string> && ...))
    explicit Flow(std::string name, Names&&... params)
        : FlowSteps(std::make_shared<detail::FlowDraft>(
                        std::move(name),
                        std::vector<detail::FlowParam>{detail::FlowParam{
                            std::string(std::forward<Names>(params)), type_of<Params>()}...}),
                    detail::FlowPart::steps) {
        if constexpr (!std::is_void_v<R>) {
            detail::check_flow_type<R>();
        } else {
            detail::FlowTerm nothing;
            nothing.text = "null";
            shared()->set_output(nothing, "json");
        }
    }

    /// The name.
    [[nodiscard]] const std::string& name() const noexcept { return shared()->name(); }

    /// Returns a param by its position: `flow.param<0>()`.
    template <std::size_t Position>
    [[nodiscard]] auto param() const {
        static_assert(Position < sizeof...(Params), "belay: the flow has fewer params");
        using T = std::tuple_element_t<Position, std::tuple<Params...>>;
        return FlowValue<T>(shared()->param(Position));
    }
    /// Returns all params: `auto [order, copies] = flow.params();`
    [[nodiscard]] std::tuple<FlowValue<Params>...> params() const {
        return params(std::index_sequence_for<Params...>{});
    }

    /// The output of a run. Every flow whose result is not void needs it.
    template <class Value>
    Flow& output(const Value& value) {
        static_assert(!std::is_void_v<R>, "belay: this flow is declared without a result");
        detail::check_flow_argument<R, const Value&>();
        shared()->set_output(detail::flow_argument<R>(value), detail::flow_type<R>());
        return *this;
    }

    /// Steps of a run of their own, which begins once the failure of a run is recorded. They see
    /// the params and `failure`, and no step of the flow.
    [[nodiscard]] FlowSteps on_fail() const { return part(detail::FlowPart::on_fail); }
    /// Steps that run after every outcome, also after a cancel. They use outputs of steps by
    /// `output_or`.
    [[nodiscard]] FlowSteps finally() const { return part(detail::FlowPart::finally); }
    /// Steps that run after a cancel, before those of `finally`.
    [[nodiscard]] FlowSteps on_cancel() const { return part(detail::FlowPart::on_cancel); }
    /// In `on_fail`: the failure.
    [[nodiscard]] FlowValue<FlowFailure> failure() const {
        return FlowValue<FlowFailure>(shared()->fact("failure"));
    }
    /// In `finally` and `on_cancel`: "completed", "failed" or "canceled".
    [[nodiscard]] FlowValue<std::string> outcome() const {
        return FlowValue<std::string>(shared()->fact("outcome.status"));
    }
    /// The id of the run.
    [[nodiscard]] FlowValue<std::string> run_id() const {
        return FlowValue<std::string>(shared()->fact("run.id"));
    }

    /// A text for people.
    Flow& description(std::string_view what) {
        shared()->set_text_of_flow("description", what);
        return *this;
    }
    /// A run for which this is false is skipped: none of its steps runs. It uses params only.
    Flow& when(const FlowValue<bool>& condition) {
        shared()->set_expression_of_flow("if", condition.term());
        return *this;
    }
    /// The time for a run. A longer one fails (kind timeout).
    Flow& timeout(Millis most) { return time("timeout", most); }
    /// The time for `on_cancel` after a cancel. Default: 30 min.
    Flow& on_cancel_timeout(Millis most) { return time("on_cancel_timeout", most); }
    /// The time for `finally`. Default: 30 min. It ends within 59 min after a cancel.
    Flow& finally_timeout(Millis most) { return time("finally_timeout", most); }
    /// A run that has not begun by then is canceled by policy.
    Flow& expires(Millis after) { return time("expires", after); }
    /// Of all runs with this key, one at a time is under way. It uses params only.
    template <class Key>
    Flow& concurrency(const FlowValue<Key>& key, WhenBusy when_busy = WhenBusy::queue) {
        shared()->set_concurrency(key.term(), name_of(when_busy));
        return *this;
    }
    /// At most `starts` runs begin within any `per`. See WhenOver.
    Flow& rate(std::uint32_t starts, Millis per, WhenOver when_over = WhenOver::queue) {
        shared()->set_rate(starts, per, name_of(when_over));
        return *this;
    }
    /// A label of each run.
    Flow& label(std::string name, std::string_view value) {
        shared()->add_label(std::move(name), value);
        return *this;
    }

    /// Checks the whole definition. Returns `invalid_argument` with all problems.
    [[nodiscard]] belay::Result<void> check() const { return shared()->check(); }
    /// Returns the definition as JSON, which is a file for `belay run`, `belay graph` and
    /// `belay schedules`.
    [[nodiscard]] std::string json() const { return shared()->text(); }
    /// Returns a handle for `client.wait` and `client.outcome`.
    [[nodiscard]] Definition<R(Payload)> handle() const {
        return Definition<R(Payload)>(shared()->name());
    }

    // For the client and for other flows.

    /// Encodes the arguments of a start, and adds to its options what the flow needs.
    template <class... Args>
    [[nodiscard]] belay::Result<Payload> prepare(StartOptions& options, const Args&... args) const {
        detail::Arguments<Params...>::template check<const Args&...>();
        std::vector<Payload> payloads;
        try {
            payloads =
                std::vector<Payload>{Codec<Params>::encode(detail::as_parameter<Params>(args))...};
        } catch (const std::exception& problem) {
            return Error(Errc::invalid_argument, problem.what());
        }
        if (auto prepared = shared()->prepare(options, payloads); !prepared) {
            return prepared.error();
        }
        return shared()->input(payloads);
    }
    /// Makes this flow the target of a schedule: ScheduleSpec::target.
    template <class... Args>
    void set_target(ScheduleSpec& schedule, const Args&... args) const {
        detail::Arguments<Params...>::template check<const Args&...>();
        const std::vector<Payload> payloads{
            Codec<Params>::encode(detail::as_parameter<Params>(args))...};
        shared()->set_target(schedule, payloads);
    }
    /// The flow, without its types.
    [[nodiscard]] std::shared_ptr<const detail::FlowDraft> draft() const { return shared(); }

private:
    template <class T>
    static std::string type_of() {
        detail::check_flow_type<T>();
        return detail::flow_type<T>();
    }
    static const char* name_of(WhenBusy when_busy) noexcept {
        switch (when_busy) {
            case WhenBusy::refuse: return "refuse";
            case WhenBusy::replace: return "replace";
            case WhenBusy::allow: return "allow";
            default: return "queue";
        }
    }
    static const char* name_of(WhenOver when_over) noexcept {
        switch (when_over) {
            case WhenOver::refuse: return "refuse";
            case WhenOver::drop: return "drop";
            default: return "queue";
        }
    }
    template <std::size_t... I>
    [[nodiscard]] std::tuple<FlowValue<Params>...> params(std::index_sequence<I...>) const {
        return std::tuple<FlowValue<Params>...>(param<I>()...);
    }
    [[nodiscard]] FlowSteps part(detail::FlowPart part) const { return FlowSteps(shared(), part); }
    Flow& time(const char* field, Millis time) {
        shared()->set_of_flow(field, detail::flow_time(time));
        return *this;
    }
};

}  // namespace belay
