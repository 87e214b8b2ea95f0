#include "flow/interpreter/steps.hpp"

#include "flow/interpreter/calls.hpp"
#include "flow/interpreter/maps.hpp"
#include "flow/interpreter/waits.hpp"
#include "model/thrown.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>
#include <vector>

namespace belay::flow {

namespace {

/// Returns the number of the command of work that was just started.
CommandNo number_of(const Future<Payload>& work) {
    return static_cast<const belay::detail::Operation&>(work.completion()).number();
}

StepEnd set_value(const GraphRun& graph, const Spot& spot, const expr::Map& variables) {
    const Form& form = std::get<Set>(graph.step(spot).action).value;
    expr::Value value = evaluated(form, variables);
    (void)payload_of(value, "the value", graph.run().limits);
    return StepEnd::completed(std::move(value));
}

Orchestration<StepEnd> run_call(OrchestrationContext ctx,
                                std::shared_ptr<GraphRun> graph,
                                Spot spot,
                                expr::Map variables) {
    Future<Payload> work = ctx.start(call_of(ctx, *graph, spot, variables));
    if (graph->run().observer) graph->run().observer->scheduled(spot, number_of(work));
    graph->guard(spot, std::move(variables));
    const Payload result = co_await std::move(work);
    if (result.codec == PayloadCodec::skipped) co_return StepEnd::skipped(result.bytes);
    co_return StepEnd::completed(value_of(result));
}

/// The action of a step without a map, or the map.
Orchestration<StepEnd> run_body(OrchestrationContext ctx,
                                std::shared_ptr<GraphRun> graph,
                                Spot spot) {
    expr::Map variables = graph->variables(spot);
    auto body = graph->step(spot).map ? run_map(ctx, graph, spot, std::move(variables))
                                      : run_action(ctx, graph, spot, std::move(variables));
    StepEnd end = co_await std::move(body);
    co_return end;
}

Orchestration<void> clean_up_one(OrchestrationContext ctx,
                                 std::shared_ptr<GraphRun> graph,
                                 Spot spot,
                                 expr::Map variables) {
    const Step& step = graph->step(spot);
    std::string problem;
    try {
        belay::Call<Payload> call = cleanup_call_of(ctx, *graph, spot, variables);
        auto bounded = std::move(call).within(step.on_cancel->timeout);
        const std::optional<Payload> done = co_await std::move(bounded);
        if (!done) problem = "it took too long";
    } catch (const std::exception& thrown) {
        problem = thrown.what();
    }
    if (problem.empty()) co_return;
    ctx.log().warning("on_cancel of the step '" + place_name(step.id, spot.item) +
                      "' failed: " + problem);
}

Orchestration<void> clean_up_all(OrchestrationContext ctx,
                                 std::shared_ptr<GraphRun> graph,
                                 std::vector<GraphRun::Cleanup> cleanups) {
    if (cleanups.empty()) co_return;
    Millis longest{0};
    std::vector<Orchestration<void>> all;
    for (GraphRun::Cleanup& cleanup : cleanups) {
        longest = std::max(longest, graph->step(cleanup.spot).on_cancel->timeout);
        all.push_back(clean_up_one(ctx, graph, cleanup.spot, std::move(cleanup.variables)));
    }
    const Shield shield = ctx.shield(longest);
    auto joined = ctx.join(std::move(all));
    co_await std::move(joined);
}

}  // namespace

Orchestration<StepEnd> run_unless_canceled(OrchestrationContext ctx,
                                           std::shared_ptr<GraphRun> graph,
                                           Spot spot,
                                           Orchestration<StepEnd> work) {
    auto first = ctx.select(std::move(work), graph->canceled(spot));
    auto winner = co_await std::move(first);
    if (winner.index() == 0) co_return std::get<0>(std::move(winner));
    // They stay in the graph until they have run: the list may end meanwhile, and runs them again.
    const std::vector<GraphRun::Cleanup> cleanups = graph->cleanups_of(spot);
    auto cleanup = clean_up_all(ctx, graph, cleanups);
    co_await std::move(cleanup);
    for (const GraphRun::Cleanup& done : cleanups) {
        if (done.spot.item != spot.item) graph->release(done.spot);
    }
    co_return StepEnd::failed(*graph->cancel_of(spot));
}

Orchestration<void> run_step(OrchestrationContext ctx,
                             std::shared_ptr<GraphRun> graph,
                             std::size_t step) {
    const Spot spot(graph->list(), step);
    co_await graph->turn_of(step);
    if (graph->end()) co_return;  // The list has ended in this turn, and will drop this.
    if (const std::optional<KeptEnd> kept = graph->kept(spot)) {
        graph->end(spot, *kept, ctx.now());
        co_return;
    }
    std::optional<StepEnd> end;
    if (const std::optional<Failure> canceled = graph->cancel_of(spot)) {
        end = StepEnd::failed(*canceled);
    } else {
        end = graph->end_without_running(spot);
    }
    if (!end) {
        if (graph->run().observer) graph->run().observer->began(spot, ctx.now());
        try {
            auto body = run_unless_canceled(ctx, graph, spot, run_body(ctx, graph, spot));
            end.emplace(co_await std::move(body));
        } catch (const std::exception&) {
            end.emplace(StepEnd::failed(model::failure_of_current_exception()));
        }
        graph->release(spot);
    }
    graph->end(spot, *std::move(end), ctx.now());
}

Orchestration<StepEnd> run_action(OrchestrationContext ctx,
                                  std::shared_ptr<GraphRun> graph,
                                  Spot spot,
                                  expr::Map variables) {
    const Action& action = graph->step(spot).action;
    if (std::holds_alternative<Set>(action)) co_return set_value(*graph, spot, variables);
    const bool is_wait = std::holds_alternative<Wait>(action) ||
                         std::holds_alternative<Sleep>(action) ||
                         std::holds_alternative<Approval>(action);
    if (is_wait) graph->guard(spot, variables);
    if (std::holds_alternative<Wait>(action)) {
        auto wait = run_wait(ctx, graph, spot);
        StepEnd end = co_await std::move(wait);
        co_return end;
    }
    auto* const run = std::holds_alternative<Sleep>(action)      ? &run_sleep
                      : std::holds_alternative<Approval>(action) ? &run_approval
                                                                 : &run_call;
    auto work = run(ctx, graph, spot, std::move(variables));
    StepEnd end = co_await std::move(work);
    co_return end;
}

Orchestration<void> clean_up(OrchestrationContext ctx, std::shared_ptr<GraphRun> graph) {
    auto all = clean_up_all(ctx, graph, graph->take_cleanups());
    co_await std::move(all);
}

}  // namespace belay::flow
