#include "flow/interpreter/calls.hpp"

#include "flow/definition/limits.hpp"
#include "flow/interpreter/code_values.hpp"
#include "flow/interpreter/requests_of.hpp"
#include "flow/interpreter/run_input.hpp"
#include "flow/steps/requests.hpp"
#include <belay/call_options.hpp>
#include <belay/handle.hpp>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace belay::flow {

namespace {

/// The terms on which an action of a step is called.
struct Terms {
    const Step* step = nullptr;
    bool is_cleanup = false;

    [[nodiscard]] const Action& action() const noexcept {
        return is_cleanup ? step->on_cancel->action : step->action;
    }
    [[nodiscard]] const std::vector<std::pair<std::string, Form>>& env() const noexcept {
        return is_cleanup ? step->on_cancel->env : step->env;
    }
    [[nodiscard]] const std::vector<std::pair<std::string, Form>>& with() const noexcept {
        return is_cleanup ? step->on_cancel->with : step->with;
    }
    [[nodiscard]] const std::optional<CodeArguments>& args() const noexcept {
        return is_cleanup ? step->on_cancel->args : step->args;
    }
    [[nodiscard]] std::optional<Millis> timeout() const noexcept {
        return is_cleanup ? step->on_cancel->timeout : step->timeout;
    }
    [[nodiscard]] bool has_retries() const noexcept {
        return !is_cleanup && step->retry.attempts > 1;
    }
};

RetryPolicy policy_of(const Retry& retry) {
    return RetryPolicy::exponential(retry.delay, retry.factor)
        .attempts(retry.attempts)
        .max_delay(retry.max_delay);
}

CallOptions options_of(const Terms& terms, const expr::Map& variables) {
    CallOptions options;
    if (const std::optional<Form>& key = terms.step->limit_key) {
        options.fairness_key(text_of(evaluated(*key, variables)));
    }
    options.queue(terms.step->queue).session(terms.step->session).priority(terms.step->priority);
    if (const auto timeout = terms.timeout()) options.start_to_close(*timeout);
    if (terms.has_retries()) options.retry(policy_of(terms.step->retry));
    return options;
}

/// Makes the id of a child under its parent: "prune", or "prune-17" for an item of a map.
ChildOptions child_options_of(const Terms& terms, const Spot& spot) {
    ChildOptions options;
    std::string id = terms.step->id;
    if (spot.item) id.append("-").append(std::to_string(*spot.item));
    if (terms.is_cleanup) id += "-cancel";
    options.id(std::move(id)).with_document();
    if (!terms.has_retries() && !terms.step->timeout) return options;
    RetryPolicy policy = terms.has_retries() ? policy_of(terms.step->retry) : RetryPolicy::none();
    if (terms.step->timeout) policy.attempt_timeout(*terms.step->timeout);
    return options.retry(std::move(policy));
}

class Caller {
public:
    Caller(const OrchestrationContext& ctx,
           const GraphRun& graph,
           const Spot& spot,
           const Terms& terms,
           const expr::Map& variables)
        : ctx_(ctx), graph_(graph), spot_(spot), terms_(terms), variables_(variables) {}

    belay::Call<Payload> operator()(const Exec& exec) const { return program(&exec, {}); }
    belay::Call<Payload> operator()(const Script& script) const {
        return program(nullptr, script.text);
    }
    belay::Call<Payload> operator()(const Http& http) const {
        const HttpRequest request = http_request(requester(), http);
        return ctx_.call(kSendHttp.with(options_of(terms_, variables_)), request);
    }
    belay::Call<Payload> operator()(const Call& call) const {
        const belay::Activity<Payload(Payload)> activity{call.activity};
        return ctx_.call(activity.with(options_of(terms_, variables_)),
                         terms_.args() ? arguments() : input());
    }
    belay::Call<Payload> operator()(const SubFlow& flow) const {
        refuse_deep_nesting();
        const belay::Definition<Payload(Payload)> definition{flow.flow};
        ChildOptions options = child_options_of(terms_, spot_);
        options.on_fail(flow.has_on_fail);
        return ctx_.call(definition.with(options), input_of_flow());
    }
    belay::Call<Payload> operator()(const auto& /*no_call*/) const {
        throw_failure(FailureKind::application,
                      "a step of the kind '" + std::string(kind_of(terms_.action())) +
                          "' cannot stand here: use exec, script, http, activity or flow",
                      "definition");
    }

private:
    [[nodiscard]] Requester requester() const {
        return Requester(graph_.run(), *terms_.step, spot_, variables_);
    }
    [[nodiscard]] belay::Call<Payload> program(const Exec* exec, std::string script) const {
        ProgramRequest request =
            program_request(requester(), exec, std::move(script), terms_.env());
        if (terms_.is_cleanup) {
            request.input.clear();
            request.stop_signal = kStopSignals[0].second;
            const std::optional<Form>& dir = terms_.step->on_cancel->dir;
            if (dir) request.directory = requester().text(*dir);
        }
        return ctx_.call(kRunProgram.with(options_of(terms_, variables_)), request);
    }
    [[nodiscard]] Payload input() const {
        Fields fields;
        for (const auto& [name, form] : terms_.with()) {
            fields.emplace_back(name, evaluated(form, variables_));
        }
        return payload_of(expr::Value(map_of(std::move(fields))), "`with`", graph_.run().limits);
    }

    [[nodiscard]] Payload arguments() const {
        std::vector<expr::Value> values;
        values.reserve(terms_.args()->values.size());
        for (const Form& form : terms_.args()->values) {
            values.push_back(evaluated(form, variables_));
        }
        return arguments_of(values, terms_.args()->types, graph_.run().limits);
    }
    /// Flows may start themselves. The id of a run has a part for each level.
    void refuse_deep_nesting() const {
        const auto levels = std::ranges::count(ctx_.instance_id(), '/');
        if (static_cast<std::uint32_t>(levels) < kDeepestFlows) return;
        throw_failure(
            FailureKind::limit,
            "flows start one another more than " + std::to_string(kDeepestFlows) + " levels deep",
            "limit");
    }
    /// A flow that was under way before goes on with what it has, if it is given the same.
    [[nodiscard]] Payload input_of_flow() const {
        Payload plain = input();
        const std::optional<KeptResults>& kept = graph_.run().kept;
        if (!kept || terms_.is_cleanup || graph_.list() != ListName::steps) return plain;
        RunInput input;
        input.params = value_of(plain);
        input.resume = kept->path_below(place_name(terms_.step->id, spot_.item), input.params);
        return input.resume ? encode_input(input) : plain;
    }

    const OrchestrationContext& ctx_;
    const GraphRun& graph_;
    const Spot& spot_;
    const Terms& terms_;
    const expr::Map& variables_;
};

belay::Call<Payload> made(const OrchestrationContext& ctx,
                          const GraphRun& graph,
                          const Spot& spot,
                          const Terms& terms,
                          const expr::Map& variables) {
    return std::visit(Caller(ctx, graph, spot, terms, variables), terms.action());
}

}  // namespace

belay::Call<Payload> call_of(const OrchestrationContext& ctx,
                             const GraphRun& graph,
                             const Spot& spot,
                             const expr::Map& variables) {
    return made(ctx, graph, spot, Terms{&graph.step(spot), false}, variables);
}

belay::Call<Payload> cleanup_call_of(const OrchestrationContext& ctx,
                                     const GraphRun& graph,
                                     const Spot& spot,
                                     const expr::Map& variables) {
    return made(ctx, graph, spot, Terms{&graph.step(spot), true}, variables);
}

expr::Value evaluated(const Form& form, const expr::Map& variables) {
    auto value = form.run(variables);
    if (!value) throw_problem(value.error());
    return *std::move(value);
}

}  // namespace belay::flow
