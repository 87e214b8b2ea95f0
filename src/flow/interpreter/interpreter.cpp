#include "flow/interpreter/interpreter.hpp"

#include "flow/definition/bundle.hpp"
#include "flow/definition/limits.hpp"
#include "flow/definition/params.hpp"
#include "flow/interpreter/calls.hpp"
#include "flow/interpreter/cancels.hpp"
#include "flow/interpreter/code_values.hpp"
#include "flow/interpreter/graph_run.hpp"
#include "flow/interpreter/maps.hpp"
#include "flow/interpreter/steps.hpp"
#include "model/thrown.hpp"
#include <belay/client_options.hpp>
#include <belay/exceptions.hpp>

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay::flow {

namespace {

using expr::Value;
using SharedGraph = std::shared_ptr<GraphRun>;

// ---- The facts of a run ------------------------------------------------------------------------

expr::Instant instant_of(Timestamp at) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
    const auto nanos = std::chrono::nanoseconds(at - seconds).count();
    return expr::Instant{seconds.time_since_epoch().count(), static_cast<std::int32_t>(nanos)};
}

/// The header that tells who started a run.
constexpr const char* kStartedBy = "started-by";

Value facts_of(const OrchestrationContext& ctx, const Run& run) {
    Fields headers;
    std::string started_by;
    Value repeats;
    for (const auto& [name, value] : ctx.headers()) {
        headers.emplace_back(name, Value(value));
        if (name == kStartedBy) started_by = value;
        if (name == kRerunHeader) repeats = Value(value);
    }
    Fields fields;
    fields.emplace_back("id", Value(run.id));
    fields.emplace_back("flow", Value(ctx.definition()));
    fields.emplace_back("created", Value(instant_of(run.created)));
    fields.emplace_back("started_by", Value(std::move(started_by)));
    fields.emplace_back("attempt_of", std::move(repeats));
    fields.emplace_back("headers", Value(map_of(std::move(headers))));
    return Value(map_of(std::move(fields)));
}

void draw_marks(const OrchestrationContext& ctx, Run& run) {
    if (run.definition().secrets.empty()) return;
    run.nonce = ctx.new_uuid();
    Fields marks;
    for (const Secret& secret : run.definition().secrets) {
        marks.emplace_back(secret.name, Value(secret_mark(run.nonce, secret.name)));
    }
    run.secrets = Value(map_of(std::move(marks)));
}

Value checked_params(const Definition& definition, const RunInput& input) {
    auto params = check_params(definition, input.params);
    if (params) return Value(*std::move(params));
    // A run may have failed because of them. Then its handler sees them as they were given.
    if (input.entry == EntryPoint::on_fail) {
        return input.params.is(expr::Kind::map) ? input.params : Value(expr::Map());
    }
    throw OperationFailed(Failure{.message = described(params.error()),
                                  .where = definition.name,
                                  .type = "params",
                                  .retryable = false});
}

/// Gives a run that has items of another one the facts of that one.
void become_part(Run& run, const ItemsInput& items) {
    run.is_part = true;
    run.id = items.run;
    run.created = items.created;
    run.steps = items.steps;
    for (const auto& [name, value] : items.more.map().entries()) {
        run.more.emplace_back(name.text(), value);
    }
}

std::shared_ptr<const Run> run_of(const OrchestrationContext& ctx,
                                  std::shared_ptr<const Plan> plan,
                                  const Limits& limits,
                                  const RunInput& input,
                                  std::shared_ptr<StepObserver> observer) {
    const auto run = std::make_shared<Run>();
    run->plan = std::move(plan);
    run->limits = limits;
    run->observer = std::move(observer);
    run->id = ctx.instance_id();
    run->created = ctx.now();
    if (input.items) {
        become_part(*run, *input.items);
        run->params = input.params;
    } else {
        run->params = checked_params(run->definition(), input);
    }
    run->facts = facts_of(ctx, *run);
    draw_marks(ctx, *run);
    if (input.failure) run->more.emplace_back("failure", value_of(*input.failure));
    if (input.resume && run->definition().kept) {
        run->kept.emplace(run->definition().kept, *input.resume);
    }
    return run;
}

// ---- Lists of steps ----------------------------------------------------------------------------

/// Runs the steps of a list until all have ended, or the list is over.
Orchestration<void> run_steps(OrchestrationContext ctx, SharedGraph graph) {
    std::vector<Orchestration<void>> steps;
    steps.reserve(graph->size());
    for (std::size_t i = 0; i < graph->size(); ++i) steps.push_back(run_step(ctx, graph, i));
    auto first = ctx.select(
        ctx.join(std::move(steps)), graph->end_of_list(), listen_for_cancels(ctx, graph));
    co_await std::move(first);
}

ListEnd too_late(const Run& run, const std::string& what) {
    return ListEnd::failed(Failure{.kind = FailureKind::timeout,
                                   .message = what + " took longer than it may",
                                   .where = run.definition().name,
                                   .retryable = false});
}

/// Runs a list of steps to its end, within a time if there is one. Never throws Canceled.
Orchestration<void> run_list(OrchestrationContext ctx,
                             SharedGraph graph,
                             std::optional<Millis> limit,
                             std::string what) {
    graph->begin(ctx.now());
    ListEnd end = ListEnd::completed();
    auto steps = run_steps(ctx, graph);
    try {
        if (limit) {
            auto bounded = std::move(steps).within(*limit);
            const bool in_time = co_await std::move(bounded);
            if (!in_time) end = too_late(graph->run(), what);
        } else {
            co_await std::move(steps);
        }
    } catch (const Canceled& canceled) {
        end = ListEnd::canceled(canceled.reason());
    }
    graph->end_list(std::move(end), ctx.now());
    auto cleanup = clean_up(ctx, graph);
    co_await std::move(cleanup);
}

/// Runs a list under a shield, after the steps of the flow have ended. A shield counts from the
/// cancel, so the time that has passed since the steps ended (`since`) is added.
Orchestration<void> run_shielded(OrchestrationContext ctx, SharedGraph graph, Timestamp since) {
    const Definition& definition = graph->run().definition();
    const Millis passed = std::chrono::ceil<Millis>(ctx.now() - since);
    const Millis left = std::max(kLastCleanup - passed, Millis(1));
    const Millis limit = graph->list() == ListName::finally
                             ? std::min(definition.finally_timeout, left)
                             : definition.on_cancel_timeout;
    const Shield shield = ctx.shield(passed + limit);
    auto list = run_list(ctx, graph, limit, std::string(to_string(graph->list())));
    co_await std::move(list);
}

// ---- The end of a flow -------------------------------------------------------------------------

/// How a flow ends, before `finally` has run.
struct Conclusion {
    ListEnd end = ListEnd::completed();
    Payload output{};
    std::optional<Failure> of_cleanup{};  ///< canceled: a detail of the cancel.
};

/// A flow that a step has ended early has the output of that step.
Value output_value_of(const GraphRun& graph) {
    if (graph.end()->how() == ListEnd::How::ended_early) {
        return graph.output_of(graph.end()->step());
    }
    const std::optional<Form>& form = graph.run().definition().output;
    return form ? evaluated(*form, graph.variables_of_output()) : graph.last_outputs();
}

Payload output_of(const GraphRun& graph) {
    const Value value = output_value_of(graph);
    if (const auto& type = graph.run().definition().output_type) {
        return code_value_of(value, *type, "the output", graph.run().limits);
    }
    return payload_of(value, "the output", graph.run().limits);
}

Conclusion conclude(const GraphRun& graph) {
    Conclusion conclusion;
    conclusion.end = *graph.end();
    if (conclusion.end.is_failed() || conclusion.end.is_canceled()) return conclusion;
    try {
        conclusion.output = output_of(graph);
    } catch (const std::exception&) {
        Failure failure = model::failure_of_current_exception();
        failure.where = "output";
        conclusion.end = ListEnd::failed(std::move(failure));
    }
    return conclusion;
}

/// Returns the variable `outcome`, for `finally` and `on_cancel`.
Value outcome_variable(const Conclusion& conclusion) {
    Fields fields;
    const ListEnd& end = conclusion.end;
    if (end.is_failed()) {
        fields.emplace_back("status", Value("failed"));
        fields.emplace_back("failure", value_of(end.failure()));
    } else if (end.is_canceled()) {
        fields.emplace_back("status", Value("canceled"));
        fields.emplace_back("reason", Value(end.reason()));
    } else {
        fields.emplace_back("status", Value("completed"));
        fields.emplace_back("output", value_of(conclusion.output));
    }
    return Value(map_of(std::move(fields)));
}

SharedGraph graph_after(const SharedGraph& graph, ListName list, const Conclusion& conclusion) {
    const auto run = std::make_shared<Run>(graph->run());
    run->more.emplace_back("outcome", outcome_variable(conclusion));
    return std::make_shared<GraphRun>(run, list, graph);
}

Failure with_detail(Failure failure, const GraphRun& cleanup) {
    const Failure& more = cleanup.end()->failure();
    if (!failure.detail.empty()) failure.detail += "\n";
    failure.detail.append(to_string(cleanup.list())).append(": ").append(more.where);
    failure.detail.append(": ").append(more.message);
    return failure;
}

/// A failure of the cleanup fails a flow that would have completed. It is a detail of any other
/// failure, and of a cancel: a canceled flow stays canceled for the handlers that follow.
void add_failure(Conclusion& conclusion, const GraphRun& cleanup) {
    const bool has_failed = cleanup.end() && cleanup.end()->is_failed();
    if (!has_failed) return;
    const Failure& failure = cleanup.end()->failure();
    if (conclusion.end.is_failed()) {
        conclusion.end = ListEnd::failed(with_detail(conclusion.end.failure(), cleanup));
    } else if (!conclusion.end.is_canceled()) {
        conclusion.end = ListEnd::failed(failure);
    } else if (conclusion.of_cleanup) {
        conclusion.of_cleanup = with_detail(*std::move(conclusion.of_cleanup), cleanup);
    } else {
        conclusion.of_cleanup = failure;
    }
}

Payload result_of(Conclusion conclusion) {
    if (conclusion.end.is_failed()) throw OperationFailed(conclusion.end.failure());
    if (conclusion.of_cleanup) throw OperationFailed(*conclusion.of_cleanup);
    if (conclusion.end.is_canceled()) throw Canceled(conclusion.end.reason());
    return std::move(conclusion.output);
}

Orchestration<Payload> run_main(OrchestrationContext ctx, std::shared_ptr<const Run> run) {
    const auto graph = std::make_shared<GraphRun>(run, ListName::steps, nullptr);
    if (!graph->may_begin()) throw SkipRun("its condition is false");
    auto steps = run_list(ctx, graph, run->definition().timeout, "the flow");
    co_await std::move(steps);
    Conclusion conclusion = conclude(*graph);
    std::vector<ListName> handlers;
    if (conclusion.end.is_canceled()) handlers.push_back(ListName::on_cancel);
    handlers.push_back(ListName::finally);
    for (const ListName list : handlers) {
        if (run->plan->list(list).steps->empty()) continue;
        const SharedGraph handler = graph_after(graph, list, conclusion);
        auto shielded = run_shielded(ctx, handler, graph->ended_at());
        co_await std::move(shielded);
        add_failure(conclusion, *handler);
    }
    co_return result_of(std::move(conclusion));
}

Orchestration<Payload> run_on_fail(OrchestrationContext ctx, std::shared_ptr<const Run> run) {
    const auto graph = std::make_shared<GraphRun>(run, ListName::on_fail, nullptr);
    auto steps = run_list(ctx, graph, std::nullopt, "on_fail");
    co_await std::move(steps);
    Conclusion conclusion;
    conclusion.end = *graph->end();
    conclusion.output = Payload(PayloadCodec::json, "null");
    co_return result_of(std::move(conclusion));
}

Orchestration<Payload> run_chunk(OrchestrationContext ctx,
                                 std::shared_ptr<const Run> run,
                                 std::shared_ptr<const ItemsInput> items) {
    const ListName list = list_named(items->list).value_or(ListName::steps);
    const auto graph = std::make_shared<GraphRun>(run, list, nullptr);
    Conclusion conclusion;
    auto work = ctx.select(run_items(ctx, graph, std::move(items)), listen_for_cancels(ctx, graph));
    try {
        auto first = co_await std::move(work);
        conclusion.output = std::get<0>(std::move(first));
    } catch (const Canceled& canceled) {
        conclusion.end = ListEnd::canceled(canceled.reason());
    } catch (const std::exception&) {
        conclusion.end = ListEnd::failed(model::failure_of_current_exception());
    }
    graph->end_list(conclusion.end, ctx.now());
    auto cleanup = clean_up(ctx, graph);
    co_await std::move(cleanup);
    co_return result_of(std::move(conclusion));
}

Orchestration<Payload> run_entry(const OrchestrationContext& ctx,
                                 const std::shared_ptr<const Run>& run,
                                 const RunInput& input) {
    switch (input.entry) {
        case EntryPoint::steps: return run_main(ctx, run);
        case EntryPoint::on_fail: return run_on_fail(ctx, run);
        case EntryPoint::items: break;
    }
    return run_chunk(ctx, run, std::make_shared<const ItemsInput>(*input.items));
}

}  // namespace

Orchestration<Payload> run_flow(OrchestrationContext ctx,
                                std::shared_ptr<const Plan> plan,
                                RunInput input,
                                std::shared_ptr<StepObserver> observer) {
    const Limits limits = co_await AskLimits();
    if (std::optional<Failure> failure = ctx.take_failure()) {
        input.entry = EntryPoint::on_fail;
        input.failure = std::move(failure);
    }
    const auto run = run_of(ctx, std::move(plan), limits, input, std::move(observer));
    ctx.nothing_to_clean_up(!cleans_up(run->definition()));
    auto entry = run_entry(ctx, run, input);
    Payload output = co_await std::move(entry);
    co_return output;
}

OrchestrationHandler handler_of(std::shared_ptr<const Plan> plan,
                                std::shared_ptr<StepObserver> observer) {
    return [plan = std::move(plan), observer = std::move(observer)](
               OrchestrationContext ctx,
               const Payload& input) -> std::unique_ptr<belay::detail::Root> {
        return std::make_unique<belay::detail::RootOf<Payload>>(
            run_flow(std::move(ctx), plan, decode_input(input), observer));
    };
}

namespace {

using Plans = std::map<std::string, std::shared_ptr<const Plan>, std::less<>>;

/// Prepares every definition of a document.
Plans plans_of(const Payload& document) {
    Result<Bundle> bundle = open_bundle(document.bytes);
    if (!bundle) throw DecodeError(bundle.error().message());
    Plans plans;
    for (auto& [name, definition] : bundle->flows) {
        plans.emplace(name,
                      std::make_shared<const Plan>(
                          std::make_shared<const Definition>(std::move(definition))));
    }
    return plans;
}

const std::shared_ptr<const Plan>& plan_in(const Plans& plans, const std::string& name) {
    const auto found = plans.find(name);
    if (found != plans.end()) return found->second;
    throw DecodeError("its document has no definition '" + name + "'");
}

}  // namespace

DocumentCompiler interpreter() {
    return [](const Payload& document) -> OrchestrationHandler {
        return [plans = plans_of(document)](
                   OrchestrationContext ctx,
                   const Payload& input) -> std::unique_ptr<belay::detail::Root> {
            const std::shared_ptr<const Plan>& plan = plan_in(plans, ctx.definition());
            return std::make_unique<belay::detail::RootOf<Payload>>(
                run_flow(std::move(ctx), plan, decode_input(input), nullptr));
        };
    };
}

OrchestrationHandler handler_of(std::shared_ptr<const Definition> definition,
                                std::shared_ptr<StepObserver> observer) {
    return handler_of(std::make_shared<const Plan>(std::move(definition)), std::move(observer));
}

}  // namespace belay::flow
