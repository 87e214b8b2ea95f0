#include "flow/interpreter/maps.hpp"

#include "expr/value_json.hpp"
#include "flow/definition/limits.hpp"
#include "flow/interpreter/map_run.hpp"
#include "flow/interpreter/steps.hpp"
#include "model/thrown.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace belay::flow {

namespace {

using expr::Kind;
using SharedMap = std::shared_ptr<MapRun>;

Orchestration<void> run_item(OrchestrationContext ctx,
                             std::shared_ptr<GraphRun> graph,
                             Spot item,
                             expr::Map variables,
                             SharedMap map) {
    const std::shared_ptr<StepObserver>& observer = graph->run().observer;
    const expr::Value& element = map->item(*item.item);
    if (const std::optional<KeptEnd> kept = graph->kept(item, element)) {
        if (observer) observer->kept(item, *kept);
        map->put(*item.item, kept->end);
        co_return;
    }
    if (const std::optional<Failure> canceled = graph->cancel_of(item)) {
        const StepEnd end = StepEnd::failed(graph->located(*canceled, item));
        graph->release(item);
        if (observer) observer->ended(item, end, ctx.now());
        map->put(*item.item, end);
        co_return;
    }
    if (observer) observer->began(item, ctx.now());
    std::optional<StepEnd> end;
    try {
        auto action = run_action(ctx, graph, item, graph->variables(item, variables, element));
        auto whole = run_unless_canceled(ctx, graph, item, std::move(action));
        end.emplace(co_await std::move(whole));
    } catch (const std::exception&) {
        end.emplace(StepEnd::failed(model::failure_of_current_exception()));
    }
    graph->release(item);
    if (end->is_failed()) end = StepEnd::failed(graph->located(end->failure(), item));
    if (observer) observer->ended(item, *end, ctx.now());
    map->put(*item.item, *end);
}

/// Runs one item after the other, until none is left.
Orchestration<void> run_some_items(OrchestrationContext ctx,
                                   std::shared_ptr<GraphRun> graph,
                                   Spot spot,
                                   expr::Map variables,
                                   SharedMap map) {
    for (;;) {
        const std::optional<std::uint64_t> number = map->take();
        if (number) {
            auto item = run_item(ctx, graph, Spot(spot.list, spot.step, *number), variables, map);
            co_await std::move(item);
        } else if (map->may_go_on()) {
            co_await map->next_turn();
        } else {
            co_return;
        }
    }
}

/// Runs the items of a map, `window` of them at a time, until all have ended or too many failed.
Orchestration<void> run_window(OrchestrationContext ctx,
                               std::shared_ptr<GraphRun> graph,
                               Spot spot,
                               expr::Map variables,
                               SharedMap map) {
    const std::uint64_t window = std::max(1U, graph->step(spot).map->window);
    std::vector<Orchestration<void>> runners;
    for (std::uint64_t i = 0; i < std::min(window, map->size()); ++i) {
        runners.push_back(run_some_items(ctx, graph, spot, variables, map));
    }
    auto first = ctx.select(ctx.join(std::move(runners)), map->failure_gate());
    co_await std::move(first);
}

expr::List items_of(const GraphRun& graph, const Spot& spot, const expr::Map& variables) {
    const expr::Program& over = graph.step(spot).map->over;
    auto value = over.run(variables);
    if (!value) throw_problem(value.error());
    if (!value->is(Kind::list)) {
        throw_problem(expr::Problem{over.root().place,
                                    "a map needs a list, not a value of the type " +
                                        std::string(to_string(value->kind()))});
    }
    if (value->list().size() > kMostItems) {
        throw_failure(FailureKind::limit,
                      "the map has " + std::to_string(value->list().size()) + " items; at most " +
                          std::to_string(kMostItems) + " are allowed",
                      "limit");
    }
    return value->list();
}

std::optional<std::uint64_t> may_fail_of(const MapOver& map) {
    if (map.any_may_fail) return std::nullopt;
    return map.items_may_fail;
}

// ---- Children ----------------------------------------------------------------------------------

/// Bytes of an input beside the items and the values that their expressions use: names, numbers.
constexpr std::size_t kFrame = 8 * 1024;

/// Returns the bytes of items that one child takes, as JSON.
std::size_t room_for_items(const RunInput& without_items, const Limits& limits) {
    const std::size_t taken = encode_input(without_items).bytes.size() + kFrame;
    const std::size_t left = limits.payload_bytes - std::min(limits.payload_bytes, taken);
    return std::min(left, limits.payload_bytes / 2);
}

/// Returns the number of items from `from` on that one child takes: neither too many, nor with so
/// many bytes that they would not fit its input.
std::size_t chunk_size(const expr::List& items, std::size_t from, std::size_t room) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    while (from + count < items.size() && count < kItemsPerRun) {
        const auto json = expr::to_json(items[from + count]);
        bytes += json ? json->size() + 1 : 0;
        if (count > 0 && bytes > room) break;
        ++count;
    }
    return count;
}

belay::Call<Payload> chunk_call(const OrchestrationContext& ctx,
                                const std::string& child,
                                const RunInput& input) {
    const belay::Definition<Payload(Payload)> self{ctx.definition()};
    ChildOptions options;
    options.id(child).version(ctx.version()).with_document().part();
    return ctx.call(self.with(options), encode_input(input));
}

/// Returns the reason if the child itself was canceled, and none if an item of it failed.
std::optional<std::string> reason_of_cancel(const Failure& failure, const Step& step) {
    constexpr std::string_view kReason = "the child was canceled: ";
    const bool is_of_item = failure.where.starts_with(step.id + "[");
    if (failure.kind != FailureKind::canceled || is_of_item) return std::nullopt;
    if (!failure.message.starts_with(kReason)) return failure.message;
    return failure.message.substr(kReason.size());
}

/// Cancels the flow, because somebody has canceled a child that runs items of it.
StepEnd canceled_with_child(GraphRun& graph, const std::string& reason, Timestamp at) {
    graph.end_list(ListEnd::canceled(reason), at);
    return StepEnd::skipped("the run was canceled");
}

/// Runs the items of a large map in children, one child after the other.
Orchestration<StepEnd> run_chunks(OrchestrationContext ctx,
                                  std::shared_ptr<GraphRun> graph,
                                  Spot spot,
                                  std::shared_ptr<const expr::List> items) {
    const Step& step = graph->step(spot);
    MapRun map({}, 0, may_fail_of(*step.map), graph->planned(spot).output_is_used);
    RunInput input = graph->input_for_items(spot);
    input.items->most_bytes = kResultsPerChild;
    const std::size_t room = room_for_items(input, graph->run().limits);
    std::size_t from = 0;
    for (std::size_t chunk = 1; from < items->size(); ++chunk) {
        const std::size_t count = chunk_size(*items, from, room);
        const auto begin = items->begin() + static_cast<std::ptrdiff_t>(from);
        input.items->from = from;
        input.items->items.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
        input.items->may_fail = map.may_still_fail();
        const std::string child = step.id + "-" + std::to_string(chunk);
        Future<Payload> work = ctx.start(chunk_call(ctx, child, input));
        if (graph->run().observer) {
            const auto& operation = static_cast<const belay::detail::Operation&>(work.completion());
            graph->run().observer->handed_over(spot, Chunk{operation.number(), child, from, count});
        }
        Payload output;
        try {
            output = co_await std::move(work);
        } catch (const OperationFailed& failed) {
            const std::optional<std::string> reason = reason_of_cancel(failed.failure(), step);
            if (!reason || spot.list == ListName::finally) throw;
            co_return canceled_with_child(*graph, *reason, ctx.now());
        }
        const std::uint64_t ended = map.put_chunk(value_of(output));
        if (ended == 0 || ended > count) throw DecodeError("the output of the items is wrong");
        from += static_cast<std::size_t>(ended);
    }
    co_return map.end();
}

}  // namespace

Orchestration<StepEnd> run_map(OrchestrationContext ctx,
                               std::shared_ptr<GraphRun> graph,
                               Spot spot,
                               expr::Map variables) {
    expr::List items = items_of(*graph, spot, variables);
    if (graph->run().observer) graph->run().observer->has_items(spot, 0, items);
    if (items.size() > kItemsPerRun) {
        auto chunks =
            run_chunks(ctx, graph, spot, std::make_shared<const expr::List>(std::move(items)));
        StepEnd end = co_await std::move(chunks);
        co_return end;
    }
    const auto map = std::make_shared<MapRun>(std::move(items),
                                              0,
                                              may_fail_of(*graph->step(spot).map),
                                              graph->planned(spot).output_is_used);
    auto window = run_window(ctx, graph, spot, std::move(variables), map);
    co_await std::move(window);
    co_return map->end();
}

Orchestration<Payload> run_items(OrchestrationContext ctx,
                                 std::shared_ptr<GraphRun> graph,
                                 std::shared_ptr<const ItemsInput> input) {
    const Run& run = graph->run();
    const auto step = run.plan->find(graph->list(), input->step);
    if (!step || !graph->step(Spot(graph->list(), *step)).map) {
        throw_failure(
            FailureKind::application, "the flow has no map '" + input->step + "'", "definition");
    }
    const Spot spot(graph->list(), *step);
    if (run.observer) {
        run.observer->began(spot, ctx.now());
        run.observer->has_items(spot, input->from, input->items);
    }
    const auto map =
        std::make_shared<MapRun>(input->items, input->from, input->may_fail, input->keeps_results);
    map->bound_results(static_cast<std::size_t>(input->most_bytes));
    auto window = run_window(ctx, graph, spot, graph->variables(spot), map);
    co_await std::move(window);
    const StepEnd end = map->end();
    if (run.observer) run.observer->ended(spot, end, ctx.now());
    if (end.is_failed()) throw OperationFailed(end.failure());
    co_return payload_of(map->as_chunk(), "the output of the items", run.limits);
}

}  // namespace belay::flow
