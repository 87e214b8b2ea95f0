// Steps of flows, and the lists that they are added to.
#pragma once

#include <belay/flow/draft.hpp>
#include <belay/flow/value.hpp>
#include <belay/handle.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace belay {

template <class Signature>
class Flow;

/// The retries of a step: `FlowRetry(5).delay(10s)`.
class FlowRetry {
public:
    /// `attempts`: the first one included.
    explicit FlowRetry(std::uint32_t attempts) noexcept { retries_.attempts = attempts; }
    /// The wait before the second attempt. Default: 1 s.
    FlowRetry& delay(Millis first) noexcept {
        retries_.delay = first;
        return *this;
    }
    /// Each wait is this many times as long as the one before. Default: 2.
    FlowRetry& factor(double factor) noexcept {
        retries_.factor = factor;
        return *this;
    }
    /// The longest wait. Default: 5 minutes.
    FlowRetry& max_delay(Millis most) noexcept {
        retries_.max_delay = most;
        return *this;
    }
    /// What was set, for the flow.
    [[nodiscard]] const detail::FlowRetries& retries() const noexcept { return retries_; }

private:
    detail::FlowRetries retries_;
};

namespace detail {

/// A step, without the type of its output.
class AnyFlowStep {
public:
    AnyFlowStep(std::shared_ptr<FlowDraft> flow, std::size_t number)
        : flow_(std::move(flow)), number_(number) {}

    [[nodiscard]] const std::shared_ptr<FlowDraft>& flow() const noexcept { return flow_; }
    [[nodiscard]] std::size_t number() const noexcept { return number_; }

private:
    std::shared_ptr<FlowDraft> flow_;
    std::size_t number_;
};

template <class... Params, class... Args>
std::vector<FlowArgument> flow_arguments(const Args&... args) {
    static_assert(sizeof...(Args) == sizeof...(Params),
                  "belay: wrong number of arguments: pass one for each parameter that the handle "
                  "declares");
    std::vector<FlowArgument> all;
    if constexpr (sizeof...(Args) == sizeof...(Params)) {
        (check_flow_type<Params>(), ...);
        (check_flow_argument<Params, const Args&>(), ...);
        all.reserve(sizeof...(Params));
        (all.push_back(FlowArgument{flow_argument<Params>(args), flow_type<Params>()}), ...);
    }
    return all;
}

/// An element of the list of a map.
template <class T>
FlowValue<T> map_item() {
    FlowTerm term;
    term.text = "item";
    return FlowValue<T>(std::move(term));
}

/// The results of all items of a map.
template <class R>
struct Mapped {
    using Type = std::vector<R>;
};
template <>
struct Mapped<void> {
    using Type = void;
};

}  // namespace detail

/// A step of a flow whose output is a T. It is its own output: pass it to later steps, which then
/// need this one. Copies mean the same step.
template <class T>
class FlowStep : public FlowValue<T>, public detail::AnyFlowStep {
public:
    /// Made by FlowSteps.
    FlowStep(std::shared_ptr<detail::FlowDraft> flow, std::size_t number)
        : FlowValue<T>(flow->output_of(number)), AnyFlowStep(std::move(flow), number) {}

    /// Returns the output, or `otherwise` if the step did not complete. A step that uses it runs in
    /// both cases, after this one has ended.
    template <class Other>
    [[nodiscard]] FlowValue<T> output_or(const Other& otherwise) const {
        static_assert(!std::is_void_v<T>, "belay: this step has no output");
        detail::check_flow_argument<T, const Other&>();
        return FlowValue<T>(flow()->output_or(number(), detail::flow_argument<T>(otherwise)));
    }
    /// Returns "completed", "failed" or "skipped"; "canceled" too, in `finally` and `on_cancel`.
    [[nodiscard]] FlowValue<std::string> status() const {
        return FlowValue<std::string>(flow()->of_ended(number(), "status"));
    }

    /// The step begins when these have completed. If one of them does not, it is skipped. The steps
    /// whose outputs it gets are needed without this.
    template <class... Steps>
    FlowStep& needs(const Steps&... steps) {
        (flow()->need(number(), steps.number()), ...);
        return *this;
    }
    /// The step begins when these have ended, in any way.
    template <class... Steps>
    FlowStep& after(const Steps&... steps) {
        (flow()->come_after(number(), steps.number()), ...);
        return *this;
    }
    /// The step is skipped if this is false, and so are all steps that need it.
    FlowStep& when(const FlowValue<bool>& condition) {
        flow()->set_expression(number(), "if", condition.term());
        return *this;
    }
    /// Retries a failed attempt. Default: no retries.
    FlowStep& retry(const FlowRetry& retry) {
        flow()->set_retries(number(), retry.retries());
        return *this;
    }
    /// The time for each attempt; for a wait or an approval, the time to wait.
    FlowStep& timeout(Millis most) {
        flow()->set_timeout(number(), most);
        return *this;
    }
    /// The consequence of the timeout of a wait or an approval.
    FlowStep& on_timeout(FlowTimeout then) {
        flow()->set_on_timeout(number(), then);
        return *this;
    }
    /// The queue of its activity. Default: the default queue.
    FlowStep& queue(std::string_view name) { return text("queue", name); }
    /// The session of its activity: see CallOptions::session.
    FlowStep& session(std::string_view name) { return text("session", name); }
    /// A key by which the limits of its queue count: see CallOptions::fairness_key. Default: none.
    template <class Text>
    FlowStep& limit_key(const Text& key) {
        detail::check_flow_argument<std::string, const Text&>();
        const detail::FlowTerm term = detail::flow_argument<std::string>(key);
        flow()->set(number(), "limit_key", detail::flow_hole(term));
        flow()->use(number(), term);
        return *this;
    }
    /// Activities with a higher priority begin first. Default: 0.
    FlowStep& priority(std::int32_t priority) { return json("priority", std::to_string(priority)); }
    /// A text for people.
    FlowStep& description(std::string_view what) { return text("description", what); }
    /// A failure does not fail the flow. Steps that need this one are skipped.
    FlowStep& may_fail() { return json("may_fail", "true"); }
    /// Ends the flow at once, as completed, if this is true once the step has completed. It may use
    /// the output of this step.
    FlowStep& end_flow_when(const FlowValue<bool>& condition) {
        flow()->set_expression(number(), "end_flow", condition.term());
        return *this;
    }
    /// Calls an activity if the step, or an item of it, is canceled after it has begun.
    template <class R, class... Params, class... Args>
    FlowStep& on_cancel(const Activity<R(Params...)>& activity, const Args&... args) {
        flow()->set_on_cancel(
            number(), activity.name(), detail::flow_arguments<Params...>(args...));
        return *this;
    }
    /// A variable of the environment of a program.
    template <class Text>
    FlowStep& env(std::string_view name, const Text& value) {
        detail::check_flow_argument<std::string, const Text&>();
        flow()->add_variable(number(), name, detail::flow_argument<std::string>(value));
        return *this;
    }
    /// The signal that asks a program to end when the step is stopped: "INT". Default: "TERM".
    FlowStep& stop_signal(std::string_view name) { return text("stop_signal", name); }

    // For a step made by `map`.

    /// The number of items under way at a time. Default: 16.
    FlowStep& window(std::uint32_t items) { return json("window", std::to_string(items)); }
    /// The step fails with one more failed item. The output has only the results of items that
    /// completed. Default: 0.
    FlowStep& items_may_fail(std::uint32_t items) {
        return json("items_may_fail", std::to_string(items));
    }
    /// All items may fail.
    FlowStep& all_items_may_fail() { return json("items_may_fail", "true"); }

private:
    FlowStep& text(const char* field, std::string_view value) {
        flow()->set_text(number(), field, value);
        return *this;
    }
    FlowStep& json(const char* field, std::string value) {
        flow()->set(number(), field, std::move(value));
        return *this;
    }
};

/// A question to a person. It fails if the answer is no.
class FlowApproval : public FlowStep<void> {
public:
    using FlowStep<void>::FlowStep;

    /// Asks for a value. Returns it.
    template <class T>
    FlowValue<T> asks(std::string_view name) {
        detail::check_flow_type<T>();
        return FlowValue<T>(flow()->add_question(number(), name, detail::flow_type<T>()));
    }
    /// Returns who answered.
    [[nodiscard]] FlowValue<std::string> by() const {
        return FlowValue<std::string>(detail::wrapped_term("", term(), ".by"));
    }
};

/// A list of steps: those of a flow, or of one of its handlers. Steps run in parallel as far as
/// they do not need one another. The id of a step is what people see. It has small letters, digits
/// and _. Default: the name of what it runs, so that "ChargeCard" is charge_card.
class FlowSteps {
public:
    /// Made by Flow.
    FlowSteps(std::shared_ptr<detail::FlowDraft> flow, detail::FlowPart part)
        : flow_(std::move(flow)), part_(part) {}

    /// Runs an activity.
    ///
    ///     auto payment = flow.step(Charge, order, 3);
    template <class R, class... Params, class... Args>
    FlowStep<R> step(std::string id, const Activity<R(Params...)>& activity, const Args&... args) {
        check_result<R>();
        return made<R>(flow_->add_activity(
            part_, std::move(id), activity.name(), detail::flow_arguments<Params...>(args...)));
    }
    template <class R, class... Params, class... Args>
    FlowStep<R> step(const Activity<R(Params...)>& activity, const Args&... args) {
        return step(detail::step_id_of(activity.name()), activity, args...);
    }
    /// Runs another flow, as a child.
    template <class R, class... Params, class... Args>
    FlowStep<R> step(std::string id, const Flow<R(Params...)>& flow, const Args&... args) {
        return made<R>(flow_->add_flow(
            part_, std::move(id), flow.draft(), detail::flow_arguments<Params...>(args...)));
    }
    template <class R, class... Params, class... Args>
    FlowStep<R> step(const Flow<R(Params...)>& flow, const Args&... args) {
        return step(detail::step_id_of(flow.name()), flow, args...);
    }

    /// Runs an activity, or a flow, for each element of a list, which is its first argument. The
    /// output is the list of the results, in order.
    ///
    ///     auto sizes = flow.map(Dump, databases).window(4);
    template <class R, class First, class... Rest, class List, class... Args>
    FlowStep<typename detail::Mapped<R>::Type> map(std::string id,
                                                   const Activity<R(First, Rest...)>& activity,
                                                   const List& list,
                                                   const Args&... args) {
        return mapped<R, First>(list,
                                step(std::move(id), activity, detail::map_item<First>(), args...));
    }
    template <class R, class First, class... Rest, class List, class... Args>
    FlowStep<typename detail::Mapped<R>::Type> map(const Activity<R(First, Rest...)>& activity,
                                                   const List& list,
                                                   const Args&... args) {
        return map(detail::step_id_of(activity.name()), activity, list, args...);
    }
    template <class R, class First, class... Rest, class List, class... Args>
    FlowStep<typename detail::Mapped<R>::Type> map(std::string id,
                                                   const Flow<R(First, Rest...)>& flow,
                                                   const List& list,
                                                   const Args&... args) {
        return mapped<R, First>(list,
                                step(std::move(id), flow, detail::map_item<First>(), args...));
    }

    /// Waits for an event that is raised to the run: `run.raise("paid", 7)`.
    template <class T>
    FlowStep<T> wait(std::string id, std::string_view event) {
        if constexpr (!std::is_void_v<T>) detail::check_flow_type<T>();
        std::string value(R"({"event":)");
        value.append(detail::flow_text(event)).append("}");
        return made<T>(flow_->add(part_, std::move(id), "wait", std::move(value)));
    }
    /// Waits. It survives restarts.
    FlowStep<void> sleep(std::string id, Millis time) {
        return made<void>(flow_->add(part_, std::move(id), "sleep", detail::flow_time(time)));
    }
    /// Asks a person, who answers with `belay approve` or `POST`.
    template <class Text>
    FlowApproval approval(std::string id, const Text& prompt) {
        detail::check_flow_argument<std::string, const Text&>();
        const detail::FlowTerm term = detail::flow_argument<std::string>(prompt);
        const std::size_t number = flow_->add(part_, std::move(id), "approval", "{}");
        flow_->set_inside(number, "prompt", detail::flow_hole(term));
        flow_->use(number, term);
        return FlowApproval(flow_, number);
    }
    /// Gives a value a name and a place in the graph.
    template <class T>
    FlowStep<T> set(std::string id, const FlowValue<T>& value) {
        return made<T>(flow_->add_expression(part_, std::move(id), "set", value.term()));
    }
    /// Runs a program, without a shell. The output is its standard output, as text.
    FlowStep<std::string> program(std::string id, const std::vector<std::string>& arguments) {
        std::string value("[");
        for (const std::string& argument : arguments) {
            if (value.size() > 1) value += ',';
            value += detail::flow_text(argument);
        }
        value += ']';
        return made_program(flow_->add(part_, std::move(id), "exec", std::move(value)));
    }
    /// Runs a script with `sh -eu`. Values come by `env`.
    FlowStep<std::string> script(std::string id, std::string_view text) {
        return made_program(flow_->add(part_, std::move(id), "script", detail::plain_text(text)));
    }

protected:
    /// The flow, without its types.
    [[nodiscard]] const std::shared_ptr<detail::FlowDraft>& shared() const noexcept {
        return flow_;
    }

private:
    template <class R>
    static consteval void check_result() {
        if constexpr (!std::is_void_v<R>) {
            static_assert(!detail::kIsOptional<R>,
                          "belay: a step cannot have an optional output: return a JSON value");
            detail::check_flow_type<R>();
        }
    }
    template <class R>
    [[nodiscard]] FlowStep<R> made(std::size_t number) const {
        return FlowStep<R>(flow_, number);
    }
    [[nodiscard]] FlowStep<std::string> made_program(std::size_t number) const {
        flow_->set_text(number, "output", "text");
        return made<std::string>(number);
    }
    template <class R, class First, class List>
    FlowStep<typename detail::Mapped<R>::Type> mapped(const List& list, const FlowStep<R>& step) {
        detail::check_flow_argument<std::vector<First>, const List&>();
        flow_->set_expression(
            step.number(), "map", detail::flow_argument<std::vector<First>>(list));
        return made<typename detail::Mapped<R>::Type>(step.number());
    }

    std::shared_ptr<detail::FlowDraft> flow_;
    detail::FlowPart part_;
};

}  // namespace belay
