#include "flow/interpreter/cancels.hpp"

#include "expr/value_json.hpp"
#include "flow/interpreter/values.hpp"
#include <belay/exceptions.hpp>

#include <exception>
#include <utility>

namespace belay::flow {

namespace {

using expr::Kind;
using expr::Map;
using expr::Value;

std::string optional_text(const Map& map, std::string_view name) {
    const Value* const value = map.find(name);
    if (value == nullptr) return {};
    if (!value->is(Kind::text)) throw DecodeError("'" + std::string(name) + "' must be a text");
    return value->text();
}

Failure failure_of(const StepCancel& cancel) {
    Failure failure{.kind = FailureKind::canceled, .message = "canceled", .retryable = false};
    if (!cancel.by.empty()) failure.message += " by " + cancel.by;
    if (!cancel.reason.empty()) failure.message += ": " + cancel.reason;
    return failure;
}

/// Returns the place of a cancel in this list; none if the list has no such step, or no such map.
std::optional<Spot> spot_of(const GraphRun& graph, const StepCancel& cancel) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
        Spot spot(graph.list(), i);
        const Step& step = graph.step(spot);
        if (step.id != cancel.step) continue;
        if (cancel.item && !step.map) return std::nullopt;
        spot.item = cancel.item;
        return spot;
    }
    return std::nullopt;
}

void take_cancel(const OrchestrationContext& ctx, GraphRun& graph, const Payload& payload) {
    try {
        const StepCancel cancel = decode_cancel(payload);
        const std::optional<Spot> spot = spot_of(graph, cancel);
        if (!spot) throw DecodeError("it has no '" + place_name(cancel.step, cancel.item) + "'");
        graph.cancel(*spot, failure_of(cancel));
    } catch (const std::exception& problem) {
        ctx.log().warning("ignored the cancel of a step: " + std::string(problem.what()));
    }
}

}  // namespace

Payload encode_cancel(const StepCancel& cancel) {
    Fields fields;
    fields.emplace_back("step", Value(cancel.step));
    if (cancel.item) fields.emplace_back("item", integer_of(*cancel.item));
    if (!cancel.reason.empty()) fields.emplace_back("reason", Value(cancel.reason));
    if (!cancel.by.empty()) fields.emplace_back("by", Value(cancel.by));
    return payload_of(Value(map_of(std::move(fields))), "the cancel", Limits());
}

StepCancel decode_cancel(const Payload& payload) {
    const auto value = expr::parse_json(payload.bytes);
    if (!value) throw DecodeError(value.error().message());
    if (!value->is(Kind::map)) throw DecodeError("it is no object");
    const Map& map = value->map();
    StepCancel cancel{optional_text(map, "step"),
                      std::nullopt,
                      optional_text(map, "reason"),
                      optional_text(map, "by")};
    if (const Value* const item = map.find("item")) {
        if (!item->is(Kind::integer) || item->integer() < 0) {
            throw DecodeError("'item' must be a number");
        }
        cancel.item = static_cast<std::uint64_t>(item->integer());
    }
    return cancel;
}

Orchestration<void> listen_for_cancels(OrchestrationContext ctx, std::shared_ptr<GraphRun> graph) {
    const std::string event(kCancelStepEvent);
    while (true) {
        co_await AtArrival(event);
        while (const std::optional<Payload> payload = ctx.try_wait<Payload>(event)) {
            take_cancel(ctx, *graph, *payload);
        }
    }
}

}  // namespace belay::flow
